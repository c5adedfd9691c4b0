import { isPlainObject } from "../util/prop-path";
import type { JsonObject } from "../model/provider-type";
import type { ObjectType } from "./object-type";
import { isSecretReference } from "../model/secret-reference";
import { childKey } from "./trigger-keys";

/**
 * A flat declaration, keyed by prop: `controlPlane.count` → `"3"`. It is in Terraform's triggers and plans, and is compared with
 * the live object. State depends on these keys.
 */
export type FlatDeclaration = Record<string, string>;

/** The prop whose fields are JSON in a flat declaration. */
export const OVERRIDES = "bodyOverrides";

/** Stands for a secret in {@link OVERRIDES}. It is not JSON, so no other value looks like it. */
export const SECRET_TEXT = "(secret)";

type Leaf = string | number | boolean | object;

/**
 * Leaves out values that equal their defaults, so that a release that adds a prop or changes a default replaces nothing, and
 * the values of secrets, because a changed secret must not replace the object. `isLeaf` keeps tokens whole. A list in
 * {@link OVERRIDES} that holds tokens is kept whole, too.
 */
export function flatten(
  type: ObjectType,
  spec: JsonObject,
  isLeaf: (value: unknown) => boolean = () => false,
): Record<string, Leaf> {
  const keys = new Map(type.structure.map(({ prop, key }) => [prop, key]));
  const defaults = Object.fromEntries(entries(type.defaults(spec), isLeaf, keys, spec));
  return Object.fromEntries(entries(spec, isLeaf, keys).filter(([key, value]) => defaults[key] !== value));
}

/** The same as Terraform keeps it: every value is text. */
export function flatDeclaration(type: ObjectType, spec: JsonObject): FlatDeclaration {
  return Object.fromEntries(Object.entries(flatten(type, spec)).map(([key, value]) => [key, String(value)]));
}

export function complete(type: ObjectType, spec: JsonObject): JsonObject {
  return fill(spec, type.defaults(spec)) as JsonObject;
}

/** The inverse of {@link complete}: only what the triggers have, and secrets. The order of a list of scalars does not matter. */
export function withoutDefaults(type: ObjectType, spec: JsonObject): JsonObject {
  return withRequiredLists(type, difference(spec, type.defaults(spec)) as JsonObject);
}

/** A flat declaration has no key for a required list that is empty, such as the `workers` of a cluster that has none. */
export function withRequiredLists({ structure }: ObjectType, spec: JsonObject): JsonObject {
  const lists = structure.filter(({ prop, isList, isOptional }) => isList && !isOptional && spec[prop] === undefined);
  return { ...spec, ...Object.fromEntries(lists.map(({ prop }) => [prop, []])) };
}

/** The user's `bodyOverrides` are merged last. */
export function requestBody(type: ObjectType, spec: JsonObject): JsonObject {
  return merge(type.body(complete(type, spec)), (spec.bodyOverrides ?? {}) as JsonObject) as JsonObject;
}

function fill(declared: unknown, defaults: unknown): unknown {
  if (declared === undefined) return defaults;
  if (Array.isArray(declared) && Array.isArray(defaults) && defaults.some(isPlainObject)) {
    return declared.map((item, index) => fill(item, defaults[index]));
  }
  if (!isPlainObject(declared) || !isPlainObject(defaults)) return declared;
  const keys = new Set([...Object.keys(declared), ...Object.keys(defaults)]);
  return Object.fromEntries([...keys].map((key) => [key, fill(declared[key], defaults[key])]));
}

function difference(declared: unknown, defaults: unknown): unknown {
  if (Array.isArray(declared) && Array.isArray(defaults)) return declared.map((item, index) => difference(item, defaults[index]));
  if (!isPlainObject(declared) || !isPlainObject(defaults)) return declared;
  const fields = Object.entries(declared)
    .filter(([key, item]) => item !== undefined && !isSame(item, defaults[key]))
    .map(([key, item]) => [key, difference(item, defaults[key])] as const);
  // Triggers do not have an object without fields.
  return Object.fromEntries(fields.filter(([, item]) => !isPlainObject(item) || Object.keys(item).length > 0));
}

function isSame(one: unknown, other: unknown): boolean {
  const text = (value: unknown) => JSON.stringify(Array.isArray(value) && !value.some(isPlainObject) ? [...value].sort() : value);
  return text(one) === text(other);
}

