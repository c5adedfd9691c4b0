import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isPluginResourceType, parsePluginResourceType, PLUGIN_NAME, PLUGIN_SOURCE } from "../contract/addresses";
import { programOf } from "../contract/hook-interpreter";
import { STACK_FILE } from "../synthesized/folder";
import { schemaOf } from "../declarations/terraform/declaration-schema";
import { objectTypeOf } from "../declarations/types";
import { isPlainObject } from "../model/prop-path";
import type { JsonObject } from "../model/provider-type";
import { MIRROR, PLUGIN_SYSTEMS, pluginMirrorIn, zipName } from "../contract/plugin-package";
import { PLUGIN_ZIP } from "../constructs/provider-engine/plugin-mirror";
import { HOOK_BUNDLE } from "../constructs/hook-engine/hook-program";
import { blocksOf, COMMENT, type ConfigurationBlock } from "./configuration-blocks";
import { foreign, type ForeignPart } from "./foreign-part";
import { type Difference, differencesBetween } from "./differences";
import { isRemoved, prefixAt } from "./platform-inputs";
import { resynthesized } from "./resynthesis";

/** The files that Terraform loads from the folder of a stack. */
export interface ConfigurationFiles {
  /** Contents by name, without folders. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** The folder itself, if it is there. It has the hook program. */
  readonly folder?: string;
  /** The stack in the files, if it is parsed already. */
  readonly stack?: JsonObject | null;
  /** The program that is applied already, if these files change it. */
  readonly applied?: JsonObject;
}

export interface Recognized {
  readonly foreign: readonly ForeignPart[];
  /** The number of blocks and locals that are the package's own. */
  readonly own: number;
  /** Whether the hook program is in the folder, and is the package's own. */
  readonly ownProgram: boolean;
}

/**
 * Makes the Platforms of a configuration again, and compares. What is equal is the package's own, and everything else in the
 * blocks of Platforms is foreign, and so is every other file.
 */
export function recognize({ files, folder, stack, applied }: ConfigurationFiles): Recognized {
  const text = files.get(STACK_FILE)?.toString("utf8");
  const others = [...files].filter(([name]) => name !== STACK_FILE).map(([name, content]) => foreignFile(name, content));
  const configuration = stack ?? (text === undefined ? undefined : parsed(text));
  if (text === undefined || !isPlainObject(configuration)) {
    const foreignStack = foreign(STACK_FILE, "is not the JSON of a synthesized stack", text ?? "");
    return { foreign: [foreignStack, ...others], own: 0, ownProgram: false };
  }
  const repeated = isAsWritten(text, configuration) ? [] : [foreign(STACK_FILE, REPEATED, text)];
  const actual = blocksOf(configuration);
  const expected = new Map(resynthesized(configuration, applied).map(({ address, body }) => [address, body]));
  const ownProgram = programsIn([...expected.values()])[0];
  const programs = programsIn(actual.filter(({ address }) => prefixAt(address) !== undefined).map(({ body }) => body));
  const foreignPrograms = programs.flatMap((program) => foreignProgram(program, ownProgram, folder));
  const blocks = foreignBlocks(actual, expected, ownProgram);
  const differing = new Set(blocks.map(({ address }) => address));
  return {
    foreign: [
      ...others,
      ...repeated,
      ...foreignPrograms,
      ...(folder !== undefined && expected.has(PLUGIN) ? foreignPlugins(folder) : []),
      ...blocks,
    ],
    own: actual.filter(({ address, body }) => isOfPlatform(address, body, expected) && !differing.has(address)).length,
    ownProgram: folder !== undefined && programs.length > 0 && foreignPrograms.length === 0,
  };
}

export function foreignParts(configuration: ConfigurationFiles): readonly ForeignPart[] {
  return recognize(configuration).foreign;
}

const REPEATED = "is not written as cdktf writes JSON, so that Terraform may read another value than this command";

