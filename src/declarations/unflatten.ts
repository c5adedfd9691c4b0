import { isPlainObject, setOwn } from "../util/prop-path";
import type { JsonObject } from "../model/provider-type";
import type { FlatDeclaration } from "./declaration";
import type { ObjectType } from "./object-type";
import { asDeclared } from "./rules";
import { segmentsOf } from "./trigger-keys";

/** Makes the props of fields that a live object shows. Some may be missing, and some may belong to another type. */
export function unflatten(type: ObjectType, declared: FlatDeclaration): JsonObject {
  const nested: JsonObject = {};
  for (const [key, text] of Object.entries(declared)) {
    const [prop, ...rest] = segmentsOf(key);
    if (prop === "services") nested.services = readServices(text);
    else put(nested, prop!, rest, text);
  }
  for (const { prop, key } of type.structure) {
    if (key !== undefined && isPlainObject(nested[prop])) nested[prop] = elements(nested[prop], key);
  }
  return asDeclared(type.spec, withLists(type, nested)) as JsonObject;
}

function put(into: JsonObject | unknown[], step: string | number, rest: readonly (string | number)[], value: unknown): void {
  const present = Object.hasOwn(into, step) ? (into as JsonObject)[step] : undefined;
  const [next, ...deeper] = rest;
  if (next === undefined) {
    if (present === undefined || present === null) setOwn(into, step, value);
    return;
  }
  // So far, this element had only its name and was stored as text. It has more fields, so it becomes an object.
  const element = typeof present === "object" && present !== null ? present : typeof next === "number" ? [] : {};
  setOwn(into, step, element);
  put(element as JsonObject | unknown[], next, deeper, value);
}

function elements(byName: JsonObject, key: string): JsonObject[] {
  return Object.entries(byName).map(([name, item]) => (isPlainObject(item) ? { [key]: name, ...item } : { [key]: name }));
}

/** The schema wants lists of scalars where the flat declaration has text. */
function withLists(type: ObjectType, spec: JsonObject): JsonObject {
  const result = type.spec.safeParse(spec);
  if (result.success) return spec;
  for (const issue of result.error.issues) {
    if (issue.code !== "invalid_type" || issue.expected !== "array") continue;
    const owner = issue.path.slice(0, -1).reduce<unknown>((at, key) => (at as JsonObject)[key as string], spec) as JsonObject;
    const key = issue.path.at(-1) as string;
    if (typeof owner[key] === "string") owner[key] = owner[key] === "" ? [] : owner[key].split(", ");
  }
  return spec;
}

function readServices(text: string): JsonObject {
  const [, how, names = ""] = /^(only|all but) (.*)$/.exec(text) ?? [];
  if (how === undefined) return { preset: text };
  return { [how === "only" ? "enabled" : "disabled"]: names === "none" ? [] : names.split(", ") };
}
