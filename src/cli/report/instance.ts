import {
  blockAddress,
  parseBlockId,
  parsePluginResourceType,
  parseSupportId,
  platformOfPrefix,
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

/** The Platform that carries an object: its module and the prefix of its ids. Both are empty for most Platforms. */
export interface PlatformId {
  readonly module: string;
  readonly prefix: string;
}

/** What all instances of a block have in common. */
export interface CarryingBlock {
  readonly platform: PlatformId;
  readonly kind: Kind;
  readonly type: TypeCode;
  /** Address of the block in Terraform without the module, such as `null_resource.capvs_clusters`. */
  readonly block: string;
  /** Whether the package's own Terraform provider carries the object, instead of a resource with hooks. */
  readonly byProvider: boolean;
}

/** A provider or cluster, identified by the Terraform instance that carries it. */
export interface InstanceId extends CarryingBlock {
  readonly name: string;
  /** `type/kind/name`. */
  readonly id: string;
}

/**
 * The object of an instance in a state; undefined for a resource that belongs to no Platform. The name comes from the
 * values, because the destroy hook deletes the object of that name. After `moved` or `terraform state mv` the key of an
 * instance with hooks may differ from the name.
 *
 * @param values the values of the instance in the state
 */
export function storedObject(resource: NamedResource, values: unknown): InstanceId | undefined {
  const name = textIn(resource, values, "name") ?? keyOf(resource);
  return name === undefined ? undefined : (objectByProvider(resource, name) ?? objectInBlock(resource, name));
}

/** The object with the given name, declared by a resource of the package's own Terraform provider. */
export function objectByProvider({ type: resourceType, name: id, module_address: module = "" }: NamedResource, name: string) {
  const declared = parsePluginResourceType(resourceType);
  if (!declared) return undefined;
  const platform = platformAt(module, prefixOfPluginId(id, name) ?? "");
  return objectIn({ ...declared, platform, block: blockAddress(resourceType, id), byProvider: true }, name);
}

function objectInBlock(resource: NamedResource, name: string): InstanceId | undefined {
  const block = blockOf(resource);
  return block && objectIn(block, name);
}

/** The block with hooks that an instance belongs to. Deployed state depends on the ids that this function parses. */
export function blockOf({ type: engine, name, module_address: module }: NamedResource): CarryingBlock | undefined {
  return carryingBlock(engine, name, module ?? "");
}

/** The object with the given name in a block. */
export function objectIn({ platform, kind, type, block, byProvider }: CarryingBlock, name: string): InstanceId {
  return { platform, kind, type, block, byProvider, name, id: objectId(type, kind, name) };
}

/** The engine that carries an object, by its name in the code of a Platform. */
export type EngineName = "null_resource" | "terraform_data" | "provider";

export function engineOf({ byProvider }: CarryingBlock, { type }: Pick<NamedResource, "type">): EngineName {
  return byProvider ? "provider" : type === "null_resource" ? "null_resource" : "terraform_data";
}

/** Key of an instance in its `for_each`; undefined if the key is a number or if there is none. */
export function keyOf({ index }: Pick<NamedResource, "index">): string | undefined {
  return typeof index === "string" ? index : undefined;
}

const KEY = String.raw`\[(?:"([^"\\]*(?:\\.[^"\\]*)*)"|\d+)\]`;
const ADDRESS = new RegExp(String.raw`^((?:module\.[^.["]+(?:${KEY})?\.)*)([^.["]+)\.([^.["]+)(?:${KEY})?$`);

/** Parses the address of a managed resource, for documents that have nothing but the address; undefined for any other text. */
export function parseAddress(address: string): NamedResource | undefined {
  const [, module, , type, name, index] = (ADDRESS.exec(address) ?? []) as (string | undefined)[];
  if (type === undefined || name === undefined) return undefined;
  return { address, ...(module && { module_address: module.slice(0, -1) }), type, name, index };
}

/** Cache of parsed blocks, by engine, then by name and module. Documents have many instances but few blocks. */
const blocks: Readonly<Record<string, Map<string, CarryingBlock | undefined>>> = {
  null_resource: new Map(),
  terraform_data: new Map(),
};

function carryingBlock(engine: string, name: string, module: string): CarryingBlock | undefined {
  const known = blocks[engine];
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

/** A support resource: a resource that a Platform has besides its objects. */
export interface SupportInstance extends Pick<SupportId, "resource" | "cluster"> {
  readonly platform: PlatformId;
}

/** Undefined for any other resource. A foreign resource may have such an id by chance. */
export function supportInstance({ type, name, module_address: module = "" }: NamedResource): SupportInstance | undefined {
  const support = parseSupportId(type, name);
  return support && { platform: { module, prefix: support.prefix }, resource: support.resource, cluster: support.cluster };
}

/** Whether a resource is a support resource of one of these Platforms, given by {@link platformKey}. */
export function isSupportResource(resource: NamedResource, platforms: ReadonlySet<string>): boolean {
  const support = supportInstance(resource);
  return support !== undefined && platforms.has(platformKey(support.platform));
}

export function platformKey({ module, prefix }: PlatformId): string {
  return `${module} ${prefix}`;
}

/** Module and name of a Platform, for messages; empty for the only Platform of a stack. */
export function platformName({ module, prefix }: PlatformId): string {
  return [module, platformOfPrefix(prefix)].filter(Boolean).join(" ");
}
