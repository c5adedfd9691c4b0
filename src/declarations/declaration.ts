import { isPlainObject } from "../model/prop-path";
import type { JsonObject } from "../model/provider-type";
import type { ObjectType } from "./object-type";
import { isSecretReference } from "../model/secret-reference";
import { childKey } from "./trigger-keys";

/**
 * A flat declaration, keyed by prop: `controlPlane.count` → `"3"`. It is in Terraform's triggers and plans, and is compared with
 * the live object. State depends on these keys.
 */
export type Declared = Record<string, string>;

type Leaf = string | number | boolean | object;

/**
 * Leaves out values that equal their defaults, so that a release that adds a prop or changes a default replaces nothing, and
 * secrets, because a changed secret must not replace the object. `isLeaf` keeps tokens whole.
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

export function complete(type: ObjectType, spec: JsonObject): JsonObject {
  return fill(spec, type.defaults(spec)) as JsonObject;
}

/** The inverse of {@link complete}: only what the triggers have, and secrets. The order of a list of scalars does not matter. */
export function withoutDefaults(type: ObjectType, spec: JsonObject): JsonObject {
  return difference(spec, type.defaults(spec)) as JsonObject;
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
  if (value === undefined || isSecretReference(value)) return [];
  // Only `bodyOverrides` can hold null, which overrides a field there.
  if (value === null) return [[path, "null"]];
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

function renderServices(services: { preset: string } | { enabled: readonly string[] } | { disabled: readonly string[] }): string {
  if ("preset" in services) return services.preset;
  const list = (names: readonly string[]) => [...names].sort().join(", ") || "none";
  return "enabled" in services ? `only ${list(services.enabled)}` : `all but ${list(services.disabled)}`;
}
