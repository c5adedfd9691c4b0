import type { Type } from "./type";
import type { ObjectValue, Value } from "./value";

/** An argument or attribute in Terraform's sense. */
export type Attribute = {
  readonly description?: string;
  readonly required?: boolean;
  readonly optional?: boolean;
  readonly computed?: boolean;
  /** Terraform hides the value in its output, but stores it in the state. */
  readonly sensitive?: boolean;
  /** Stored in neither state nor plan. Needs Terraform 1.11 or OpenTofu 1.11. */
  readonly writeOnly?: boolean;
} & ({ readonly type: Type } | { readonly nested: Nested });

export interface Nested {
  readonly nesting: "single" | "list" | "set" | "map";
  readonly attributes: Attributes;
}

export type Attributes = Readonly<Record<string, Attribute>>;

const types = new WeakMap<Attributes, Type>();

/** The type of an object with these attributes. It is made once, because every request to the provider needs it. */
export function typeOf(attributes: Attributes): Type {
  const known = types.get(attributes);
  if (known !== undefined) return known;
  const entries = Object.entries(attributes).map(([name, attribute]) => [name, attributeType(attribute)] as const);
  const type = ["object", Object.fromEntries(entries)] as const;
  types.set(attributes, type);
  return type;
}

function attributeType(attribute: Attribute): Type {
  if ("type" in attribute) return attribute.type;
  const { nesting, attributes } = attribute.nested;
  return nesting === "single" ? typeOf(attributes) : [nesting, typeOf(attributes)];
}

/** Names of attributes, indices of lists, keys of maps. */
export type AttributePath = readonly (string | number | { readonly key: string })[];

/** In Terraform's language, such as `workers["gpu"].count`. */
export function renderAttributePath(path: AttributePath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === "string") return text === "" ? step : `${text}.${step}`;
    return `${text}[${typeof step === "number" ? step : JSON.stringify(step.key)}]`;
  }, "");
}

/** States and plans must have null for write-only attributes. */
export function withoutWriteOnly(attributes: Attributes, value: ObjectValue): ObjectValue {
  if (!hasWriteOnly(attributes)) return value;
  return Object.fromEntries(
    Object.entries(attributes).map(([name, attribute]) => {
      const own = value[name] ?? null;
      if (attribute.writeOnly) return [name, null];
      return [name, "nested" in attribute ? inElements(attribute.nested, own) : own];
    }),
  );
}

function inElements({ nesting, attributes }: Nested, value: Value): Value {
  if (nesting === "single") return isObject(value) ? withoutWriteOnly(attributes, value) : value;
  if (Array.isArray(value)) return value.map((item: Value) => (isObject(item) ? withoutWriteOnly(attributes, item) : item));
  if (!isObject(value)) return value;
  const items = Object.entries(value).map(([key, item]) => [key, isObject(item) ? withoutWriteOnly(attributes, item) : item]);
  return Object.fromEntries(items) as ObjectValue;
}

export interface WriteOnlyValue {
  readonly path: AttributePath;
  readonly value: Value;
}

/** The write-only attributes that have a value. */
export function writeOnlyIn(attributes: Attributes, value: ObjectValue, path: AttributePath = []): WriteOnlyValue[] {
  if (!hasWriteOnly(attributes)) return [];
  return Object.entries(attributes).flatMap(([name, attribute]) => {
    const own = value[name] ?? null;
    const at = [...path, name];
    if (own === null) return [];
    if (attribute.writeOnly) return [{ path: at, value: own }];
    if (!("nested" in attribute)) return [];
    const { nesting, attributes: nested } = attribute.nested;
    return elements(nesting, own).flatMap(([step, item]) =>
      isObject(item) ? writeOnlyIn(nested, item, step === undefined ? at : [...at, step]) : [],
    );
  });
}

/** An element of a set has no step. */
function elements(nesting: Nested["nesting"], value: Value): [step: AttributePath[number] | undefined, item: Value][] {
  if (nesting === "single") return [[undefined, value]];
  if (Array.isArray(value)) return value.map((item: Value, index) => [nesting === "list" ? index : undefined, item]);
  return isObject(value) ? Object.entries(value).map(([key, item]) => [{ key }, item]) : [];
}

function hasWriteOnly(attributes: Attributes): boolean {
  return Object.values(attributes).some(
    (attribute) => attribute.writeOnly || ("nested" in attribute && hasWriteOnly(attribute.nested.attributes)),
  );
}

function isObject(value: Value): value is ObjectValue {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
