import { isDeepStrictEqual } from "node:util";
import { Engine, type HookEngine } from "../constructs/engine";
import type { DeclaredObject } from "../constructs/synth/declared-object";
import {
  type BlockId,
  blockAddress,
  blockId,
  blockOfDeclarationsLocal,
  clusterSupportId,
  HOOK_RESOURCE_TYPES,
  parseBlockId,
  parsePluginResourceType,
  parseSupportId,
  platformOfPrefix,
  platformPrefix,
  PLUGIN_NAME,
  PLUGIN_READY_TYPE,
  pluginReadyId,
  supportAddress,
  supportId,
} from "../contract/addresses";
import { HOOK_ENV, type HookEntry } from "../contract/hook-protocol";
import { isPlatformSettings, type PlatformSettings } from "../contract/platform-settings";
import { keptText } from "../contract/kept-text";
import { declarationOf } from "../synthesized/declaration";
import { objectsByProvider, type SynthesizedObject } from "../synthesized/objects";
import { settingsInProviderBlock, synthesizedHooks } from "../synthesized/platforms";
import { requestBody } from "../declarations/declaration";
import { objectTypeOf } from "../declarations/types";
import { idOf } from "../model/object-ref";
import { isPlainObject } from "../model/prop-path";
import { KINDS, TYPE_CODES, type JsonObject } from "../model/provider-type";
import { isTemplate, withoutEscapes } from "../terraform/template-text";
import type { ConfigurationBlock } from "./configuration-blocks";

/** What the package needs to synthesize a Platform again. */
export interface PlatformInputs {
  readonly prefix: string;
  readonly engine: Engine;
  readonly settings: PlatformSettings;
  readonly objects: readonly DeclaredObject[];
  /** Objects whose resource of readiness the stack has. */
  readonly ready: readonly DeclaredObject[];
}

/** Makes a value whose text Terraform evaluates. */
export type Expression = (template: string) => string;

/**
 * The prefix of the Platform that a block belongs to by its address. Undefined for any other block. An address of the package's
 * own provider may have any id, so its prefix is unknown, and it is empty.
 */
export function prefixAt(address: string): string | undefined {
  const at = address.startsWith(REMOVED) ? withoutKey(address.slice(REMOVED.length)) : address;
  const [type = "", name = "", ...rest] = at.split(".");
  if (type === "provider") return name === PLUGIN_NAME ? platformPrefix(rest[0]) : undefined;
  if (type === "local") return prefixOfLocal(name);
  if (HOOK_RESOURCE_TYPES.includes(type)) {
    return parseBlockId(name)?.prefix ?? parseSupportId(type, name)?.prefix;
  }
  return parsePluginResourceType(type) ? "" : parseSupportId(type, name)?.prefix;
}

function prefixOfLocal(name: string): string | undefined {
  const block = blockOfDeclarationsLocal(name);
  return block === undefined ? parseSupportId("terraform_data", name)?.prefix : parseBlockId(block)!.prefix;
}

const REMOVED = "removed ";
const withoutKey = (address: string) => address.replace(/\[.*\]$/s, "");

/**
 * A Platform whose settings cannot be read is left out.
 * @param applied blocks of a program that is applied already. The declarations in it are taken as they are, because to check
 * that of each object takes half of the time
 */
export function platformsIn(
  configuration: JsonObject,
  blocks: readonly ConfigurationBlock[],
  expression: Expression,
  applied: readonly ConfigurationBlock[] = [],
): PlatformInputs[] {
  const known = new Map(applied.map(({ address, body }) => [address, body]));
  const byPrefix = new Map<string, ConfigurationBlock[]>();
  for (const block of blocks) {
    const prefix = isRemoved(block.address) ? undefined : prefixAt(block.address);
    if (prefix === undefined) continue;
    if (!byPrefix.has(prefix)) byPrefix.set(prefix, []);
    byPrefix.get(prefix)!.push(block);
  }
  return [...byPrefix].flatMap(([prefix, own]) => {
    const found = new Map(own.map(({ address, body }) => [address, body]));
    const settings = settingsIn(prefix, found);
    if (!settings) return [];
    const engine = engineOf(prefix, found);
    const objects =
      engine === Engine.PROVIDER ? providerObjects(prefix, configuration, blocks) : hookObjects(prefix, found, expression, known);
    return [{ prefix, settings, engine, objects, ready: objects.filter((object) => hasReady(prefix, object, found)) }];
  });
}

type Found = ReadonlyMap<string, unknown>;

/** The settings in a hook that can be read. Every other part must then agree with them. */
function settingsIn(prefix: string, found: Found): PlatformSettings | undefined {
  const shown = supportAddress(supportId(prefix, "protection"));
  const inOrder = [found.get(shown), ...[...found].filter(([address]) => address !== shown).map(([, body]) => body)];
  for (const { environment } of inOrder.flatMap(synthesizedHooks)) {
    const settings = parsed(environment[HOOK_ENV.settings]);
    if (isPlatformSettings(settings) && platformPrefix(settings.platform) === prefix) return settings;
  }
  return settingsInProviderBlock(found.get(providerAddress(prefix)));
}

function providerAddress(prefix: string): string {
  return ["provider", PLUGIN_NAME, ...(prefix ? [platformOfPrefix(prefix)] : [])].join(".");
}