/** Terraform reads all values of a repeated key, and this program reads the last one. */
function isAsWritten(text: string, json: unknown): boolean {
  if (text === JSON.stringify(json, null, 2)) return true;
  const compact = text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_, string: string | undefined) => string ?? "");
  return compact === JSON.stringify(json);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function foreignFile(name: string, content: Buffer): ForeignPart {
  return foreign(name, "is read by Terraform, and this package did not write it", content.toString("base64"));
}

function foreignBlocks(
  actual: readonly ConfigurationBlock[],
  expected: ReadonlyMap<string, unknown>,
  program: string | undefined,
): ForeignPart[] {
  const seen = new Set<string>();
  const found = actual.flatMap(({ address, body }): ForeignPart[] => {
    const isRepeated = seen.has(address);
    seen.add(address);
    if (!isOfPlatform(address, body, expected)) return [];
    if (isRepeated) return [foreign(address, "is there twice", body)];
    const differences = differencesIn(address, withProgram(body, program), expected);
    return differences.length === 0 ? [] : [foreignBlock(address, differences)];
  });
  const missing = [...expected.keys()].filter((address) => !seen.has(address) && !isProvider(address));
  return [...found, ...missing.map((address) => foreign(address, "is missing, although this package writes it", null))];
}

/** A `removed` block without provisioners does nothing that a plan does not show. */
function isOfPlatform(address: string, body: unknown, expected: ReadonlyMap<string, unknown>): boolean {
  if (expected.has(address)) return true;
  if (isRemoved(address)) return prefixAt(address) !== undefined && isPlainObject(body) && body.provisioner !== undefined;
  if (isProvider(address)) return address === PLUGIN;
  return prefixAt(address) !== undefined || isPluginResourceType(address.split(".")[0]!);
}

function isProvider(address: string): boolean {
  return address.startsWith("required_providers.") || address.startsWith("provider.null");
}

function differencesIn(address: string, body: unknown, expected: ReadonlyMap<string, unknown>): Difference[] {
  if (address.startsWith("required_providers.")) {
    const { source, version } = (isPlainObject(body) ? body : {}) as JsonObject;
    const own = (expected.get(address) ?? { source: PLUGIN_SOURCE }) as JsonObject;
    const isSame = source === own.source || SAME_SOURCES.get(String(own.source))?.includes(source);
    return [
      ...(isSame ? [] : [{ path: "source", expected: own.source, actual: source }]),
      ...(address !== PLUGIN || version === own.version ? [] : [{ path: "version", expected: own.version, actual: version }]),
    ];
  }
  if (address.startsWith("provider.null")) return [];
  const [type = ""] = address.split(".");
  const object = parsePluginResourceType(type);
  if (object && isPlainObject(body))
    return differencesOfObject(body, Object.keys(schemaOf(objectTypeOf(object.type, object.kind)).attributes), expected);
  return differencesBetween(expected.get(address), body);
}

/** Addresses of the registry that Terraform takes for one provider. */
const SAME_SOURCES: ReadonlyMap<string, readonly unknown[]> = new Map(
  ["null", "hashicorp/null", "registry.terraform.io/hashicorp/null"].map((source, _, all) => [source, all]),
);

/** A plan shows the arguments of an object. It does not show what else Terraform does with the block. */
function differencesOfObject(body: JsonObject, names: readonly string[], expected: ReadonlyMap<string, unknown>): Difference[] {
  const shown = new Set([...names, ...OF_OBJECTS]);
  const isOwn = typeof body.provider === "string" && expected.has(`provider.${body.provider}`);
  return Object.keys(body)
    .filter((key) => !shown.has(key) && !(key === "provider" && isOwn))
    .map((key) => ({ path: key, expected: undefined, actual: body[key] }));
}

const OF_OBJECTS = ["deletion_protection", "adopt", "declared_at", "depends_on", "lifecycle", COMMENT];

