import { createHash } from "node:crypto";
import { readFileSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { ClusterPlatformError } from "../../model/errors";
import type { JsonObject } from "../../model/provider-type";

/**
 * Reads a JSON document from a file, or from standard input for `-`.
 * @param what the end of a sentence that begins with "… must be ": the document, and how to make it
 * @throws INVALID_DOCUMENT
 */
export function readDocument(file: string, what: string): unknown {
  return parseDocument(readBytes(file), file, what);
}

/** The digest is the SHA-256 of the file's bytes in hexadecimal. */
export function readDigested(file: string, what: string): { readonly json: unknown; readonly digest: string } {
  const bytes = readBytes(file);
  return { json: parseDocument(bytes, file, what), digest: createHash("sha256").update(bytes).digest("hex") };
}

/** @throws INVALID_DOCUMENT */
export function parseDocument(bytes: Buffer, file: string, what: string): unknown {
  const text = decode(bytes);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw invalidDocument(
      file,
      what,
      problemOf(text) ?? `got text that is not JSON (${(error as Error).message.replace(/,? *"[^]*$/, "")})`,
    );
  }
  if (nestsTooDeeply(json)) throw invalidDocument(file, what, `got one that nests deeper than ${MOST_LEVELS} levels`);
  if (isStateFile(json)) throw invalidDocument(file, what, "got a state file; convert it with 'terraform show -json FILE'");
  return json;
}

/** The file of a local backend, or the output of 'terraform state pull'. */
function isStateFile(json: unknown): boolean {
  return typeof json === "object" && json !== null && "lineage" in json && "serial" in json;
}

/** Terraform leaves out what is not set. Other tools write it as null or as an empty text. The key of an instance may be empty. */
export function setFields(entry: JsonObject): JsonObject {
  const isSet = ([field, value]: [string, unknown]) => value !== null && (value !== "" || field === "index");
  return Object.fromEntries(Object.entries(entry).filter(isSet));
}

/** @throws INVALID_DOCUMENT if the format is not 1.x. Terraform writes 0.x before version 1.1 */
export function refuseOtherFormat(version: string, file: string, what: string): void {
  const [, major] = /^(\d+)\.\d+$/.exec(version) ?? [];
  if (major === "1") return;
  const wayOut = major === undefined ? "" : `; use a newer ${major === "0" ? "Terraform" : "cluster-platform"}`;
  throw invalidDocument(file, `${what}, of format 1.x`, `got format ${JSON.stringify(version)}${wayOut}`);
}

export function invalidDocument(file: string, what: string, got: string): ClusterPlatformError {
  return new ClusterPlatformError("INVALID_DOCUMENT", `${nameOf(file)} must be ${what}, ${got}`);
}

/** The same for every path of a file, also through a link. */
export function realPathOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    // The file does not exist yet, or is a pipe.
    return resolve(file);
  }
}

export function nameOf(file: string): string {
  return file === "-" ? "standard input" : file;
}

/** @throws INVALID_DOCUMENT */
export function readBytes(file: string): Buffer {
  return reading(file, "name a file, or - for standard input", () => readFileSync(file === "-" ? 0 : file));
}

/** @throws INVALID_DOCUMENT with the way out, if the file or folder cannot be read */
export function reading<Content>(file: string, wayOut: string, read: () => Content): Content {
  try {
    return read();
  } catch (error) {
    throw new ClusterPlatformError(
      "INVALID_DOCUMENT",
      `${nameOf(file)} cannot be read (${(error as NodeJS.ErrnoException).code}); ${wayOut}`,
      { cause: error },
    );
  }
}

/** A saved plan is one. */
export function isArchive(bytes: Buffer): boolean {
  return bytes.toString("latin1", 0, 4) === "PK\u0003\u0004";
}

/** PowerShell redirects output to a file as UTF-16. Other programs write a byte order mark. */
function decode(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.subarray(2).toString("utf16le");
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return bytes.subarray(3).toString("utf8");
  return bytes.toString("utf8");
}

/** No plan, state or policy is nested this deeply, and recursion over this many levels is safe. */
const MOST_LEVELS = 500;

function nestsTooDeeply(value: unknown, levels = MOST_LEVELS): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  for (const key in value) if (nestsTooDeeply((value as JsonObject)[key], levels - 1)) return true;
  return false;
}

/** The usual mistakes. The message does not quote the content, because it may hold secrets. */
function problemOf(text: string): string | undefined {
  if (text.trim() === "") return "got nothing";
  if (text.startsWith("PK\u0003\u0004")) return "got a saved plan; convert it with 'terraform show -json PLAN'";
  if (text.startsWith("[command]"))
    return "got the output of a wrapper around terraform; with setup-terraform, set 'terraform_wrapper: false'";
  if (/^\s*\{"@level"/.test(text))
    return "got the log of 'terraform plan -json'; run 'terraform plan -out PLAN', then 'terraform show -json PLAN'";
  if (/^\s*(\u001b\[|Terraform |No changes|OpenTofu |╷|Error:)/.test(text))
    return "got Terraform's human-readable text; add -json to 'terraform show'";
  return undefined;
}
