import { fromJson } from "../../../src/declarations/terraform/json";
import { typeOf, type Attributes } from "../../../src/terraform/attributes";
import type { Type } from "../../../src/terraform/type";
import { Decimal, Dynamic, numberOf, Unknown, type ObjectValue, type Value } from "../../../src/terraform/value";

/** The evaluated arguments of a block as a value of its schema. Converts between scalars as Terraform does. */
export function configured(attributes: Attributes, given: Readonly<Record<string, unknown>>): ObjectValue {
  return converted(typeOf(attributes), given, "") as ObjectValue;
}

/** A value of the type that has every attribute, and whose sets are sorted. @throws TypeError if it does not fit */
export function conforming(attributes: Attributes, value: ObjectValue): ObjectValue {
  return conformed(typeOf(attributes), value, "") as ObjectValue;
}

function converted(type: Type, raw: unknown, path: string): Value {
  if (typeof type === "string" && raw !== undefined && raw !== null && typeof raw !== "object") {
    if (type === "string") return String(raw);
    if (type === "number" && typeof raw === "string") return numberOf(raw);
    if (type === "bool" && typeof raw === "string") return raw === "true";
  }
  return build(type, raw, path, converted);
}

function conformed(type: Type, value: unknown, path: string): Value {
  if (typeof type === "string" && type !== "dynamic" && value !== undefined && value !== null && !(value instanceof Unknown)) {
    const isOfType = type === "number" ? isNumber(value) : typeof value === (type === "bool" ? "boolean" : type);
    if (!isOfType) throw new TypeError(`${path}: must be a ${type}, is a ${typeof value}`);
  }
  if (type === "dynamic" && value !== undefined && value !== null && !(value instanceof Dynamic || value instanceof Unknown)) {
    throw new TypeError(`${path}: must say its type`);
  }
  return build(type, value, path, conformed);
}

function isNumber(value: unknown): boolean {
  return typeof value === "number" || typeof value === "bigint" || value instanceof Decimal;
}

function build(type: Type, raw: unknown, path: string, part: (type: Type, raw: unknown, path: string) => Value): Value {
  if (raw === null || raw === undefined) return null;
  if (raw instanceof Unknown || raw instanceof Dynamic) return raw;
  if (type === "dynamic") return fromJson(raw);
  if (typeof type === "string") return raw as Value;
  const [kind, of] = type;
  if (kind === "object" || kind === "map") {
    if (typeof raw !== "object" || Array.isArray(raw)) throw new TypeError(`${path}: must be an object`);
    const given = raw as Readonly<Record<string, unknown>>;
    const value: Record<string, Value> = {};
    if (kind === "map") {
      for (const key of Object.keys(given)) value[key] = part(of as Type, given[key], `${path}.${key}`);
      return value;
    }
    const types = of as Readonly<Record<string, Type>>;
    for (const name of Object.keys(given)) if (!(name in types)) throw new TypeError(`${path}.${name}: is not an attribute here`);
    for (const name of Object.keys(types)) value[name] = part(types[name]!, given[name], `${path}.${name}`);
    return value;
  }
  if (!Array.isArray(raw)) throw new TypeError(`${path}: must be a list`);
  const items = raw.map((item: unknown, index) =>
    part(kind === "tuple" ? (of as readonly Type[])[index]! : (of as Type), item, `${path}[${index}]`),
  );
  return kind === "set" ? sorted(items) : items;
}

/** Sets of texts are all that the provider has. */
function sorted(items: readonly Value[]): Value {
  return [...new Set(items)].sort();
}

/** The values must conform to one type. An unknown value equals an unknown value. */
export function isEqual(one: Value, other: Value): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (one instanceof Unknown || other instanceof Unknown) return one instanceof Unknown && other instanceof Unknown;
  if (one instanceof Decimal || other instanceof Decimal) {
    return one instanceof Decimal && other instanceof Decimal && one.text === other.text;
  }
  if (one instanceof Dynamic || other instanceof Dynamic) {
    return one instanceof Dynamic && other instanceof Dynamic && isEqual(one.value, other.value);
  }
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  const [before, after] = [one as ObjectValue, other as ObjectValue];
  return names.every((name) => name in after && isEqual(before[name]!, after[name]!));
}
