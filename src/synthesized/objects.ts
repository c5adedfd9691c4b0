import { schemaOf } from "../declarations/terraform/declaration-schema";
import { objectTypeOf } from "../declarations/types";
import { isPlainObject } from "../util/prop-path";
import type { JsonObject } from "../model/provider-type";
import { isTemplate, withoutEscapes } from "../terraform/template-text";
import { Expression, Unknown, type ObjectValue } from "../terraform/value";
import { blockAddress, parsePluginResourceType, PLUGIN_NAME, prefixOfPluginId } from "../contract/addresses";
import type { HookEntry } from "../contract/hook-protocol";
import { encodedLiteral } from "../contract/kept-text";
import { objectsWithHooks, type ObjectWithHooks } from "./objects-with-hooks";

export interface SynthesizedObject extends ObjectWithHooks {
  /** Of the object's own resource, which only the package's own provider has, as in `clusterplatform_capvs_cluster.prod`. */
  readonly address?: string;
}

/** @param synthesized the parsed `cdk.tf.json` */
export function synthesizedObjects(synthesized: unknown): SynthesizedObject[] {
  return [...objectsWithHooks(synthesized), ...objectsByProvider(synthesized)];
}

/** Converts the objects to the form that hooks have. */
export function objectsByProvider(synthesized: unknown): SynthesizedObject[] {
  const resources = (synthesized as { resource?: Resources } | undefined | null)?.resource ?? {};
  return Object.entries(resources).flatMap(([resourceType, blocks]) => {
    const declared = parsePluginResourceType(resourceType);
    if (!declared) return [];
    const schema = schemaOf(objectTypeOf(declared.type, declared.kind));
    return Object.entries(blocks).flatMap(([id, block]): SynthesizedObject[] => {
      const address = blockAddress(resourceType, id);
      const {
        name,
        provider_name: provider,
        declared_at: path,
        adopt,
        ...rest
      } = withoutEscapes(withUnknown(block)) as JsonObject;
      if (typeof name !== "string") return [];
      const value = { ...rest, name, provider_name: nameReferredTo(block.provider_name, resources) ?? provider ?? null };
      const fields = Object.entries(schema.fieldsOf(value as ObjectValue));
      const entry: HookEntry = {
        path: typeof path === "string" ? path : address,
        triggers: Object.fromEntries(fields.map(([field, of]) => [field, of instanceof Unknown ? EXPRESSION : of])),
        ...(adopt === true && { adopt: true }),
        spec: schema.declarationOf(value as ObjectValue),
      };
      return [{ ...declared, prefix: prefixOfPluginId(id, name) ?? "", name, address, entry }];
    });
  });
}

type Resources = Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;

/** Stands for the value of any token. */
const EXPRESSION = "${…}";

/** A cluster refers to the name of a provider in the same stack, which gives their order. */
function nameReferredTo(reference: unknown, resources: Resources): string | undefined {
  const [, resourceType = "", id = ""] = REFERENCE.exec(String(reference)) ?? [];
  const name = resources[resourceType]?.[id]?.name;
  return typeof name === "string" && !isTemplate(name) ? name : undefined;
}

const REFERENCE = new RegExp(`^\\$\\{(${PLUGIN_NAME}_\\w+)\\.([\\w-]+)\\.name\\}$`);

function expression(template: string): unknown {
  return encodedLiteral(template) ?? new Expression(withoutEscapes(template) as string);
}

/** Replaces text with an expression, whose value only Terraform knows. */
function withUnknown(value: unknown): unknown {
  if (typeof value === "string") return isTemplate(value) ? expression(value) : value;
  if (Array.isArray(value)) return value.map(withUnknown);
  return isPlainObject(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withUnknown(item)])) : value;
}
