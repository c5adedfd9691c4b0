import { ConfigurationError } from "../model/errors";
import { parseBlockAddress } from "../contract/addresses";
import {
  CHUNK_CHARACTERS,
  HOOK_ENV,
  type HookBlock,
  type HookDeclared,
  type HookEntry,
  type HookExpectation,
  type HookNeeds,
  inflate,
  NO_TRIGGER,
  type HookProviderNeed,
} from "../contract/hook-protocol";
import { isPlatformSettings, type PlatformSettings } from "../contract/platform-settings";
import { keptText } from "../contract/kept-text";
import { asSnapshot, type Snapshot } from "../contract/snapshot";
import { withoutList } from "../lifecycle/wording";
import { isName } from "../model/object-name";
import { parseObjectId } from "../model/object-ref";
import { isPlainObject } from "../util/prop-path";
import { isKind, isTypeCode, type JsonObject } from "../model/provider-type";
import { isSecretReference, type SecretUse } from "../model/secret-reference";

/**
 * Everything is checked before it is used, because variables of an environment can be lost or cut off. No message shows a value,
 * because it may hold a secret. Every function throws INVALID_SETTING.
 */
export function readSettings(env: NodeJS.ProcessEnv): PlatformSettings {
  return read(env, HOOK_ENV.settings, JSON.parse, isPlatformSettings);
}

export function readBlock(env: NodeJS.ProcessEnv): HookBlock {
  return read(env, HOOK_ENV.block, JSON.parse, isBlock);
}

export function readName(env: NodeJS.ProcessEnv): string {
  return read(env, HOOK_ENV.name, String, isObjectName);
}

/** The name in the triggers of the instance. Undefined if these hold no declaration, as after `terraform import`. */
export function readDeletedName(env: NodeJS.ProcessEnv, { kind }: HookBlock): string | undefined {
  const names = [HOOK_ENV.name, ...(kind === "clusters" ? [HOOK_ENV.provider] : [])];
  return names.some((each) => env[each] === NO_TRIGGER) ? undefined : readName(env);
}

/** The key of the instance to delete. Empty if it has no text as its key. */
export function readKey(env: NodeJS.ProcessEnv): string {
  return read(env, HOOK_ENV.key, String, isText);
}

export function readWorkspace(env: NodeJS.ProcessEnv): string {
  return read(env, HOOK_ENV.workspace, String, isText);
}

export function readUid(env: NodeJS.ProcessEnv): string {
  return read(env, HOOK_ENV.uid, String, isText);
}

/** The triggers of the instance in the state. Undefined if they do not fit into their variable. */
export function readTriggers(env: NodeJS.ProcessEnv): Readonly<Record<string, string>> | undefined {
  try {
    const triggers = inflate(env[`${HOOK_ENV.triggers}_0`] ?? "");
    return isPlainObject(triggers) && Object.values(triggers).every(isText) ? (triggers as Record<string, string>) : undefined;
  } catch {
    return undefined;
  }
}

export function readProvider(env: NodeJS.ProcessEnv): string {
  return read(env, HOOK_ENV.provider, String, isObjectName);
}

export function readEntry(env: NodeJS.ProcessEnv): HookEntry {
  const entry = readPieces(env, HOOK_ENV.entry, isEntry, tooLarge);
  return { ...entry, spec: keptText(entry.spec) as HookEntry["spec"] };
}

export function readExpected(env: NodeJS.ProcessEnv): readonly HookExpectation[] {
  return readPieces(env, HOOK_ENV.expected, isListOf(isExpectation));
}

/**
 * The state's snapshot, or the code's if the resource of the hook keeps none.
 * @param address of the resource that keeps it
 */
export function readBefore(env: NodeJS.ProcessEnv, address: string): Snapshot {
  const snapshot = readPieces(env, HOOK_ENV.before, (value) => value === null || isSnapshot(value), tooMany);
  if (snapshot === null) throw new ConfigurationError("INVALID_SETTING", withoutList(address, "; nothing was sent"));
  return snapshot;
}

/** Undefined if the resource of the hook keeps no snapshot. */
export function readAfter(env: NodeJS.ProcessEnv): Snapshot | undefined {
  return env[`${HOOK_ENV.after}_0`] === undefined ? undefined : readPieces(env, HOOK_ENV.after, isSnapshot, tooMany);
}

