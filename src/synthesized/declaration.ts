import { requestBody, withoutDefaults } from "../declarations/declaration";
import type { ObjectType } from "../declarations/object-type";
import { schemaOf } from "../declarations/terraform/declaration-schema";
import { objectTypeOf } from "../declarations/types";
import { isPlainObject } from "../util/prop-path";
import type { JsonObject } from "../model/provider-type";
import { isSecretReference } from "../model/secret-reference";
import { isTemplate } from "../terraform/template-text";
import { Expression } from "../terraform/value";
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

export function declarationOf({ type, kind, entry }: SynthesizedObject): SynthesizedDeclaration {
  const objectType = objectTypeOf(type, kind);
  const declared = withTemplates(entry.spec) as JsonObject;
  return {
    spec: { ...inOrder(objectType, withoutDefaults(objectType, typed(objectType, declared))), ...overridesOf(declared) },
    body: requestBody(objectType, declared),
  };
}

/** Values have the types that Terraform gives them. For example, a union of text and a boolean is text. */
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
