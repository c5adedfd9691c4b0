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

/** A resource as Terraform's JSON documents, plans and states alike, name it. */
export interface NamedResource {
  readonly address: string;
  readonly module_address?: string;
  readonly type: string;
  readonly name: string;
  readonly index?: unknown;
}

/** The Platform that carries an object: the module it is in and the prefix of its ids, both empty for most. */
export interface PlatformId {
  readonly module: string;
  readonly prefix: string;
}

/** What all instances of a block have in common. */
export interface CarryingBlock {
  readonly platform: PlatformId;
  readonly kind: Kind;
  readonly type: TypeCode;
  /** Of the block in Terraform, as in `null_resource.capvs_clusters`, without the module. */
  readonly block: string;
  /** Whether the package's own Terraform provider carries the object, and not a resource with hooks. */
  readonly byProvider: boolean;
}

/** A provider or cluster, as the Terraform instance that carries it says. */
export interface InstanceId extends CarryingBlock {
  readonly name: string;
  /** `type/kind/name`. */
  readonly id: string;
}

/**
 * The object that an instance in a state stands for; undefined for a resource that no Platform carries. The name among its
 * values counts, because that is deleted; the key of an instance with hooks may be another one after `moved` or `terraform
 * state mv`.
 *
 * @param values of the instance in the state
 */
export function storedObject(resource: NamedResource, values: unknown): InstanceId | undefined {
  const name = textIn(resource, values, "name") ?? keyOf(resource);
  return name === undefined ? undefined : (objectByProvider(resource, name) ?? objectInBlock(resource, name));
}

/** The object of a name that a resource of the package's own Terraform provider declares. */
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

/** The block with hooks that an instance belongs to, by the ids that are a contract with deployed state. */
export function blockOf({ type: engine, name, module_address: module }: NamedResource): CarryingBlock | undefined {
  return carryingBlock(engine, name, module ?? "");
}

/** The object of a name that a block carries. */
export function objectIn({ platform, kind, type, block, byProvider }: CarryingBlock, name: string): InstanceId {
  return { platform, kind, type, block, byProvider, name, id: objectId(type, kind, name) };
}

/** What carries an object, as the `engine` of its Platform is called. */
export type EngineName = "null_resource" | "terraform_data" | "provider";

/** @param resource that carries it */
export function engineOf({ byProvider }: CarryingBlock, { type }: Pick<NamedResource, "type">): EngineName {
  return byProvider ? "provider" : type === "null_resource" ? "null_resource" : "terraform_data";
}

/** Key of an instance in its `for_each`; undefined where it has another key, or none. */
export function keyOf({ index }: Pick<NamedResource, "index">): string | undefined {
  return typeof index === "string" ? index : undefined;
}

const KEY = String.raw`\[(?:"([^"\\]*(?:\\.[^"\\]*)*)"|\d+)\]`;
const ADDRESS = new RegExp(String.raw`^((?:module\.[^.["]+(?:${KEY})?\.)*)([^.["]+)\.([^.["]+)(?:${KEY})?$`);

/** The parts of an address of a managed resource, where a document holds the address alone; undefined for any other text. */
export function parseAddress(address: string): NamedResource | undefined {
  const [, module, , type, name, index] = (ADDRESS.exec(address) ?? []) as (string | undefined)[];
  if (type === undefined || name === undefined) return undefined;
  return { address, ...(module && { module_address: module.slice(0, -1) }), type, name, index };
}

/** Instances are many, blocks are few: by engine, then by name and module. */
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

/** The same for the same Platform, so that what is found out about it can be kept beside it. */
function platformAt(module: string, prefix: string): PlatformId {
  const platform = { module, prefix };
  const key = platformKey(platform);
  if (!platforms.has(key)) platforms.set(key, platform);
  return platforms.get(key)!;
}

/** One of the resources that a Platform has besides its objects. */
export interface SupportInstance extends Pick<SupportId, "resource" | "cluster"> {
  readonly platform: PlatformId;
}

/** Undefined for any other resource. Somebody else's resource may have such an id, too. */
export function supportInstance({ type, name, module_address: module = "" }: NamedResource): SupportInstance | undefined {
  const support = parseSupportId(type, name);
  return support && { platform: { module, prefix: support.prefix }, resource: support.resource, cluster: support.cluster };
}

/** Whether a resource is one that one of these Platforms, by {@link platformKey}, has besides its objects. */
export function isSupportResource(resource: NamedResource, platforms: ReadonlySet<string>): boolean {
  const support = supportInstance(resource);
  return support !== undefined && platforms.has(platformKey(support.platform));
}

export function platformKey({ module, prefix }: PlatformId): string {
  return `${module} ${prefix}`;
}

/** Name and module of a Platform as people know it; empty for the only one of a stack. */
export function platformName({ module, prefix }: PlatformId): string {
  return [module, platformOfPrefix(prefix)].filter(Boolean).join(" ");
}