export function readDeclared(env: NodeJS.ProcessEnv): HookDeclared {
  return readPieces(env, HOOK_ENV.declared, isDeclared);
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
    // The parser's message quotes the text.
    throw problem();
  }
  if (fits(value)) return value;
  throw problem();
}

function damaged(name: string): ConfigurationError {
  return new ConfigurationError(
    "INVALID_SETTING",
    `environment: '${name}' must reach the hook as the synthesized stack makes it, but it is damaged; nothing was sent. ` +
      "Synthesize again and apply; if the error stays, find what changes the environment between Terraform and its hooks",
  );
}

/** `tooLong` is the error if Terraform had more than fits into the variables. Text that synth knows always fits. */
function readPieces<T>(
  env: NodeJS.ProcessEnv,
  prefix: string,
  fits: (value: unknown) => value is T,
  tooLong?: (variables: number) => ConfigurationError,
): T {
  const names = pieces(env, prefix);
  const [first, ...more] = names;
  const whole = (text: string) => inflate([text, ...more.map((name) => env[name]!)].join(""));
  return read(env, first!, whole, fits, () => (tooLong && isCut(env, prefix, names) ? tooLong(names.length) : damaged(first!)));
}

/** Terraform cuts off what does not fit into the variables. */
function isCut(env: NodeJS.ProcessEnv, prefix: string, names: readonly string[]): boolean {
  const isFull = names.every((name) => env[name]?.length === CHUNK_CHARACTERS);
  return isFull && env[`${prefix}_${names.length}`] === undefined;
}

/** The size of a token's value is not known at synth, when the number of variables is chosen. */
function tooLarge(variables: number): ConfigurationError {
  const kibibytes = (variables * CHUNK_CHARACTERS) / 1024;
  return new ConfigurationError(
    "INVALID_SETTING",
    `the declaration is larger than the ${kibibytes} KiB that reach its hook (compressed, in base64), because of the value of a token; ` +
      "nothing was sent to create the object. Make that value smaller, or write it as a literal, which may be larger; a secret may come from a file (Secret.fromFile)",
  );
}

function tooMany(variables: number): ConfigurationError {
  return new ConfigurationError(
    "INVALID_SETTING",
    `the list of the Platform's objects is larger than the ${(variables * CHUNK_CHARACTERS) / 1024} KiB that reach its hook (compressed, in base64); ` +
      "nothing was deleted. Spread the objects over several stacks",
  );
}

function pieces(env: NodeJS.ProcessEnv, prefix: string): string[] {
  const names = [`${prefix}_0`];
  while (env[`${prefix}_${names.length}`]) names.push(`${prefix}_${names.length}`);
  return names;
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
  if (snapshot === undefined || !Object.keys(snapshot.objects).every(isObjectId)) return false;
  return snapshot.needs === undefined || isNeeds(snapshot.needs);
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
  return isPlainObject(value) && isText(value.path) && isPlainObject(value.triggers) && isPlainObject(value.spec);
}

function isDeclared(value: unknown): value is HookDeclared {
  return (
    isPlainObject(value) &&
    isListOf(isObjectId)(value.objects) &&
    isListOf(isText)(value.retained) &&
    isNeeds(value.needs) &&
    isPlainObject(value.digests) &&
    Object.values(value.digests).every(isText)
  );
}

function isNeeds(value: unknown): value is HookNeeds {
  return (
    isPlainObject(value) &&
    isPlainObject(value.secrets) &&
    Object.values(value.secrets).every(isListOf(isSecretUse)) &&
    isListOf(isProviderNeed)(value.providers) &&
    isListOf(isObjectId)(value.withTokens)
  );
}

function isSecretUse(value: unknown): value is SecretUse {
  return isPlainObject(value) && Array.isArray(value.path) && isSecretReference(value.reference);
}

function isProviderNeed(value: unknown): value is HookProviderNeed {
  return isPlainObject(value) && isTypeCode(value.type) && isText(value.provider) && isListOf(isText)(value.clusters);
}

function isExpectation(value: unknown): value is HookExpectation {
  return isBlock(value) && ["ready", "present"].every((names) => isListOf(isObjectName)((value as unknown as JsonObject)[names]));
}
