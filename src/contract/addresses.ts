import type { ObjectRef } from "../model/object-ref";
import { KINDS, singular, TYPE_CODES, type Kind, type TypeCode } from "../model/provider-type";

/** Deployed state has these ids of blocks and keys of instances. Never change them, and format or parse them only here. */

const PLATFORM_NAME = "[a-z][a-z0-9_]{0,39}";
const TYPE = `(${TYPE_CODES.join("|")})`;
const CLUSTER_READY = `${TYPE}_cluster_ready`;
const RESERVED = new RegExp(`(?<=^|_)${CLUSTER_READY}(?=_|$)`);

/** Undefined if the name is valid. Valid names make the ids of all Platforms distinct. */
export function brokenPlatformNameRule(name: string): string | undefined {
  if (!new RegExp(`^${PLATFORM_NAME}$`).test(name)) {
    return "be lower-case letters, digits and '_', beginning with a letter, at most 40 characters";
  }
  const [reserved] = RESERVED.exec(name) ?? [];
  return reserved && `not contain '${reserved}', which this package's own resources use in their ids`;
}

export function platformPrefix(name: string | undefined): string {
  return name ? `${name}_` : "";
}

/** Empty for the empty prefix. */
export function platformOfPrefix(prefix: string): string {
  return prefix.slice(0, -1);
}

export interface BlockId {
  readonly prefix: string;
  readonly type: TypeCode;
  readonly kind: Kind;
}

/** For example `eu_capvs_clusters`. */
export function blockId(prefix: string, type: TypeCode, kind: Kind): string {
  return `${prefix}${type}_${kind}`;
}

const BLOCK = new RegExp(`^((?:${PLATFORM_NAME}_)?)${TYPE}_(${KINDS.join("|")})$`);

export function parseBlockId(id: string): BlockId | undefined {
  const [, prefix, type, kind] = (BLOCK.exec(id) ?? []) as unknown as [string, string?, TypeCode?, Kind?];
  return prefix !== undefined && type && kind && isPrefix(prefix) ? { prefix, type, kind } : undefined;
}

/** For example `null_resource.capvs_clusters`. `engine` is the Terraform resource type. */
export function blockAddress(engine: string, id: string): string {
  return `${engine}.${id}`;
}

export function parseBlockAddress(address: string): (BlockId & { readonly engine: string; readonly id: string }) | undefined {
  const [engine = "", id = "", ...rest] = address.split(".");
  const block = engine !== "" && rest.length === 0 ? parseBlockId(id) : undefined;
  return block && { engine, id, ...block };
}

/** The block for the other kind of objects of the same Platform and type. */
export function blockOfKind(address: string, kind: Kind): string {
  const { engine, prefix, type } = parseBlockAddress(address)!;
  return blockAddress(engine, blockId(prefix, type, kind));
}

const TRIGGERS: Readonly<Record<string, string>> = { null_resource: "triggers", terraform_data: "triggers_replace" };

/** The Terraform resource types of blocks with hooks. */
export const HOOK_RESOURCE_TYPES: readonly string[] = Object.keys(TRIGGERS);

export function triggersAttribute(engine: string): string {
  return TRIGGERS[engine]!;
}

/** For example `null_resource.capvs_clusters["prod"]`. `block` is the address or the id of the block. */
export function instanceAddress(block: string, name: string): string {
  return `${block}["${name}"]`;
}

/** Declarations with tokens have a local of their own. */
export function declarationsLocalId(block: string, which: "literal" | "with tokens"): string {
  return which === "literal" ? block : `${block}${WITH_TOKENS}`;
}

/** Undefined for other locals. */
export function blockOfDeclarationsLocal(id: string): string | undefined {
  const block = id.endsWith(WITH_TOKENS) ? id.slice(0, -WITH_TOKENS.length) : id;
  return parseBlockId(block) ? block : undefined;
}

const WITH_TOKENS = "_with_tokens";

/** Resources of the hooks without an object, all `terraform_data`. No entry ends in `_` and another entry, so that ids can be parsed. */
export const SUPPORT_RESOURCES = ["orphan_check", "orphan_check_on_destroy", "ready", "protection"] as const;
export type SupportResource = (typeof SUPPORT_RESOURCES)[number];

const SUPPORT_ENGINE = "terraform_data";
/** Shows the owner of a stack whose resources these are. The type of the provider's resources shows it already. */
const OWNER = "cluster_platform_";

/** For example `cluster_platform_eu_orphan_check`. */
export function supportId(prefix: string, resource: SupportResource): string {
  return `${OWNER}${prefix}${resource}`;
}

/** For example `cluster_platform_eu_capvs_cluster_ready_prod`. */
export function clusterReadyId(prefix: string, { type, name }: Pick<ObjectRef, "type" | "name">): string {
  return `${OWNER}${ofCluster(prefix, type, name)}`;
}

function ofCluster(prefix: string, type: TypeCode, name: string): string {
  return `${prefix}${type}_cluster_ready_${encoded(name)}`;
}

export function supportAddress(id: string): string {
  return `${SUPPORT_ENGINE}.${id}`;
}

