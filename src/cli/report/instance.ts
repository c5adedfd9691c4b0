import type { Declared } from "../../declarations/declaration";
import { blockAddress, objectId, parseBlockId, parseSupportId, platformOfPrefix, type SupportId } from "../../contract/addresses";
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
interface CarryingBlock {
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

/** Where each engine keeps what was declared. */
const TRIGGERS: Readonly<Record<string, string>> = { null_resource: "triggers", terraform_data: "triggers_replace" };

/** The object that a resource carries, by the ids that are a contract with deployed state; undefined for any other resource. */
export function instanceId({ type: engine, name, index, module_address: module }: NamedResource): InstanceId | undefined {
  if (typeof index !== "string") return undefined;
  const block = carryingBlock(engine, name, module ?? "");
  if (!block) return undefined;
  const { platform, kind, type } = block;
  return { platform, kind, type, block: block.block, name: index, id: objectId(type, kind, index) };
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
  return values === true ? true : ((values ?? {}) as JsonObject)[TRIGGERS[engine]!];
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
