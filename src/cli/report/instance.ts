import {
  blockAddress,
  isPluginIdOn,
  parseBlockId,
  parsePluginResourceType,
  parseSupportId,
  platformOfPrefix,
  PLUGIN_READY_TYPE,
  prefixOfPluginId,
  type SupportId,
} from "../../contract/addresses";
import { objectId } from "../../model/object-ref";
import type { Kind, TypeCode } from "../../model/provider-type";
import { textIn } from "./declared-fields";

/** The identity of a resource in Terraform's JSON of plans and states. */
export interface NamedResource {
  readonly address: string;
  readonly module_address?: string;
  readonly type: string;
  readonly name: string;
  readonly index?: unknown;
}

/** Both are empty for most Platforms. */
export interface PlatformId {
  readonly module: string;
  readonly prefix: string;
}

interface CarryingBlock {
  readonly platform: PlatformId;
  readonly kind: Kind;
  readonly type: TypeCode;
  /** Without the module, such as `null_resource.capvs_clusters`. */
  readonly block: string;
  readonly byProvider: boolean;
}

/** A provider or cluster, identified by the Terraform instance that carries it. */
export interface InstanceId extends CarryingBlock {
  readonly name: string;
  /** `type/kind/name`. */
  readonly id: string;
}

/**
 * Undefined for a resource that belongs to no Platform. The name comes from the values, because the destroy hook deletes the
 * object of that name. After `moved` or `terraform state mv` the key of an instance with hooks may differ from it.
 */
export function storedObject(resource: NamedResource, values: unknown): InstanceId | undefined {
  const name = textIn(resource, values, "name") ?? keyOf(resource);
  return name === undefined ? undefined : objectAt(resource, name);
}

/** Whether an instance with hooks can be deleted by its destroy hook. It has no declaration after `terraform import`. */
export function hasDeclaration(
  resource: Pick<NamedResource, "type">,
  values: unknown,
  { kind }: Pick<CarryingBlock, "kind">,
): boolean {
  const needed = kind === "clusters" ? (["name", "provider"] as const) : (["name"] as const);
  return needed.every((field) => textIn(resource, values, field) !== undefined);
}

