import { idOf } from "../model/object-ref";
import type { JsonObject } from "../model/provider-type";
import { addressesIn, templatesIn } from "../terraform/template-text";
import {
  blockAddress,
  blockId,
  HOOK_RESOURCE_TYPES,
  parseBlockId,
  parseSupportId,
  type BlockId,
  type SupportId,
} from "../contract/addresses";
import type { SynthesizedObject } from "./objects";

interface Elements {
  readonly resource?: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
  readonly data?: Readonly<Record<string, JsonObject>>;
  readonly module?: JsonObject;
}

/**
 * What Terraform creates before an object, sorted: objects as `type/kind/name`, and addresses of other resources, data sources and
 * modules. It follows `depends_on` and the references in the object's props. With hooks, all objects of a type and kind on a
 * Platform have the `depends_on` of their block.
 *
 * @param synthesized the parsed `cdk.tf.json`
 * @param objects all objects in it
 */
export function dependenciesOf(synthesized: unknown, objects: readonly SynthesizedObject[], object: SynthesizedObject): string[] {
  const elements = (synthesized ?? {}) as Elements;
  const own = ownBlocks(elements, object);
  const ofBlock = own.flatMap(({ depends_on: addresses }) => (Array.isArray(addresses) ? (addresses as string[]) : []));
  const texts = object.address === undefined ? [object.entry.spec] : own;
  const referred = texts.flatMap(templatesIn).flatMap(addressesIn);
  const found = [...ofBlock, ...referred.filter((address) => isElement(elements, address))].flatMap(
    (address) => objectsAt(address, objects, object) ?? [address],
  );
  return [...new Set(found)].filter((id) => id !== idOf(object)).sort();
}

/** The object's resource, or the blocks of its type and kind. */
function ownBlocks({ resource = {} }: Elements, { prefix, type, kind, address }: SynthesizedObject): JsonObject[] {
  const id = blockId(prefix, type, kind);
  const own = address === undefined ? HOOK_RESOURCE_TYPES.map((engine) => blockAddress(engine, id)) : [address];
  return own.flatMap((each): JsonObject[] => {
    const [resourceType = "", name = ""] = each.split(".");
    const block = resource[resourceType]?.[name];
    return block ? [block] : [];
  });
}

/** Undefined if this package has not made the resource at the address. */
function objectsAt(address: string, objects: readonly SynthesizedObject[], of: SynthesizedObject): string[] | undefined {
  const resource = objects.find((each) => each.address === address);
  if (resource) return [idOf(resource)];
  const [resourceType = "", id = ""] = address.split(".");
  const support = parseSupportId(resourceType, id);
  if (support) return objectsOf(support, objects, of);
  const block = HOOK_RESOURCE_TYPES.includes(resourceType) ? parseBlockId(id) : undefined;
  return block && inBlock(block, objects, of).map(idOf);
}

/** A resource that waits for clusters stands for them. Objects wait for the other support resources of their own Platform. */
function objectsOf(
  { prefix, resource, cluster }: SupportId,
  objects: readonly SynthesizedObject[],
  of: SynthesizedObject,
): string[] {
  if (cluster) return [idOf({ ...cluster, kind: "clusters" })];
  return resource === "ready" && prefix !== of.prefix ? objects.filter((each) => each.prefix === prefix).map(idOf) : [];
}

/** A block of clusters waits for whole blocks of providers. The cluster needs only its own provider in them. */
function inBlock(block: BlockId, objects: readonly SynthesizedObject[], of: SynthesizedObject): SynthesizedObject[] {
  const all = objects.filter(({ prefix, type, kind }) => prefix === block.prefix && type === block.type && kind === block.kind);
  if (of.kind !== "clusters" || block.kind !== "providers" || block.type !== of.type) return all;
  const own = all.filter(({ name }) => name === of.entry.triggers.provider);
  return own.length > 0 || block.prefix === of.prefix ? own : all;
}

function isElement({ resource = {}, data = {}, module = {} }: Elements, address: string): boolean {
  const [kind = "", type = "", id = ""] = address.split(".");
  if (kind === "data") return Object.hasOwn(data[type] ?? {}, id);
  return kind === "module" ? Object.hasOwn(module, type) : Object.hasOwn(resource[kind] ?? {}, type);
}
