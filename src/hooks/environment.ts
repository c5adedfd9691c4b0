import { gunzipSync } from "node:zlib";
import { ConfigurationError } from "../model/errors";
import { parseBlockAddress } from "../contract/addresses";
import {
  CHUNK_CHARACTERS,
  HOOK_ENV,
  type HookBlock,
  type HookDeclared,
  type HookEntry,
  type HookExpectation,
  type HookSettings,
} from "../contract/hook-protocol";
import { keptText } from "../contract/kept-text";
import { asSnapshot, type Snapshot } from "../contract/snapshot";
import { isName } from "../model/object-name";
import { parseObjectId } from "../model/object-ref";
import { isPlainObject } from "../model/prop-path";
import { isKind, isTypeCode, type JsonObject } from "../model/provider-type";

/**
 * What the synthesized stack tells a hook. All of it is looked at before it is used, since what reaches a process by
 * its environment can be lost or cut on the way; and none of it is ever shown, since it may hold secrets.
 *
 * Every function throws INVALID_SETTING.
 */
export function readSettings(env: NodeJS.ProcessEnv): HookSettings {
  return read(env, HOOK_ENV.settings, JSON.parse, isSettings);
}

export function readBlock(env: NodeJS.ProcessEnv): HookBlock {
  return read(env, HOOK_ENV.block, JSON.parse, isBlock);
}

/** Name of the object that the hook is about. */
export function readName(env: NodeJS.ProcessEnv): string {
  return read(env, HOOK_ENV.name, String, isObjectName);
}

/** Terraform's workspace. */
export function readWorkspace(env: NodeJS.ProcessEnv): string {
  return read(env, HOOK_ENV.workspace, String, isText);
}

/** Name of the provider that a cluster to be deleted was declared on. */
export function readProvider(env: NodeJS.ProcessEnv): string {
  return read(env, HOOK_ENV.provider, String, isObjectName);
}

export function readEntry(env: NodeJS.ProcessEnv): HookEntry {
  const entry = readPieces(env, HOOK_ENV.entry, isEntry, tooLarge);
  return { ...entry, body: keptText(entry.body) as HookEntry["body"], spec: keptText(entry.spec) as HookEntry["spec"] };
}

/** What must be on the service. */
export function readExpected(env: NodeJS.ProcessEnv): readonly HookExpectation[] {
  return read(env, HOOK_ENV.expected, inflate, isListOf(isExpectation));
}

/** What was declared so far. */
export function readBefore(env: NodeJS.ProcessEnv): Snapshot {
  return readPieces(env, HOOK_ENV.before, isSnapshot, tooMany);
}

/** What the code declares; undefined where the resource of the hook keeps no snapshot. */
export function readAfter(env: NodeJS.ProcessEnv): Snapshot | undefined {
  return env[`${HOOK_ENV.after}_0`] === undefined ? undefined : readPieces(env, HOOK_ENV.after, isSnapshot, tooMany);
}

/** What the code declares, as far as a destroy hook needs it. */
export function readDeclared(env: NodeJS.ProcessEnv): HookDeclared {
  return read(env, HOOK_ENV.declared, inflate, isDeclared);
}

function read<T>(
  env: NodeJS.ProcessEnv,
  name: string,
  parse: (text: string) => unknown,
  fits: (value: unknown) => value is T,
  problem = () => damaged(name),
): T {
  const text = env[name];
  if (text === undefined) {
    throw new ConfigurationError(
      "INVALID_SETTING",
      `${name} is not set: this program is run by Terraform as a hook of a synthesized stack, not by hand; use terraform apply`,
    );
  }
  let value;
  try {
    value = parse(text);
  } catch {
    // The parser's own words quote the text.
    throw problem();
  }
  if (fits(value)) return value;
  throw problem();
}

function damaged(name: string): ConfigurationError {
  return new ConfigurationError(
    "INVALID_SETTING",
    `environment: '${name}' must reach the hook as the synthesized stack makes it, but it is damaged; nothing was sent. ` +
      "Synthesize again and apply; if it stays, look for what changes the environment between Terraform and its hooks",
  );
}

