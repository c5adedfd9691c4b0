import { definitionOf, type Schema } from "../../declarations/schema-definition";
import type { JsonObject } from "../../model/provider-type";
import { isToken } from "./tokens";

export interface TokenAt {
  readonly path: readonly PropertyKey[];
  readonly schema: Schema;
}

export function tokensOf(schema: Schema, value: unknown, path: readonly PropertyKey[] = []): TokenAt[] {
  const { type, innerType, shape, element } = definitionOf(schema);
  if (type === "optional") return tokensOf(innerType, value, path);
  if (isToken(value)) return [{ path, schema }];
  if (type === "array" && Array.isArray(value)) {
    return value.flatMap((item, index) => tokensOf(element, item, [...path, index]));
  }
  if (type !== "object" || typeof value !== "object" || value === null) return [];
  return Object.entries(shape).flatMap(([key, prop]) => tokensOf(prop, (value as JsonObject)[key], [...path, key]));
}
