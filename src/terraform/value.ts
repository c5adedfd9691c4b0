import type { Type } from "./type";

/** A value that is not known before something has been applied. */
export class Unknown {
  constructor(
    /** What is known of it all the same, that it is not null for example, as Terraform has encoded it. */
    readonly refinement?: Uint8Array,
  ) {}
}

export const UNKNOWN = new Unknown();

/** A number that a JavaScript number does not hold exactly. */
export class Decimal {
  constructor(
    /** In decimal notation, as in `0.1000000000000000000000001`. */
    readonly text: string,
  ) {}
}

/** A value of type `"dynamic"` whose type is known. */
export class Dynamic {
  constructor(
    readonly type: Type,
    readonly value: Value,
  ) {}
}

/**
 * A value of Terraform's language. Numbers are decimal: `0.1` is exactly one tenth, as it is in Terraform. Lists, sets and
 * tuples are arrays; maps and objects are objects.
 */
export type Value =
  null | boolean | string | number | bigint | Decimal | Unknown | Dynamic | readonly Value[] | { readonly [key: string]: Value };

/** The value of an object or a map, or of a whole resource. */
export type ObjectValue = { readonly [key: string]: Value };

/** Whether nothing in the value is unknown. */
export function isWhollyKnown(value: Value): boolean {
  if (value instanceof Unknown) return false;
  if (value instanceof Dynamic) return isWhollyKnown(value.value);
  if (typeof value !== "object" || value === null || value instanceof Decimal) return true;
  return Object.values(value).every(isWhollyKnown);
}

/** Whether two values of a type are the same to Terraform. The order of a set does not matter. */
export function isSame(type: Type, one: Value, other: Value): boolean {
  return one === other || canonical(type, one) === canonical(type, other);
}

/** The same text for the same value. */
function canonical(type: Type, value: Value): string {
  if (value === null) return "null";
  if (value instanceof Unknown) return `unknown(${Buffer.from(value.refinement ?? []).toString("hex")})`;
  if (type === "dynamic") {
    if (!(value instanceof Dynamic)) throw new TypeError("a value of type dynamic must say its type");
    return `${JSON.stringify(value.type)}${canonical(value.type, value.value)}`;
  }
  if (type === "number") return normalized(decimalText(value as number | bigint | Decimal));
  if (typeof type === "string") return JSON.stringify(value);
  const [kind] = type;
  if (kind === "object" || kind === "map") {
    const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    const typeOf = (name: string) => (type[0] === "object" ? type[1][name]! : (type[1] as Type));
    return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(typeOf(name), field)}`).join()}}`;
  }
  const typeAt = (index: number) => (type[0] === "tuple" ? type[1][index]! : (type[1] as Type));
  const items = (value as readonly Value[]).map((item, index) => canonical(typeAt(index), item));
  return `[${(kind === "set" ? [...new Set(items)].sort() : items).join()}]`;
}

/** A number in decimal notation. */
export function decimalText(value: number | bigint | Decimal): string {
  return value instanceof Decimal ? value.text : String(value);
}

/** The number that a text in decimal notation stands for: a JavaScript number wherever that is exact. */
export function numberOf(text: string): number | bigint | Decimal {
  const number = Number(text);
  if (Number.isNaN(number) || text.trim() === "") throw new TypeError(`${JSON.stringify(text)} is not a number`);
  if (/^-?\d+$/.test(text)) return Number.isSafeInteger(number) ? number : BigInt(text);
  return normalized(text) === normalized(String(number)) ? number : new Decimal(text);
}

/** The same text for the same number: its significant digits, and the power of ten that they are multiplied by. */
function normalized(text: string): string {
  const match = /^([-+]?)(\d*)\.?(\d*)(?:e([-+]?\d+))?$/i.exec(text);
  if (match === null) return text;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  return `${sign === "-" ? "-" : ""}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}