function foreignBlock(address: string, differences: readonly Difference[]): ForeignPart {
  const [first] = differences as [Difference];
  const more = differences.length > 1 ? `, and ${differences.length - 1} more` : "";
  const content = differences.map(({ path, actual = null }) => [path, actual]);
  return foreign(address, `${problemOf(first)}${more}`, content);
}

function problemOf({ path, expected, actual }: Difference): string {
  if (path === "") return "is not what this package writes";
  if (expected === undefined) return `has '${path}', which this package does not write`;
  return actual === undefined ? `lacks '${path}', which this package writes` : `has another '${path}' than this package writes`;
}

/** Programs of hooks in any part of a configuration. */
function programsIn(value: unknown): string[] {
  const found = new Set<string>();
  const visit = (part: unknown): void => {
    if (typeof part !== "object" || part === null) return;
    const program = programOf((part as JsonObject).interpreter);
    if (program !== undefined) found.add(program);
    Object.values(part).forEach(visit);
  };
  visit(value);
  return [...found];
}

const PROGRAM = /^assets\/cluster-platform-hooks(?:-\d+)?\/([0-9A-F]{32})\/main\.js$/;

/** The program is reported once, so that another version of it is no difference in each hook. */
function withProgram(body: unknown, own: string | undefined): unknown {
  if (own === undefined || typeof body !== "object" || body === null) return body;
  const replaced = (value: unknown): unknown => {
    const program = Array.isArray(value) ? programOf(value) : undefined;
    if (program !== undefined && PROGRAM.test(program))
      return (value as unknown[]).map((each) => (each === program ? own : each));
    if (Array.isArray(value)) return value.map(replaced);
    return isPlainObject(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaced(item)])) : value;
  };
  return replaced(body);
}

const PLUGIN = `required_providers.${PLUGIN_NAME}`;

/** Terraform takes the package's own provider from the folder, and checks it only against the lock file beside it. */
function foreignPlugins(folder: string): ForeignPart[] {
  const mirror = pluginMirrorIn(folder);
  if (!existsSync(mirror)) return [foreign(MIRROR, "is missing in the folder of the stack", null)];
  const own = sha256(readFileSync(PLUGIN_ZIP));
  const { version } = JSON.parse(readFileSync(`${PLUGIN_ZIP}.json`, "utf8")) as { readonly version: string };
  const names = PLUGIN_SYSTEMS.map((system) => zipName(version, system));
  // Terraform also finds folders with files there.
  return contentOf(mirror).flatMap(([path, content]) =>
    names.includes(path.slice(1)) && content === own
      ? []
      : [foreign(`${MIRROR}/…${path}`, "is not the Terraform provider of this version of the package", content)],
  );
}

function foreignProgram(program: string, own: string | undefined, folder: string | undefined): ForeignPart[] {
  const [, hash] = PROGRAM.exec(program) ?? [];
  if (hash === undefined) return [];
  if (own === undefined || hash !== PROGRAM.exec(own)![1]) {
    return [
      foreign(
        program,
        "is the hook program of another version of cdktf-cluster-platform; use the version that synthesized the stack",
        hash,
      ),
    ];
  }
  if (folder === undefined) return [];
  const at = join(folder, program, "..");
  if (!existsSync(at)) return [foreign(program, "is missing in the folder of the stack", hash)];
  const content = contentOf(at);
  return JSON.stringify(content) === JSON.stringify(contentOf(HOOK_BUNDLE))
    ? []
    : [foreign(program, "is not the hook program of this package, although its folder has the same name", content)];
}

function sha256(data: Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}

/** Names and hashes of all files in a folder and below. */
function contentOf(folder: string): [string, string][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry): [string, string] => {
      const file = join(entry.parentPath, entry.name);
      const content = entry.isFile() ? sha256(readFileSync(file)) : "not a file";
      return [file.slice(folder.length), content];
    })
    .sort(([one], [other]) => (one < other ? -1 : 1));
}
