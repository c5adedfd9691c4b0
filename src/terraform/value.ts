import type { Type } from "./type";

/** A value that Terraform knows only after apply. */
export class Unknown {
  constructor(
    /** For example that the value is not null, in Terraform's encoding. */
    readonly refinement?: Uint8Array,
  ) {}
}

export const UNKNOWN = new Unknown();

/** An expression in a configuration. */
export class Expression extends Unknown {
  constructor(
    /** A template, such as `${var.count}`, without escapes. */
    readonly template: string,
  ) {
    super();
  }
}

/** A number without an exact JavaScript number. */
export class Decimal {
  constructor(
    /** Decimal notation, such as `0.1000000000000000000000001`. */
    readonly text: string,
  ) {}
}

/** A value of type `"dynamic"` with its actual type. */
export class Dynamic {
  constructor(
    readonly type: Type,
    readonly value: Value,
  ) {}
}

/** A number is the decimal that it prints as: `0.1` is exactly one tenth. Lists, sets and tuples are arrays. */
export type Value =
  null | boolean | string | number | bigint | Decimal | Unknown | Dynamic | readonly Value[] | { readonly [key: string]: Value };

/** An object, a map or a resource. */
export type ObjectValue = { readonly [key: string]: Value };

export function isWhollyKnown(value: Value): boolean {
  if (value instanceof Unknown) return false;
  if (value instanceof Dynamic) return isWhollyKnown(value.value);
  if (typeof value !== "object" || value === null || value instanceof Decimal) return true;
  return Object.values(value).every(isWhollyKnown);
}

/** The order of a set does not matter. */
export function isSame(type: Type, one: Value, other: Value): boolean {
  return one === other || canonical(type, one) === canonical(type, other);
}

/** Equal values have equal text. */
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

export function decimalText(value: number | bigint | Decimal): string {
  return value instanceof Decimal ? value.text : String(value);
}

/** A JavaScript number if that is exact. */
export function numberOf(text: string): number | bigint | Decimal {
  const number = Number(text);
  if (Number.isNaN(number) || text.trim() === "") throw new TypeError(`${JSON.stringify(text)} is not a number`);
  if (/^-?\d+$/.test(text)) return Number.isSafeInteger(number) ? number : BigInt(text);
  return normalized(text) === normalized(String(number)) ? number : new Decimal(text);
}

/** Equal numbers have equal text: the significant digits and a power of ten. */
function normalized(text: string): string {
  const match = /^([-+]?)(\d*)\.?(\d*)(?:e([-+]?\d+))?$/i.exec(text);
  if (match === null) return text;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  return `${sign === "-" ? "-" : ""}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}