/** An address that no object has, for one that is in the way of another one. */
export function aside(address: string): string {
  return address.replace(/(?:"\])?$/, "_aside$&");
}

/** The object with the name at the address of the resource. */
function objectAt(resource: NamedResource, name: string): InstanceId | undefined {
  return objectByProvider(resource, name) ?? objectInBlock(resource, name);
}

export function objectByProvider({ type: resourceType, name: id, module_address: module = "" }: NamedResource, name: string) {
  const declared = parsePluginResourceType(resourceType);
  if (!declared) return undefined;
  const platform = platformAt(module, prefixOfPluginId(id, name) ?? "");
  return objectIn({ ...declared, platform, block: blockAddress(resourceType, id), byProvider: true }, name);
}

/** For an instance of the Terraform provider whose address does not tell its Platform. No Platform in the code has this prefix. */
export const UNKNOWN_PLATFORM = "?_";

/**
 * `terraform state mv` may have given an instance of the Terraform provider the address of another object. Then the code tells
 * which Platforms the address may be of.
 * @param prefixes of the Platforms in the code
 */
export function amongPlatforms(id: InstanceId, prefixes: ReadonlySet<string>): InstanceId {
  if (!isAtAddressOfAnother(id)) return id;
  const fitting = [...prefixes].filter((prefix) => isPluginIdOn(prefix, resourceIdOf(id)));
  return { ...id, platform: platformAt("", fitting.length === 1 ? fitting[0]! : UNKNOWN_PLATFORM) };
}

/** Whether an instance of the Terraform provider has an address that the package does not give to its object. */
export function isAtAddressOfAnother(id: InstanceId): boolean {
  const { byProvider, platform, name } = id;
  return byProvider && platform.module === "" && prefixOfPluginId(resourceIdOf(id), name) === undefined;
}

function resourceIdOf({ block }: InstanceId): string {
  return block.slice(block.indexOf(".") + 1);
}

function objectInBlock(resource: NamedResource, name: string): InstanceId | undefined {
  const block = blockOf(resource);
  return block && objectIn(block, name);
}

/** Deployed state depends on the ids that this function parses. */
export function blockOf({ type: engine, name, module_address: module }: NamedResource): CarryingBlock | undefined {
  return carryingBlock(engine, name, module ?? "");
}

export function objectIn({ platform, kind, type, block, byProvider }: CarryingBlock, name: string): InstanceId {
  return { platform, kind, type, block, byProvider, name, id: objectId(type, kind, name) };
}

/** The engine's name in the code of a Platform. */
export type EngineName = "null_resource" | "terraform_data" | "provider";

export function engineOf({ byProvider }: CarryingBlock, { type }: Pick<NamedResource, "type">): EngineName {
  return byProvider ? "provider" : type === "null_resource" ? "null_resource" : "terraform_data";
}

/** Undefined if the key is a number or if there is none. */
export function keyOf({ index }: Pick<NamedResource, "index">): string | undefined {
  return typeof index === "string" ? index : undefined;
}

const KEY = String.raw`\[(?:"([^"\\]*(?:\\.[^"\\]*)*)"|\d+)\]`;
const ADDRESS = new RegExp(String.raw`^((?:module\.[^.["]+(?:${KEY})?\.)*)([^.["]+)\.([^.["]+)(?:${KEY})?$`);

/** For documents that have only addresses. Undefined for any text that is not the address of a managed resource. */
export function parseAddress(address: string): NamedResource | undefined {
  const [, module, , type, name, index] = (ADDRESS.exec(address) ?? []) as (string | undefined)[];
  if (type === undefined || name === undefined) return undefined;
  return { address, ...(module && { module_address: module.slice(0, -1) }), type, name, index };
}

/** Parsed blocks by engine, then by name and module. Documents have many instances but few blocks. */
const blocks: Readonly<Record<string, Map<string, CarryingBlock | undefined>>> = {
  null_resource: new Map(),
  terraform_data: new Map(),
};

function carryingBlock(engine: string, name: string, module: string): CarryingBlock | undefined {
  const known = Object.hasOwn(blocks, engine) ? blocks[engine] : undefined;
  if (!known) return undefined;
  const key = module === "" ? name : `${name} ${module}`;
  const found = known.get(key);
  if (found || known.has(key)) return found;
  const parsed = parseBlockId(name);
  const block = parsed && {
    platform: platformAt(module, parsed.prefix),
    kind: parsed.kind,
    type: parsed.type,
    block: blockAddress(engine, name),
    byProvider: false,
  };
  known.set(key, block);
  return block;
}

const platforms = new Map<string, PlatformId>();

/** Returns one object per Platform, so that the object can be the key of a map. */
function platformAt(module: string, prefix: string): PlatformId {
  const platform = { module, prefix };
  const key = platformKey(platform);
  if (!platforms.has(key)) platforms.set(key, platform);
  return platforms.get(key)!;
}

export interface SupportInstance extends Pick<SupportId, "resource" | "cluster"> {
  readonly platform: PlatformId;
}

/** Undefined for any other resource. A foreign resource may have such an id by chance. */
export function supportInstance({ type, name, module_address: module = "" }: NamedResource): SupportInstance | undefined {
  const support = parseSupportId(type, name);
  return support && { platform: { module, prefix: support.prefix }, resource: support.resource, cluster: support.cluster };
}

/**
 * Only resources of the package's own Terraform provider need no Platform that the document shows.
 * @param platforms {@link platformKey}s
 */
export function isSupportResource(resource: NamedResource, platforms: ReadonlySet<string>): boolean {
  const support = supportInstance(resource);
  return support !== undefined && (resource.type === PLUGIN_READY_TYPE || platforms.has(platformKey(support.platform)));
}

export function platformKey({ module, prefix }: PlatformId): string {
  return `${module} ${prefix}`;
}

/** For messages. Empty for the only Platform of a stack. */
export function platformName({ module, prefix }: PlatformId): string {
  return [module, platformOfPrefix(prefix)].filter(Boolean).join(" ");
}
