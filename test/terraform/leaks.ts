import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { gunzipSync } from "node:zlib";
import { unzipSync } from "fflate";

/** Something that a run left or printed. The name is for messages. */
export interface Artefact {
  readonly name: string;
  readonly content: string;
}

/** All traces of secrets in any encoding, as `secret in artefact as form`. */
export function leaks(artefacts: readonly Artefact[], secrets: Readonly<Record<string, string>>): string[] {
  const traces = Object.entries(secrets).flatMap(([name, secret]) =>
    Object.entries(formsOf(secret)).map(([form, text]) => ({ name, form, text })),
  );
  return artefacts.flatMap(({ name: artefact, content }) => {
    const all = [content, ...compressedIn(content)].join("\n");
    return traces.filter(({ text }) => all.includes(text)).map(({ name, form }) => `${name} in ${artefact} as ${form}`);
  });
}

/** All encodings of a secret, and digests that would identify it. */
export function formsOf(secret: string): Record<string, string> {
  const bytes = Buffer.from(secret);
  const json = (text: string) => JSON.stringify(text).slice(1, -1);
  const digests = ["md5", "sha1", "sha256", "sha512"].flatMap((algorithm) => {
    const digest = createHash(algorithm).update(secret).digest();
    return [
      [algorithm, digest.toString("hex")],
      [`${algorithm} in base64`, digest.toString("base64").replace(/=+$/, "")],
    ];
  });
  const longest = secret.split("\n").sort((one, other) => other.length - one.length)[0]!;
  const within = [0, 1, 2].map((before) => [
    `part of base64 after ${before}`,
    Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .slice(4, -4),
  ]);
  return Object.fromEntries([
    ["text", secret],
    ["its longest line", longest],
    ["JSON", json(secret)],
    ["JSON in JSON", json(json(secret))],
    ["URL", encodeURIComponent(secret)],
    ["form", new URLSearchParams([["", secret]]).toString().slice(1)],
    ["HTML", secret.replace(/[&<>"]/g, (character) => `&${{ "&": "amp", "<": "lt", ">": "gt", '"': "quot" }[character]};`)],
    ["hexadecimal", bytes.toString("hex")],
    ["base64", bytes.toString("base64").replace(/=+$/, "")],
    ["base64url", bytes.toString("base64url")],
    ...within,
    ...digests,
  ]) as Record<string, string>;
}

/** The content of all base64gzip values in a text. */
function compressedIn(text: string): string[] {
  return (text.match(/H4sI[A-Za-z0-9+/]{20,}={0,2}/g) ?? []).flatMap((encoded) => {
    try {
      return [gunzipSync(Buffer.from(encoded, "base64")).toString("utf8")];
    } catch {
      return [];
    }
  });
}

/** All files below a folder, with the members of archives such as saved plans. Leaves out the hook program. */
export function filesIn(folder: string, at = folder): Artefact[] {
  return readdirSync(at, { withFileTypes: true }).flatMap((entry): Artefact[] => {
    const path = join(at, entry.name);
    if (entry.isDirectory()) return entry.name === "assets" || entry.name === "providers" ? [] : filesIn(folder, path);
    if (!statSync(path).isFile()) return [];
    const bytes = readFileSync(path);
    const name = relative(folder, path);
    return [
      { name, content: bytes.toString("latin1") },
      { name, content: bytes.toString("utf8") },
      ...members(bytes).map(({ name: member, content }) => ({ name: `${name}!${member}`, content })),
    ];
  });
}

/** The members of a zip archive. Empty for other files. */
function members(bytes: Buffer): Artefact[] {
  if (bytes.toString("latin1", 0, 2) !== "PK") return [];
  return Object.entries(unzipSync(bytes)).flatMap(([name, content]) =>
    (["utf8", "latin1"] as const).map((encoding) => ({ name, content: Buffer.from(content).toString(encoding) })),
  );
}

/** Records the command lines of all processes until the returned function is called. */
export function watchProcesses(): () => Artefact {
  const seen = new Set<string>();
  const look = () => commandLines().forEach((line) => seen.add(line));
  const timer = setInterval(look, 50);
  return () => {
    clearInterval(timer);
    return { name: "process list", content: [...seen].join("\n") };
  };
}

function commandLines(): string[] {
  if (!existsSync("/proc/self/cmdline")) return execFileSync("ps", ["-axo", "args="], { encoding: "utf8" }).split("\n");
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")];
      } catch {
        // The process has ended.
        return [];
      }
    });
}
