import { blockId, HOOK_RESOURCE_TYPES, instanceAddress, parseBlockId, triggersAttribute } from "../../../contract/addresses";
import { schemaOf } from "../../../declarations/terraform/declaration-schema";
import { toJson } from "../../../declarations/terraform/json";
import { objectTypeOf } from "../../../declarations/types";
import { baseUrlIn } from "../../../model/base-url";
import { isPlainObject } from "../../../util/prop-path";
import type { JsonObject } from "../../../model/provider-type";
import { blocksOf } from "../../../recognition/configuration-blocks";
import { objectsByProvider, type SynthesizedObject } from "../../../synthesized/objects";
import { objectsWithHooks } from "../../../synthesized/objects-with-hooks";
import { withoutWriteOnly } from "../../../terraform/attributes";
import { templatesIn, withoutEscapes } from "../../../terraform/template-text";
import { Unknown } from "../../../terraform/value";
import { groupedBy } from "../../report/grouped-by";
import { areSettings } from "../../report/recorded";

export interface ResourceBlock {
  /** As in `null_resource.capvs_clusters`. */
  readonly address: string;
  readonly type: string;
  readonly name: string;
  readonly body: Readonly<JsonObject>;
}

/** A resource instance of a synthesized stack. */
export interface Instance extends ResourceBlock {
  readonly key?: string;
  /** The flat declaration of a provider or cluster. An expression is in its place. */
  readonly fields?: Readonly<JsonObject>;
  /** What a plan shows of the instance, without what only Terraform can evaluate. */
  readonly values: Readonly<JsonObject>;
}

export function resourcesIn({ resource }: Readonly<JsonObject>): ResourceBlock[] {
  return blocksOf({ resource }).map(({ address, body }) => {
    const [type = "", name = ""] = address.split(".");
    return { address, type, name, body: isPlainObject(body) ? body : {} };
  });
}

/** @param stack the parsed `cdk.tf.json` */
export function instancesIn(stack: Readonly<JsonObject>): Instance[] {
  const withHooks = groupedBy(objectsWithHooks(stack), ({ prefix, type, kind }) => blockId(prefix, type, kind));
  const byProvider = new Map(objectsByProvider(stack).map((object) => [object.address, object]));
  const providers = new Map(blocksOf({ provider: stack.provider }).map(({ address, body }) => [address, body]));
  return resourcesIn(stack).flatMap((block): Instance[] => {
    const { address, type, name, body } = block;
    const object = byProvider.get(address);
    if (object) return [{ ...block, ...ofProvider(object, body, providers.get(`provider.${String(body.provider)}`)) }];
    if (!HOOK_RESOURCE_TYPES.includes(type) || !parseBlockId(name)) return [{ ...block, values: valuesOf(block, stack) }];
    return (withHooks.get(name) ?? []).map(({ name: key, entry }) => {
      const fields = Object.fromEntries(Object.entries(entry.triggers).map(([field, value]) => [field, textOf(value)]));
      const values = { [triggersAttribute(type)]: known(fields) };
      return { ...block, address: instanceAddress(address, key), key, fields, values };
    });
  });
}

const textOf = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
export const hasExpression = (value: unknown) => templatesIn(value).length > 0;

/** @param provider the block of the object's provider. It shows the URL of the service if the Platform has `url` */
function ofProvider({ type, kind, entry }: SynthesizedObject, body: Readonly<JsonObject>, provider: unknown) {
  const schema = schemaOf(objectTypeOf(type, kind));
  const fields = Object.entries(entry.triggers).map(([field, text]) => {
    return [field, hasExpression(text) ? body[String(schema.pathOf(field)[0])] : text] as const;
  });
  const shown = toJson(withoutWriteOnly(schema.attributes, schema.valueOf(entry.spec!)));
  const isKnown = (_: string, value: unknown) => (value instanceof Unknown ? undefined : value);
  const values = JSON.parse(JSON.stringify(shown, isKnown)) as JsonObject;
  const { deletion_protection, adopt, declared_at } = body;
  const service = isPlainObject(provider) && !hasExpression(provider.url) ? baseUrlIn(provider.url) : undefined;
  return {
    fields: Object.fromEntries(fields),
    values: { ...values, ...known({ deletion_protection, adopt, declared_at }), service },
  };
}

/** A list of the Platform's objects is in the local of the same name. */
function valuesOf({ name, body }: ResourceBlock, { locals }: Readonly<JsonObject>): JsonObject {
  const own = isPlainObject(locals) && Object.hasOwn(locals, name) ? locals[name] : undefined;
  const all = Object.entries(argumentsOf(body)).map(([argument, value]) => {
    const isOwn = value === `\${sensitive(local.${name})}` || String(value).startsWith(`\${sensitive(merge(local.${name}, `);
    return [argument, isOwn ? own : areSettings(value) ? known(value) : value];
  });
  return known(Object.fromEntries(all) as JsonObject);
}

function known(values: Readonly<JsonObject>): JsonObject {
  return withoutEscapes(Object.fromEntries(Object.entries(values).filter(([, value]) => !hasExpression(value)))) as JsonObject;
}

const META: ReadonlySet<string> = new Set([
  "//",
  "connection",
  "count",
  "depends_on",
  "for_each",
  "lifecycle",
  "provider",
  "provisioner",
]);

/** Without what is not an attribute of the resource. */
export function argumentsOf(body: Readonly<JsonObject>): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([argument]) => !META.has(argument)));
}
