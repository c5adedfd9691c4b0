import { KINDS, singular, TYPE_CODES, type Kind, type TypeCode } from "../model/provider-type";

/**
 * Ids and addresses in Terraform. The ids of blocks and the keys of instances are a contract with deployed state and never
 * change. Only this module formats and parses them.
 */

const PLATFORM_NAME = "[a-z][a-z0-9_]{0,39}";
const TYPE = `(${TYPE_CODES.join("|")})`;
const CLUSTER_SUPPORT = `${TYPE}_cluster_(readiness|ready)`;
const RESERVED = new RegExp(`(?:^|_)${CLUSTER_SUPPORT}(?:_|$)`);

/** What a name of a Platform breaks; undefined where it is one, and its ids then differ from those of every other Platform. */
export function brokenPlatformNameRule(name: string): string | undefined {
  if (!new RegExp(`^${PLATFORM_NAME}$`).test(name)) {
    return "be lower-case letters, digits and '_', beginning with a letter, at most 40 characters";
  }
  const [, type, resource] = RESERVED.exec(name) ?? [];
  return type && `not contain '${type}_cluster_${resource}', which stands in the ids of this package's own resources`;
}

/** What the ids of all blocks of a Platform begin with. */
export function platformPrefix(name: string | undefined): string {
  return name ? `${name}_` : "";
}

/** The reverse of {@link platformPrefix}, with an empty name for the Platform without one. */
export function platformOfPrefix(prefix: string): string {
  return prefix.slice(0, -1);
}

/** A block whose instances carry the objects of one type and kind. */
export interface BlockId {
  /** Of the Platform. */
  readonly prefix: string;
  readonly type: TypeCode;
  readonly kind: Kind;
}

/** As in `eu_capvs_clusters`. */
export function blockId(prefix: string, type: TypeCode, kind: Kind): string {
  return `${prefix}${type}_${kind}`;
}

const BLOCK = new RegExp(`^((?:${PLATFORM_NAME}_)?)${TYPE}_(${KINDS.join("|")})$`);

export function parseBlockId(id: string): BlockId | undefined {
  const [, prefix, type, kind] = (BLOCK.exec(id) ?? []) as unknown as [string, string?, TypeCode?, Kind?];
  return prefix !== undefined && type && kind && isPrefix(prefix) ? { prefix, type, kind } : undefined;
}

/** As in `null_resource.capvs_clusters`; `engine` is the type of Terraform resource. */
export function blockAddress(engine: string, id: string): string {
  return `${engine}.${id}`;
}

export function parseBlockAddress(address: string): (BlockId & { readonly engine: string; readonly id: string }) | undefined {
  const [engine = "", id = "", ...rest] = address.split(".");
  const block = engine !== "" && rest.length === 0 ? parseBlockId(id) : undefined;
  return block && { engine, id, ...block };
}

/** Address of the block beside a block that carries the objects of the same type, but of another kind. */
export function blockOfKind(address: string, kind: Kind): string {
  const { engine, prefix, type } = parseBlockAddress(address)!;
  return blockAddress(engine, blockId(prefix, type, kind));
}

const TRIGGERS: Readonly<Record<string, string>> = { null_resource: "triggers", terraform_data: "triggers_replace" };

/** The attribute of an instance that holds what was declared. */
export function triggersAttribute(engine: string): string {
  return TRIGGERS[engine]!;
}

/** As in `null_resource.capvs_clusters["prod"]`, from the address or the id of the block. */
export function instanceAddress(block: string, name: string): string {
  return `${block}["${name}"]`;
}

/** The local with the declarations of a block, or with those of them that hold tokens. */
export function declarationsLocalId(block: string, which: "literal" | "with tokens"): string {
  return which === "literal" ? block : `${block}${WITH_TOKENS}`;
}

/** The id of the block whose declarations a local holds. */
export function blockOfDeclarationsLocal(id: string): string | undefined {
  const block = id.endsWith(WITH_TOKENS) ? id.slice(0, -WITH_TOKENS.length) : id;
  return parseBlockId(block) ? block : undefined;
}

const WITH_TOKENS = "_with_tokens";

/** What a Platform has besides its objects, all of them `terraform_data`. None of these ends in `_` and another one. */
export const SUPPORT_RESOURCES = [
  "orphan_check",
  "orphan_check_on_destroy",
  "deletion_guard",
  "protection",
  "readiness",
  "ready",
] as const;
export type SupportResource = (typeof SUPPORT_RESOURCES)[number];
export type ClusterSupportResource = "readiness" | "ready";

const SUPPORT_ENGINE = "terraform_data";

export function supportId(prefix: string, resource: SupportResource): string {
  return `${prefix}${resource}`;
}

/** Id of a resource that a Platform has for one of its clusters. */
export function clusterSupportId(prefix: string, type: TypeCode, resource: ClusterSupportResource, name: string): string {
  return `${prefix}${type}_cluster_${resource}_${encoded(name)}`;
}

