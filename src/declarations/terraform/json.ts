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

/** Without secrets that are given by value. */
export function withoutSecretValues(json: unknown): unknown {
  return split(json, false);
}

/** Only the secrets that are given by value, each at its path. */
export function onlySecretValues(json: unknown): unknown {
  return split(json, true);
}

/**
 * The strings outside of references, each of which is a secret in a write-only attribute. A list with a secret by value is
 * write-only as a whole, so its other strings need not be secret.
 */
export function stringsIn(json: unknown): string[] {
  if (typeof json === "string") return [json];
  if (typeof json !== "object" || json === null || isSecretReference(json)) return [];
  return Array.isArray(json) && containsSecretValue(json) ? [] : Object.values(json).flatMap(stringsIn);
}

function split(value: unknown, secrets: boolean): unknown {
  if (isSecretReference(value)) return "value" in value.$secret === secrets ? value : undefined;
  if (Array.isArray(value)) {
    // A merge replaces lists as a whole. A list that holds a secret is therefore a secret as a whole.
    return containsSecretValue(value) === secrets ? value : undefined;
  }
  if (typeof value !== "object" || value === null || value instanceof Unknown) return secrets ? undefined : value;
  const kept = Object.entries(value).flatMap(([key, item]) => {
    const own = split(item, secrets);
    return own === undefined ? [] : [[key, own] as const];
  });
  return secrets && kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function containsSecretValue(value: unknown): boolean {
  if (isSecretReference(value)) return "value" in value.$secret;
  return typeof value === "object" && value !== null && Object.values(value).some(containsSecretValue);
}
