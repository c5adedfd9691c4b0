import { requestBody, withoutDefaults } from "../declarations/declaration";
import type { ObjectType } from "../declarations/object-type";
import { secret, textOrSecret } from "../declarations/rules";
import { definitionOf } from "../declarations/schema-definition";
import { segmentsOf } from "../declarations/trigger-keys";
import { schemaOf } from "../declarations/terraform/declaration-schema";
import { objectTypeOf } from "../declarations/types";
import { unflatten } from "../declarations/unflatten";
import { ClusterPlatformError } from "../model/errors";
import { idOf } from "../model/object-ref";
import { isPlainObject, setOwn, valueAt } from "../util/prop-path";
import type { JsonObject } from "../model/provider-type";
import { isSecretReference, secretsIn, type SecretUse } from "../model/secret-reference";
import { isTemplate } from "../terraform/template-text";
import { Expression } from "../terraform/value";
import type { HookEntry } from "../contract/hook-protocol";
import type { SynthesizedObject } from "./objects";

export interface SynthesizedDeclaration {
  /**
   * The props, the same with every engine: defaults are left out, and lists whose order does not matter are sorted. A token is a
   * Terraform template.
   */
  readonly spec: JsonObject;
  /** The request body. */
  readonly body: JsonObject;
}

/** @throws INVALID_DOCUMENT if another version of this package has synthesized the object, and this one cannot read it */
export function declarationOf(object: SynthesizedObject): SynthesizedDeclaration {
  const type = objectTypeOf(object.type, object.kind);
  const { body, spec } = object.entry;
  const declared = withTemplates(body ? specOf(type, object, body) : spec) as JsonObject;
  return {
    spec: { ...inOrder(type, withoutDefaults(type, typed(type, declared))), ...overridesOf(declared) },
    body: body ?? requestBody(type, declared),
  };
}

/** The secrets of an object under the props that declare them, and not under the fields of the request body. */
export function declaredSecrets(object: SynthesizedObject): SecretUse[] {
  const { body, spec } = object.entry;
  const uses = secretsIn(body ?? spec);
  if (body === undefined || uses.length === 0) return uses;
  try {
    return secretsIn(specOf(objectTypeOf(object.type, object.kind), object, body));
  } catch {
    // Another version of this package has synthesized the object.
    return uses;
  }
}

/** The triggers have no secrets and no types of overrides. The request body has both. */
function specOf(type: ObjectType, object: SynthesizedObject, body: JsonObject): JsonObject {
  const { bodyOverrides: _, ...declared } = unflatten(type, textsOf(object.entry.triggers)) ?? refuse(object);
  const overridden = Object.keys(object.entry.triggers)
    .map(segmentsOf)
    .flatMap(([prop, ...path]) => (prop === "bodyOverrides" ? [path] : []));
  const origins = originsOfSecrets(type, declared);
  let spec: JsonObject = declared;
  for (const { path, reference } of secretsIn(body)) {
    spec = put(spec, origins.get(JSON.stringify(path)) ?? ["bodyOverrides", ...path], reference) as JsonObject;
  }
  for (const path of overridden) spec = put(spec, ["bodyOverrides", ...path], valueAt(body, path)) as JsonObject;
  return spec;
}

function textsOf(triggers: HookEntry["triggers"]): Record<string, string> {
  return Object.fromEntries(Object.entries(triggers).map(([key, value]) => [key, String(value)]));
}

/** The props of secrets by the places of their values in the request body. */
function originsOfSecrets(type: ObjectType, declared: JsonObject): ReadonlyMap<string, readonly PropertyKey[]> {
  const marked = withSecrets(type.spec, declared) as JsonObject;
  const props = new Map(secretsIn(marked).map(({ path, reference }) => [reference, path]));
  return new Map(
    secretsIn(requestBody(type, marked)).map(({ path, reference }) => [JSON.stringify(path), props.get(reference)!]),
  );
}

/** Fills every secret that a declaration lacks. */
function withSecrets(schema: ObjectType["spec"], value: unknown): unknown {
  const { type, innerType, shape, element } = definitionOf(schema);
  if (schema === secret || schema === textOrSecret) return value ?? { $secret: { env: "any" } };
  if (type === "optional") return withSecrets(innerType, value);
  if (type === "array" && Array.isArray(value)) return value.map((item) => withSecrets(element, item));
  if (type !== "object" || (value !== undefined && !isPlainObject(value))) return value;
  const filled = Object.entries(shape)
    .map(([key, field]) => [key, withSecrets(field, value?.[key])] as const)
    .filter(([, item]) => item !== undefined);
  return filled.length === 0 ? value : { ...value, ...Object.fromEntries(filled) };
}

/** A copy with `value` at the path. */
function put(root: unknown, [key, ...rest]: readonly PropertyKey[], value: unknown): unknown {
  if (key === undefined) return value;
  const copy: unknown = Array.isArray(root) ? [...(root as unknown[])] : typeof key === "number" ? [] : { ...(root as object) };
  const owner = copy as Record<PropertyKey, unknown>;
  setOwn(owner, key, put(Object.hasOwn(owner, key) ? owner[key] : undefined, rest, value));
  return copy;
}

/** Values have the types that Terraform gives them. For example, triggers have a union of text and a boolean as text. */
function typed(type: ObjectType, { bodyOverrides: _, ...declared }: JsonObject): JsonObject {
  const schema = schemaOf(type);
  return withTemplates(schema.declarationOf(schema.valueOf(withExpressions(declared) as JsonObject))) as JsonObject;
}

function withExpressions(value: unknown): unknown {
  if (typeof value === "string") return isTemplate(value) ? new Expression(value) : value;
  if (Array.isArray(value)) return value.map(withExpressions);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withExpressions(item)]));
}

function withTemplates(value: unknown): unknown {
  if (value instanceof Expression) return value.template;
  if (Array.isArray(value)) return value.map(withTemplates);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withTemplates(item)]));
}

function inOrder(type: ObjectType, spec: JsonObject): JsonObject {
  const keys = new Map(type.structure.map(({ prop, key }) => [prop, key]));
  return Object.fromEntries(
    Object.entries(spec).map(([prop, value]) => {
      const key = keys.get(prop);
      return [prop, key !== undefined && Array.isArray(value) ? sortedBy(key, value.map(sorted)) : sorted(value)];
    }),
  );
}

function sortedBy(key: string, elements: readonly unknown[]): unknown[] {
  const nameOf = (element: unknown) => String((element as JsonObject)[key]);
  return [...elements].sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
}

/** Lists of scalars are sets. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.some((item) => typeof item === "object") ? value.map(sorted) : [...value].sort();
  if (!isPlainObject(value) || isSecretReference(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, sorted(item)]));
}

/** In the user's own JSON, the order of a list matters. */
function overridesOf({ bodyOverrides }: JsonObject): { bodyOverrides?: unknown } {
  return bodyOverrides === undefined ? {} : { bodyOverrides };
}

function refuse(object: SynthesizedObject): never {
  throw new ClusterPlatformError(
    "INVALID_DOCUMENT",
    `the declaration of ${idOf(object)} cannot be read: another version of cdktf-cluster-platform has synthesized it; synthesize again`,
  );
}
