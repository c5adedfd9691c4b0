import type { Declared } from "../../declarations/declaration";
import {
  blockAddress,
  parseBlockId,
  parseSupportId,
  platformOfPrefix,
  triggersAttribute,
  type SupportId,
} from "../../contract/addresses";
import { objectId } from "../../model/object-ref";
import type { JsonObject, Kind, TypeCode } from "../../model/provider-type";

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
}

/** A provider or cluster, as the Terraform instance that carries it says. */
export interface InstanceId extends CarryingBlock {
  readonly name: string;
  /** `type/kind/name`. */
  readonly id: string;
}

/**
 * The object that an instance in a state stands for; undefined for a resource that no Platform carries. The name in its
 * triggers counts, because its destroy hook deletes what has that name; its key may be another one after `moved` or
 * `terraform state mv`.
 *
 * @param values of the instance in the state
 */
export function storedObject(resource: NamedResource, values: unknown): InstanceId | undefined {
  const block = blockOf(resource);
  const name = trigger(resource.type, values, "name") ?? keyOf(resource);
  return block && name !== undefined ? objectIn(block, name) : undefined;
}

/** The block that an instance belongs to, by the ids that are a contract with deployed state. */
export function blockOf({ type: engine, name, module_address: module }: NamedResource): CarryingBlock | undefined {
  return carryingBlock(engine, name, module ?? "");
}

/** The object of a name that the hooks of a block create and delete. */
export function objectIn({ platform, kind, type, block }: CarryingBlock, name: string): InstanceId {
  return { platform, kind, type, block, name, id: objectId(type, kind, name) };
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
    platform: { module, prefix: parsed.prefix },
    kind: parsed.kind,
    type: parsed.type,
    block: blockAddress(engine, name),
  };
  known.set(key, block);
  return block;
}

/** The attribute of an instance that holds its triggers, of its values or of a mask over them. */
export function triggersOf(engine: string, values: unknown): unknown {
  return values === true ? true : ((values ?? {}) as JsonObject)[triggersAttribute(engine)];
}

/** One of the triggers of an instance; undefined where it is not set, not known or no text. */
export function trigger(engine: string, values: unknown, key: string): string | undefined {
  const triggers = triggersOf(engine, values) as JsonObject | undefined | null;
  const value = typeof triggers === "object" && triggers !== null && Object.hasOwn(triggers, key) ? triggers[key] : undefined;
  return typeof value === "string" ? value : undefined;
}

/** Triggers as the flat text they are; undefined where they are not known, or not a map. */
export function readTriggers(triggers: unknown): Declared | undefined {
  if (typeof triggers !== "object" || triggers === null || Array.isArray(triggers)) return undefined;
  // Without a prototype, so that a key such as `constructor` is absent where nobody declared it.
  const declared = Object.create(null) as Declared;
  for (const [key, value] of Object.entries(triggers)) {
    if (value !== null) declared[key] = typeof value === "string" ? value : JSON.stringify(value);
  }
  return declared;
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