export function supportAddress(id: string): string {
  return `${SUPPORT_ENGINE}.${id}`;
}

/** A resource that a Platform has besides its objects. */
export interface SupportId {
  /** Of the Platform. */
  readonly prefix: string;
  readonly resource: SupportResource;
  /** The cluster that it is there for; undefined for those of all objects. */
  readonly cluster?: { readonly type: TypeCode; readonly name: string };
}

const SUPPORT = new RegExp(`^((?:${PLATFORM_NAME}_)?)(${SUPPORT_RESOURCES.join("|")})$`);
const OF_CLUSTER = new RegExp(`^((?:${PLATFORM_NAME}_)?)${CLUSTER_SUPPORT}_((?:[A-Za-z0-9-]|_2e_|_5f_)+)$`);

/** @param engine type of the Terraform resource, of which the id alone does not tell whose it is */
export function parseSupportId(engine: string, id: string): SupportId | undefined {
  const support = engine === SUPPORT_ENGINE || engine === PLUGIN_READY_TYPE ? parseId(id) : undefined;
  return engine === PLUGIN_READY_TYPE && support?.resource !== "ready" ? undefined : support;
}

function parseId(id: string): SupportId | undefined {
  const [, prefix, resource] = (SUPPORT.exec(id) ?? []) as unknown as [string, string?, SupportResource?];
  if (prefix !== undefined && resource && isPrefix(prefix)) return { prefix, resource };
  return parseClusterSupportId(id);
}

function parseClusterSupportId(id: string): SupportId | undefined {
  const [, prefix, type, resource, name] = OF_CLUSTER.exec(id) ?? [];
  if (prefix === undefined || !isPrefix(prefix)) return undefined;
  return {
    prefix,
    resource: resource as ClusterSupportResource,
    cluster: { type: type as TypeCode, name: decoded(name!) },
  };
}

/** What the plugin is called in Terraform: the local name of the provider, with which the types of its resources begin. */
export const PLUGIN_NAME = "clusterplatform";

/** A name that no registry has, and that never resolves: Terraform finds the plugin in the folder of the stack alone. */
export const PLUGIN_SOURCE = "cluster-platform.invalid/cdktf/clusterplatform";

/** As in `clusterplatform_capvs_cluster`. */
export function pluginResourceType(type: TypeCode, kind: Kind): string {
  return `${PLUGIN_NAME}_${type}_${singular(kind)}`;
}

const PLUGIN_RESOURCE = new RegExp(`^${PLUGIN_NAME}_${TYPE}_(${KINDS.map(singular).join("|")})$`);

/** The reverse of {@link pluginResourceType}; undefined for any other type of resource. */
export function parsePluginResourceType(resourceType: string): Pick<BlockId, "type" | "kind"> | undefined {
  const [, type, kind] = PLUGIN_RESOURCE.exec(resourceType) ?? [];
  return type === undefined ? undefined : { type: type as TypeCode, kind: KINDS.find((each) => singular(each) === kind)! };
}

/** The type of the plugin's resources that wait for clusters. They have the ids of the support resources `ready`. */
export const PLUGIN_READY_TYPE = `${PLUGIN_NAME}_ready`;

/** Whether a type of resource is named like those of the plugin. A newer plugin may have types that are not known here. */
export function isPluginResourceType(resourceType: string): boolean {
  return resourceType.startsWith(`${PLUGIN_NAME}_`);
}

/** Id of the plugin's resource for an object. Terraform's ids begin with no digit. */
export function pluginResourceId(prefix: string, name: string): string {
  const id = encoded(name);
  return /^\d/.test(id) && prefix === "" ? `_${hexOf(id[0]!)}_${id.slice(1)}` : `${prefix}${id}`;
}

/**
 * The prefix of the Platform whose plugin resource for an object of this name has the id; undefined if the id is not one
 * that {@link pluginResourceId} formats, because a person has chosen it.
 */
export function prefixOfPluginId(id: string, name: string): string | undefined {
  if (id === pluginResourceId("", name)) return "";
  const prefix = id.slice(0, id.length - encoded(name).length);
  return prefix.endsWith("_") && isPrefix(prefix) && id === pluginResourceId(prefix, name) ? prefix : undefined;
}

const hexOf = (character: string) => character.charCodeAt(0).toString(16);

function isPrefix(prefix: string): boolean {
  return prefix === "" || brokenPlatformNameRule(platformOfPrefix(prefix)) === undefined;
}

/** The name of an object as a part of a Terraform id, which takes no dots; `_` stands for itself nowhere. */
function encoded(name: string): string {
  return name.replaceAll("_", "_5f_").replaceAll(".", "_2e_");
}

function decoded(text: string): string {
  return text.replace(/_(2e|5f)_/g, (_, code: string) => (code === "2e" ? "." : "_"));
}