/** Merges secrets over the JSON that has their places. An object with indices as keys is merged into a list. */
export function mergeSecrets(open: unknown, secrets: unknown): unknown {
  if (!isPlainObject(secrets) || isSecretReference(secrets)) return merge(open, secrets);
  if (Array.isArray(open) && Object.keys(secrets).every((key) => Object.hasOwn(open, key) && key !== "length")) {
    return open.map((item, index) => (Object.hasOwn(secrets, index) ? mergeSecrets(item, secrets[index]) : (item as unknown)));
  }
  if (!isPlainObject(open) || isSecretReference(open)) return merge(open, secrets);
  const keys = new Set([...Object.keys(open), ...Object.keys(secrets)]);
  return Object.fromEntries([...keys].map((key) => [key, mergeSecrets(open[key], secrets[key])]));
}

export function merge(body: unknown, overrides: unknown): unknown {
  if (overrides === undefined) return body;
  if (!isPlainObject(body) || !isPlainObject(overrides) || isSecretReference(overrides)) return overrides;
  const keys = new Set([...Object.keys(body), ...Object.keys(overrides)]);
  return Object.fromEntries([...keys].map((key) => [key, merge(body[key], overrides[key])]));
}

/**
 * @param keys for lists whose elements are identified by a field: the name of that field
 * @param names where the elements of lists take their names from, if not from themselves
 */
function entries(
  value: unknown,
  isLeaf: (value: unknown) => boolean,
  keys: ReadonlyMap<string, string | undefined>,
  names: unknown = value,
  path = "",
): [string, Leaf][] {
  if (value === undefined || value === null || isSecretReference(value)) return [];
  if (path === OVERRIDES) return overrideEntries(value, isLeaf, path);
  if (path === "services" && !isLeaf(value)) return [[path, renderServices(value as Parameters<typeof renderServices>[0])]];
  if (isLeaf(value) || typeof value !== "object") return [[path, value as Leaf]];
  if (!Array.isArray(value)) {
    return Object.entries(value).flatMap(([key, item]) =>
      entries(item, isLeaf, keys, (names as JsonObject | undefined)?.[key], childKey(path, key)),
    );
  }
  if (value.every((item) => typeof item !== "object" && !isLeaf(item))) return [[path, [...value].sort().join(", ")]];
  return value.flatMap((item, index) => {
    const named = (names as unknown[] | undefined)?.[index] ?? item;
    const identity = keys.get(path);
    const name = identity === undefined || !isPlainObject(named) ? undefined : named[identity];
    if (identity === undefined || typeof name !== "string" || isLeaf(name)) {
      return entries(item, isLeaf, keys, named, childKey(path, index));
    }
    const { [identity]: own, ...rest } = item as JsonObject;
    const place = childKey(path, name);
    const details = entries(rest, isLeaf, keys, named, place);
    // An element that has only its identity, such as a host without labels, needs an entry, too.
    return details.length === 0 && own !== undefined ? [[place, ""]] : details;
  });
}

/**
 * `bodyOverrides` are JSON of any form. Two of them have the same entries only if they are the same JSON. A secret has an entry
 * without its value, because the request changes when a secret is added or removed.
 */
function overrideEntries(value: unknown, isLeaf: (value: unknown) => boolean, path: string): [string, Leaf][] {
  if (isSecretReference(value)) return [[path, SECRET_TEXT]];
  if (isLeaf(value)) return [[path, value as Leaf]];
  if (typeof value !== "object" || value === null) return [[path, jsonText(value)]];
  const items: unknown[] = Object.values(value);
  if (Array.isArray(value)) {
    if (items.some((item) => typeof item === "object" && item !== null && !isLeaf(item)))
      return items.flatMap((item, index) => overrideEntries(item, isLeaf, childKey(path, index)));
    return [[path, items.some(isLeaf) ? value : jsonText(value)]];
  }
  // Without a field, nothing is merged.
  if (items.length === 0) return path === OVERRIDES ? [] : [[path, "{}"]];
  return Object.entries(value as JsonObject).flatMap(([key, item]) =>
    item === undefined ? [] : overrideEntries(item, isLeaf, childKey(path, key)),
  );
}

/** Letters that join the next character. Terraform misses a quote or a backslash after them when it reads the stack. */
const JOINING =
  /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e\u{110bd}\u{110cd}\u{111c2}\u{111c3}\u{1193f}\u{11941}\u{11a3a}\u{11a84}-\u{11a89}\u{11d46}\u{11f02}]/gu;

/** In the same characters as Terraform's jsonencode(), so that a token may replace a literal, but without joining letters. */
function jsonText(value: unknown): string {
  return JSON.stringify(value)
    .replace(/[<>&\u2028\u2029]/g, escaped)
    .replace(JOINING, escaped);
}

function escaped(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

function renderServices(services: { preset: string } | { enabled: readonly string[] } | { disabled: readonly string[] }): string {
  if ("preset" in services) return services.preset;
  const list = (names: readonly string[]) => [...names].sort().join(", ") || "none";
  return "enabled" in services ? `only ${list(services.enabled)}` : `all but ${list(services.disabled)}`;
}