/** What is in as many variables as its size needs; `tooLong` says so where Terraform had more than fits into them. */
function readPieces<T>(
  env: NodeJS.ProcessEnv,
  prefix: string,
  fits: (value: unknown) => value is T,
  tooLong: (variables: number) => ConfigurationError,
): T {
  const names = pieces(env, prefix);
  const [first, ...more] = names;
  const whole = (text: string) => inflate([text, ...more.map((name) => env[name]!)].join(""));
  return read(env, first!, whole, fits, () => (isCut(env, prefix, names) ? tooLong(names.length) : damaged(first!)));
}

/** Whether the pieces of what cannot be read fill all variables there are: Terraform cuts what goes beyond. */
function isCut(env: NodeJS.ProcessEnv, prefix: string, names: readonly string[]): boolean {
  const isFull = names.every((name) => env[name]?.length === CHUNK_CHARACTERS);
  return isFull && env[`${prefix}_${names.length}`] === undefined;
}

/** What tokens come to is not known when the stack makes the variables. */
function tooLarge(variables: number): ConfigurationError {
  const kibibytes = (variables * CHUNK_CHARACTERS) / 1024;
  return new ConfigurationError(
    "INVALID_SETTING",
    `the declaration is larger than the ${kibibytes} KiB that reach the hook of it (compressed, in base64), because of the value of a token; ` +
      "nothing was sent to create it. Make that value smaller, or write it as a literal, which may be larger; a secret may come from a file (Secret.fromFile)",
  );
}

function tooMany(variables: number): ConfigurationError {
  return new ConfigurationError(
    "INVALID_SETTING",
    `the list of the Platform's objects is larger than the ${(variables * CHUNK_CHARACTERS) / 1024} KiB that reach the hook of it (compressed, in base64); ` +
      "nothing was deleted. Spread the objects over several Platforms",
  );
}

/** The variables that hold the pieces, as many as are not empty. */
function pieces(env: NodeJS.ProcessEnv, prefix: string): string[] {
  const names = [`${prefix}_0`];
  while (env[`${prefix}_${names.length}`]) names.push(`${prefix}_${names.length}`);
  return names;
}

/** Far more than any variable of a stack inflates to. */
const INFLATED_BYTES = 64 * 2 ** 20;

/** What Terraform's base64gzip(jsonencode(…)) made. */
function inflate(text: string): unknown {
  return JSON.parse(gunzipSync(Buffer.from(text, "base64"), { maxOutputLength: INFLATED_BYTES }).toString("utf8"));
}

const isListOf =
  <T>(fits: (item: unknown) => item is T) =>
  (value: unknown): value is T[] =>
    Array.isArray(value) && value.every(fits);

const isText = (value: unknown): value is string => typeof value === "string";

const isObjectName = (value: unknown): value is string => isText(value) && isName(value);

function isObjectId(value: unknown): value is string {
  return isText(value) && parseObjectId(value) !== undefined;
}

function isSnapshot(value: unknown): value is Snapshot {
  const snapshot = asSnapshot(value);
  return snapshot !== undefined && Object.keys(snapshot.objects).every(isObjectId);
}

function isSettings(value: unknown): value is HookSettings {
  if (!isPlainObject(value) || !isPlainObject(value.connection)) return false;
  const { createSeconds, readySeconds, deleteSeconds, pollSeconds, deletionProtection, allowDeletion, retain } = value;
  return (
    [createSeconds, readySeconds, deleteSeconds, pollSeconds].every((seconds) => typeof seconds === "number") &&
    (deletionProtection === true || isListOf(isText)(deletionProtection)) &&
    [allowDeletion, retain].every(isListOf(isText))
  );
}

function isBlock(value: unknown): value is HookBlock {
  return (
    isPlainObject(value) &&
    isTypeCode(value.type) &&
    isKind(value.kind) &&
    isText(value.address) &&
    parseBlockAddress(value.address) !== undefined
  );
}

function isEntry(value: unknown): value is HookEntry {
  return (
    isPlainObject(value) &&
    isText(value.path) &&
    isPlainObject(value.triggers) &&
    (isPlainObject(value.body) || isPlainObject(value.spec))
  );
}

function isDeclared(value: unknown): value is HookDeclared {
  return isPlainObject(value) && isListOf(isObjectId)(value.objects) && isListOf(isText)(value.retained);
}

function isExpectation(value: unknown): value is HookExpectation {
  return isBlock(value) && ["ready", "present"].every((names) => isListOf(isObjectName)((value as unknown as JsonObject)[names]));
}
