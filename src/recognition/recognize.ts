import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { HOOK_BUNDLE, PLUGIN_ZIP } from "../constructs/synth/package-files";
import {
  HOOK_RESOURCE_TYPES,
  isPluginResourceType,
  parseBlockId,
  parsePluginResourceType,
  parseSupportId,
  PLUGIN_NAME,
} from "../contract/addresses";
import { MIRROR, PLUGIN_SYSTEMS, pluginMirrorIn, zipName } from "../contract/plugin-package";
import { isPlainObject } from "../util/prop-path";
import type { JsonObject } from "../model/provider-type";
import { STACK_FILE } from "../synthesized/folder";
import { blocksOf, type ConfigurationBlock } from "./configuration-blocks";
import { type ForeignValue, foreignValues } from "./foreign-values";
import { resynthesized } from "./with-installed-cdk";

/** The files that Terraform loads from the folder of a stack. One of them is that of the synthesized stack. */
export interface ConfigurationFiles {
  /** Contents by name, without folders. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** The folder itself, if it is there. It has the hook program. */
  readonly folder?: string;
}

/** A block or a file in which something is that this version of the package would not have written. */
export interface ForeignPlace {
  /** The address of a block, or the name of a file. */
  readonly address: string;
  /** The end of a sentence about it. */
  readonly problem: string;
  /** What is foreign there, as JSON. */
  readonly content: unknown;
}

/**
 * Makes the Platforms of a stack again, and compares. What differs in their blocks is foreign, and so is every other file, and a
 * program that is not the package's own.
 */
export function foreignPlaces({ files, folder }: ConfigurationFiles): ForeignPlace[] {
  const text = files.get(STACK_FILE)!.toString("utf8");
  const stack = JSON.parse(text) as JsonObject;
  const expected = resynthesized(blocksIn(stack));
  const [program] = JSON.stringify([...expected]).match(PROGRAM) ?? [];
  const written = JSON.stringify(stack);
  // The program is reported once, so that another version of it is no difference in each hook.
  const actual = blocksIn(JSON.parse(program === undefined ? written : written.replaceAll(PROGRAM, program)));
  return [
    ...[...files].filter(([name]) => name !== STACK_FILE).map(otherFile),
    ...(keysIn(text) === keysIn(written) ? [] : [{ address: STACK_FILE, problem: REPEATED, content: text }]),
    ...[...new Set(written.match(PROGRAM))].flatMap((each) => foreignProgram(each, program, folder)),
    ...(folder !== undefined && expected.has(PLUGIN) ? foreignPlugins(folder) : []),
    ...[...new Set([...actual.keys(), ...expected.keys()])].flatMap((address) => foreignBlock(address, actual, expected)),
    ...blocksOf({ removed: stack.removed }).flatMap(foreignRemoval),
  ];
}

/** Terraform refuses an address that is there twice, except that of a `removed` block. */
function blocksIn(stack: unknown): ReadonlyMap<string, unknown> {
  return new Map(blocksOf(stack).map(({ address, body }) => [address, body]));
}

function otherFile([address, content]: [string, Buffer]): ForeignPlace {
  const problem = "is read by Terraform, and this package did not write it";
  return { address, problem, content: content.toString("base64") };
}

/** The number of keys in JSON, with repeated ones. */
function keysIn(json: string): number {
  return [...json.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)].filter(([, colon]) => colon !== undefined).length;
}

const REPEATED = "has a key twice: Terraform reads all of its values, and this command the last one";

function foreignBlock(
  address: string,
  actual: ReadonlyMap<string, unknown>,
  expected: ReadonlyMap<string, unknown>,
): ForeignPlace[] {
  // A user may have a block of the null provider, with another alias and another version.
  if (address.startsWith("provider.null") || (!expected.has(address) && !isOfPlatform(address))) return [];
  const [own, body] = [ownBody(address, actual, expected), actual.get(address)].map((value) =>
    address === NULL_PROVIDER ? sourceOf(value) : value,
  );
  if (body === undefined) return [{ address, problem: "is missing, although this package writes it", content: null }];
  const differences = foreignValues(own, body);
  if (differences.length === 0) return [];
  const content = differences.map(({ path, actual: value = null }) => [path, value]);
  const more = differences.length > 1 ? `, and ${differences.length - 1} more` : "";
  return [{ address, problem: `${problemOf(differences[0]!)}${more}`, content }];
}