export interface SupportId {
  readonly prefix: string;
  readonly resource: SupportResource;
  /** Undefined if the resource belongs to the whole Platform. */
  readonly cluster?: { readonly type: TypeCode; readonly name: string };
}

const SUPPORT = new RegExp(`^((?:${PLATFORM_NAME}_)?)(${SUPPORT_RESOURCES.join("|")})$`);
const OF_CLUSTER = new RegExp(`^((?:${PLATFORM_NAME}_)?)${CLUSTER_READY}_((?:[A-Za-z0-9-]|_2e_|_5f_)+)$`);

/** @param engine the Terraform resource type. Another type may use the same id for something else */
export function parseSupportId(engine: string, id: string): SupportId | undefined {
  if (engine === SUPPORT_ENGINE) return id.startsWith(OWNER) ? parseId(id.slice(OWNER.length)) : undefined;
  const support = engine === PLUGIN_READY_TYPE ? parseId(id) : undefined;
  return support?.resource === "ready" ? support : undefined;
}

function parseId(id: string): SupportId | undefined {
  const [, prefix, resource] = (SUPPORT.exec(id) ?? []) as unknown as [string, string?, SupportResource?];
  if (prefix !== undefined && resource && isPrefix(prefix)) return { prefix, resource };
  const [, before, type, name] = OF_CLUSTER.exec(id) ?? [];
  if (before === undefined || !isPrefix(before)) return undefined;
  return { prefix: before, resource: "ready", cluster: { type: type as TypeCode, name: decoded(name!) } };
}

/** The local name of the Terraform provider, and the prefix of its resource types. */
export const PLUGIN_NAME = "clusterplatform";

/** The host never resolves, so Terraform finds the provider only in the stack's folder. */
export const PLUGIN_SOURCE = "cluster-platform.invalid/cdktf/clusterplatform";

/** For example `clusterplatform_capvs_cluster`. */
export function pluginResourceType(type: TypeCode, kind: Kind): string {
  return `${PLUGIN_NAME}_${type}_${singular(kind)}`;
}

const PLUGIN_RESOURCE = new RegExp(`^${PLUGIN_NAME}_${TYPE}_(${KINDS.map(singular).join("|")})$`);

/** Undefined for any other type of resource. */
export function parsePluginResourceType(resourceType: string): Pick<BlockId, "type" | "kind"> | undefined {
  const [, type, kind] = PLUGIN_RESOURCE.exec(resourceType) ?? [];
  return type === undefined ? undefined : { type: type as TypeCode, kind: KINDS.find((each) => singular(each) === kind)! };
}

/** Waits for clusters with the provider engine. */
export const PLUGIN_READY_TYPE = `${PLUGIN_NAME}_ready`;

/** For example `eu_ready` for all clusters of a Platform, and `eu_capvs_cluster_ready_prod` for one. */
export function pluginReadyId(prefix: string, cluster?: Pick<ObjectRef, "type" | "name">): string {
  return cluster ? ofCluster(prefix, cluster.type, cluster.name) : `${prefix}ready`;
}

export const PLUGIN_DATA_TYPES = {
  clusters: `${PLUGIN_NAME}_clusters`,
  providers: `${PLUGIN_NAME}_providers`,
  cluster: `${PLUGIN_NAME}_cluster`,
  provider: `${PLUGIN_NAME}_provider`,
} as const;

/** A newer plugin may have types that this version does not know. */
export function isPluginResourceType(resourceType: string): boolean {
  return resourceType.startsWith(`${PLUGIN_NAME}_`);
}

/** A leading digit is encoded, because Terraform's ids must not begin with one. */
export function pluginResourceId(prefix: string, name: string): string {
  const id = encoded(name);
  return /^\d/.test(id) && prefix === "" ? `_${hexOf(id[0]!)}_${id.slice(1)}` : `${prefix}${id}`;
}

/** Undefined if {@link pluginResourceId} does not format this id, because a person has chosen it. */
export function prefixOfPluginId(id: string, name: string): string | undefined {
  if (id === pluginResourceId("", name)) return "";
  const prefix = id.slice(0, id.length - encoded(name).length);
  return prefix.endsWith("_") && isPrefix(prefix) && id === pluginResourceId(prefix, name) ? prefix : undefined;
}

/** Whether {@link pluginResourceId} formats this id for an object of some name on the Platform. */
export function isPluginIdOn(prefix: string, id: string): boolean {
  return id.startsWith(prefix) && ENCODED.test(id.slice(prefix.length));
}

const ENCODED = /^(?:[A-Za-z0-9-]|_(?:2e|5f|3\d)_)+$/;

const hexOf = (character: string) => character.charCodeAt(0).toString(16);

function isPrefix(prefix: string): boolean {
  return prefix === "" || brokenPlatformNameRule(platformOfPrefix(prefix)) === undefined;
}

/** Terraform ids must not have dots. `_` is encoded too, so that the result can be decoded. */
function encoded(name: string): string {
  return name.replaceAll("_", "_5f_").replaceAll(".", "_2e_");
}

function decoded(text: string): string {
  return text.replace(/_(2e|5f)_/g, (_, code: string) => (code === "2e" ? "." : "_"));
}