function parsed(text: unknown): unknown {
  try {
    return typeof text === "string" ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

function engineOf(prefix: string, found: Found): Engine {
  if (found.has(providerAddress(prefix))) return Engine.PROVIDER;
  const ids = TYPE_CODES.flatMap((type) => KINDS.map((kind) => blockId(prefix, type, kind)));
  const has = (engine: HookEngine) => ids.some((id) => found.has(blockAddress(engine, id)));
  return has(Engine.TERRAFORM_DATA) && !has(Engine.NULL_RESOURCE) ? Engine.TERRAFORM_DATA : Engine.NULL_RESOURCE;
}

function hasReady(prefix: string, { type, kind, name }: DeclaredObject, found: Found): boolean {
  if (kind !== "clusters") return false;
  const withHooks = supportAddress(clusterSupportId(prefix, type, "ready", name));
  return found.has(withHooks) || found.has(`${PLUGIN_READY_TYPE}.${pluginReadyId(prefix, { type, name })}`);
}

function hookObjects(prefix: string, found: Found, expression: Expression, applied: Found): DeclaredObject[] {
  const ready = found.get(`local.${supportId(prefix, "ready")}`);
  const waited = new Set(
    (Array.isArray(ready) ? (ready as unknown[]) : []).flatMap((expected) => {
      const { type, kind, ready: names } = (isPlainObject(expected) ? expected : {}) as JsonObject;
      return Array.isArray(names) ? names.map((name) => `${String(type)}/${String(kind)}/${String(name)}`) : [];
    }),
  );
  return [...found].flatMap(([address, body]) => {
    const [kindOfBlock, id = ""] = address.split(".");
    const block = parseBlockId(id);
    if (kindOfBlock !== "local" || !block || !isPlainObject(body)) return [];
    const withTokens = found.get(`${address}_with_tokens`);
    const known = applied.get(address);
    return Object.entries(body).flatMap(([name, text]): DeclaredObject[] => {
      const entry =
        text === null ? withExpressions(isPlainObject(withTokens) ? withTokens[name] : undefined, expression) : parsed(text);
      const isApplied = isPlainObject(known) && Object.hasOwn(known, name) && known[name] === text;
      return isPlainObject(entry) ? [declaredObject(block, name, entry, waited, isApplied)] : [];
    });
  });
}

/** The request body. It must be what the triggers say, because a plan shows only these. */
function shownBody(object: SynthesizedObject): JsonObject {
  const body = keptText(object.entry.body) as JsonObject;
  try {
    const { spec } = declarationOf({ ...object, entry: { ...object.entry, body } });
    const again = requestBody(objectTypeOf(object.type, object.kind), spec);
    return isDeepStrictEqual(unordered(again), unordered(body)) ? body : again;
  } catch {
    return {};
  }
}

/** The order of most lists has no meaning. */
function unordered(value: unknown): unknown {
  if (Array.isArray(value)) {
    const texts = value.map((item) => JSON.stringify(unordered(item)));
    return texts.sort();
  }
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, item]) => [key, unordered(item)]),
  );
}

function declaredObject(
  { prefix, type, kind }: BlockId,
  name: string,
  entry: JsonObject,
  waited: ReadonlySet<string>,
  isApplied: boolean,
): DeclaredObject {
  const { path, triggers, adopt, byName, body, spec } = entry;
  return {
    type,
    kind,
    name,
    path: String(path),
    triggers: (isPlainObject(triggers) ? triggers : {}) as DeclaredObject["triggers"],
    ...(adopt === true && { adopt }),
    ...(byName === true && { byName }),
    spec: (isPlainObject(spec) ? keptText(spec) : {}) as JsonObject,
    ...(isPlainObject(body) && {
      body: isApplied
        ? (keptText(body) as JsonObject)
        : shownBody({ prefix, type, kind, name, entry: entry as unknown as HookEntry }),
    }),
    ...(waited.has(idOf({ type, kind, name })) && { waitForReady: true }),
  };
}

/** Text with a template stays one expression. */
function withExpressions(value: unknown, expression: Expression): unknown {
  if (typeof value === "string") return isTemplate(value) ? expression(value) : withoutEscapes(value);
  if (Array.isArray(value)) return value.map((item) => withExpressions(item, expression));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [withoutEscapes(key) as string, withExpressions(item, expression)]),
  );
}

/** Their blocks show every argument in the plan, so that only the ids matter. */
function providerObjects(prefix: string, configuration: JsonObject, blocks: readonly ConfigurationBlock[]): DeclaredObject[] {
  const alias = platformOfPrefix(prefix);
  const provider = prefix ? `${PLUGIN_NAME}.${alias}` : PLUGIN_NAME;
  const carried = new Set(
    blocks.filter(({ body }) => isPlainObject(body) && body.provider === provider).map(({ address }) => address),
  );
  const waited = new Set(
    blocks
      .filter(({ address }) => address === `${PLUGIN_READY_TYPE}.${pluginReadyId(prefix)}`)
      .flatMap(({ body }) => (isPlainObject(body) && Array.isArray(body.wait_for) ? (body.wait_for as unknown[]) : [])),
  );
  return objectsByProvider(configuration)
    .filter(({ address }) => carried.has(address!))
    .map(({ type, kind, name, entry }) => ({
      type,
      kind,
      name,
      path: entry.path,
      spec: {},
      // Its digest is empty if Terraform knows some values only later.
      ...(!isTemplate(JSON.stringify(entry.triggers)) && { body: {} }),
      triggers: entry.triggers,
      ...(entry.adopt && { adopt: true }),
      ...(waited.has(idOf({ type, kind, name })) && { waitForReady: true }),
    }));
}

export function isRemoved(address: string): boolean {
  return address.startsWith(REMOVED);
}