/** A plan shows what else it does. */
function foreignRemoval({ address, body }: ConfigurationBlock): ForeignPlace[] {
  const content = (body as JsonObject).provisioner;
  return content === undefined ? [] : [{ address, problem: problemOf({ path: "provisioner", actual: content }), content }];
}

function isOfPlatform(address: string): boolean {
  const [type = "", name = ""] = address.split(".");
  if (type === "provider") return name === PLUGIN_NAME;
  return (
    isPluginResourceType(type) ||
    (HOOK_RESOURCE_TYPES.includes(type) && (parseBlockId(name) ?? parseSupportId(type, name)) !== undefined)
  );
}

/** A plan shows the arguments of a single object. It does not show what else Terraform does with its block. */
function ownBody(address: string, actual: ReadonlyMap<string, unknown>, expected: ReadonlyMap<string, unknown>): unknown {
  const body = actual.get(address);
  if (!parsePluginResourceType(address.split(".")[0]!) || !isPlainObject(body)) return expected.get(address);
  const { provisioner: _, connection: __, count: ___, for_each: ____, provider, ...shown } = body;
  return { ...shown, ...(expected.has(`provider.${String(provider)}`) && { provider }) };
}

function problemOf({ path, expected, actual }: ForeignValue): string {
  if (path === "") return "is not what this package writes";
  if (expected === undefined) return `has '${path}', which this package does not write`;
  return actual === undefined ? `lacks '${path}', which this package writes` : `has another '${path}' than this package writes`;
}

const NULL_PROVIDER = "required_providers.null";
const PLUGIN = `required_providers.${PLUGIN_NAME}`;

/** Without what Terraform adds to the address of a registry. */
function sourceOf(provider: unknown): unknown {
  if (!isPlainObject(provider)) return provider;
  return { source: String(provider.source).replace(/^(registry\.terraform\.io\/)?hashicorp\//, "") };
}

const PROGRAM = /assets\/cluster-platform-hooks(?:-\d+)?\/[0-9A-F]{32}\/main\.js/g;

function foreignProgram(address: string, own: string | undefined, folder: string | undefined): ForeignPlace[] {
  const hashOf = (program: string) => program.split("/").at(-2);
  const content = folder === undefined ? null : contentOf(join(folder, address, ".."));
  const isOwn = own === undefined || hashOf(address) === hashOf(own);
  if (isOwn && (content === null || JSON.stringify(content) === JSON.stringify(contentOf(HOOK_BUNDLE)))) return [];
  const problem =
    "is not the hook program of this version of cdktf-cluster-platform; review with the version that synthesized the stack";
  return [{ address, problem, content }];
}

/** Terraform takes the package's own provider from the folder, and checks it only against the lock file beside it. */
function foreignPlugins(folder: string): ForeignPlace[] {
  const own = sha256(readFileSync(PLUGIN_ZIP));
  const { version } = JSON.parse(readFileSync(`${PLUGIN_ZIP}.json`, "utf8")) as { readonly version: string };
  const expected = PLUGIN_SYSTEMS.map((system) => [`/${zipName(version, system)}`, own]);
  // Terraform also finds folders with files there.
  const content = contentOf(pluginMirrorIn(folder));
  if (JSON.stringify(content) === JSON.stringify(expected.sort(byName))) return [];
  return [{ address: MIRROR, problem: "is not the Terraform provider of this version of cdktf-cluster-platform", content }];
}

function sha256(data: Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}

/** Names and hashes of all files in a folder and below. */
function contentOf(folder: string): string[][] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      return [file.slice(folder.length), entry.isFile() ? sha256(readFileSync(file)) : "not a file"];
    })
    .sort(byName);
}

const byName = ([one = ""]: readonly string[], [other = ""]: readonly string[]) => (one < other ? -1 : 1);
