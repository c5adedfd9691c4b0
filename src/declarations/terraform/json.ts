import { isSecretReference } from "../../model/secret-reference";
import type { Type } from "../../terraform/type";
import { decimalText, Dynamic, Unknown, type Decimal, type Value } from "../../terraform/value";

/** The type follows from the JSON. */
export function fromJson(json: unknown): Value {
  if (json === null || json instanceof Unknown) return json;
  const type = typeOfJson(json);
  return new Dynamic(type, json as Value);
}

function typeOfJson(json: unknown): Type {
  if (json === null || json instanceof Unknown) return "dynamic";
  if (Array.isArray(json)) return ["tuple", json.map(typeOfJson)];
  if (typeof json === "object") {
    return ["object", Object.fromEntries(Object.entries(json).map(([key, item]) => [key, typeOfJson(item)]))];
  }
  return typeof json === "number" ? "number" : typeof json === "boolean" ? "bool" : "string";
}

/** Unknown values stay unknown. */
export function toJson(value: Value): unknown {
  if (value instanceof Dynamic) return toJson(value.value);
  if (value === null || value instanceof Unknown || typeof value === "string" || typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== "object" || !isPlain(value)) return Number(decimalText(value as number | bigint | Decimal));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJson(item as Value)]));
}

function isPlain(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype;
}

/** Stands for a secret that is given by value. */
export const SECRET_PLACE = { $secret: { value: null } } as const;

/** With {@link SECRET_PLACE} for each secret that is given by value. */
export function withoutSecretValues(json: unknown): unknown {
  if (isSecretReference(json)) return "value" in json.$secret ? SECRET_PLACE : json;
  if (Array.isArray(json)) return json.map(withoutSecretValues);
  if (typeof json !== "object" || json === null || json instanceof Unknown) return json;
  return Object.fromEntries(Object.entries(json).map(([key, item]) => [key, withoutSecretValues(item)]));
}

/** Only the secrets that are given by value, each at its path. Lists become objects with indices as keys. */
export function onlySecretValues(json: unknown): unknown {
  if (isSecretReference(json)) return "value" in json.$secret ? json : undefined;
  if (typeof json !== "object" || json === null || json instanceof Unknown) return undefined;
  const kept = Object.entries(json).flatMap(([key, item]) => {
    const own = onlySecretValues(item);
    return own === undefined ? [] : [[key, own] as const];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** The strings outside of references, each of which is a secret in a write-only attribute. */
export function stringsIn(json: unknown): string[] {
  if (typeof json === "string") return [json];
  if (typeof json !== "object" || json === null || isSecretReference(json)) return [];
  return Object.values(json).flatMap(stringsIn);
}
