import { Decoder, Encoder, ExtensionCodec } from "@msgpack/msgpack";
import { parseType, type Type } from "../../terraform/type";
import { Decimal, Dynamic, numberOf, Unknown, UNKNOWN, type ObjectValue, type Value } from "../../terraform/value";

/** A value in Terraform's protocol. Terraform writes stored states as JSON and all other values as MessagePack. */
export interface EncodedValue {
  readonly msgpack?: Uint8Array;
}

export class ValueError extends Error {
  constructor(
    /** Empty for the value itself. */
    readonly path: readonly (string | number)[],
    message: string,
  ) {
    super(path.length === 0 ? message : `${path.join(".")}: ${message}`);
  }
}

/** Terraform encodes unknown values as MessagePack extensions: type 0, or type 12 with a refinement. */
const extensionCodec = new ExtensionCodec();
extensionCodec.register({
  type: 0,
  encode: (value) => (value instanceof Unknown && value.refinement === undefined ? new Uint8Array([0]) : null),
  decode: () => UNKNOWN,
});
extensionCodec.register({
  type: 12,
  encode: (value) => (value instanceof Unknown ? (value.refinement ?? null) : null),
  decode: (data) => new Unknown(Uint8Array.from(data)),
});

const encoder = new Encoder({ extensionCodec, useBigInt64: true });
const decoder = new Decoder({ extensionCodec, useBigInt64: true });

/** @throws ValueError if the value does not have the type */
export function encode(type: Type, value: Value): EncodedValue {
  return { msgpack: encoder.encode(toWire(type, value, [])) };
}

/** @throws ValueError if the data is not a value of the type */
export function decode(type: Type, { msgpack }: EncodedValue = {}): Value {
  if (!msgpack?.length) return null;
  const raw = parsed(() => decoder.decode(msgpack));
  return fromWire(type, raw, []);
}

export function decodeObject(type: Type, encoded?: EncodedValue): ObjectValue | null {
  return decode(type, encoded) as ObjectValue | null;
}

/**
 * Decodes a state that another version of the schema may have written. Drops unknown attributes, and sets missing ones to null.
 * @throws ValueError if the data is not a value of the type
 */
export function decodeState(type: Type, json: Uint8Array): Value {
  return fromWire(type, pruned(type, parseJson(json)), []);
}

function pruned(type: Type, raw: unknown): unknown {
  if (typeof type === "string" || typeof raw !== "object" || raw === null) return raw;
  if (Array.isArray(raw)) return type[0] === "object" ? raw : raw.map((item, index) => pruned(elementType(type, index), item));
  const typeOf = (name: string) => (type[0] === "object" ? own(type[1], name) : (type[1] as Type));
  return Object.fromEntries(
    Object.entries(raw).flatMap(([name, item]) => {
      const of = typeOf(name);
      return of === undefined ? [] : [[name, pruned(of, item)]];
    }),
  );
}

/** Fractions and long numbers stay text, because JavaScript would round them. */
function parseJson(json: Uint8Array): unknown {
  const text = Buffer.from(json).toString();
  const exact = text.replace(/"(?:[^"\\]|\\.)*"|-?\d+([\d.eE+-]*)/g, (token, rest: string | undefined) =>
    rest === undefined || (rest === "" && token.length < 16) ? token : `"${token}"`,
  );
  return parsed(() => JSON.parse(exact));
}

function parsed<Result>(parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    throw new ValueError([], `the data cannot be read: ${(error as Error).message}`);
  }
}

type Path = readonly (string | number)[];

function toWire(type: Type, value: Value, path: Path): unknown {
  if (value === null || value instanceof Unknown) return value;
  if (type === "dynamic") {
    if (!(value instanceof Dynamic)) throw new ValueError(path, "must say its type");
    return [Buffer.from(JSON.stringify(value.type)), toWire(value.type, value.value, path)];
  }
  if (typeof type === "string") return primitiveToWire(type, value, path);
  if (type[0] === "object") {
    const attributes = type[1];
    const fields = expectObject(value, path);
    const extra = Object.keys(fields).find((name) => !Object.hasOwn(attributes, name));
    if (extra !== undefined) throw new ValueError([...path, extra], "is not an attribute here");
    return mapValues(attributes, (name, of) => toWire(of, own(fields, name) ?? null, [...path, name]));
  }
  if (type[0] === "map") {
    const of = type[1];
    return mapValues(expectObject(value, path), (key, item) => toWire(of, item, [...path, key]));
  }
  return expectArray(type, value, path).map((item, index) => toWire(elementType(type, index), item, [...path, index]));
}

function primitiveToWire(type: "string" | "number" | "bool", value: Value, path: Path): unknown {
  if (type === "string" && typeof value === "string") return value.toWellFormed();
  if (type === "bool" && typeof value === "boolean") return value;
  if (type === "number") {
    if (value instanceof Decimal) return value.text;
    if (typeof value === "bigint") return BigInt.asIntN(64, value) === value ? value : String(value);
    // A fraction is sent as text, so that Terraform reads the decimal number. The floating-point 0.1 is not exactly one tenth.
    if (typeof value === "number" && !Number.isNaN(value)) {
      return Number.isSafeInteger(value) || !Number.isFinite(value) ? value : String(value);
    }
  }
  throw mismatch(type, value, path);
}

function fromWire(type: Type, raw: unknown, path: Path): Value {
  if (raw === null || raw === undefined) return null;
  if (raw instanceof Unknown) return raw;
  if (type === "dynamic") return dynamicFromWire(raw, path);
  if (typeof type === "string") return primitiveFromWire(type, raw, path);
  if (type[0] === "object") {
    const attributes = type[1];
    const fields = expectObject(raw, path);
    const extra = Object.keys(fields).find((name) => !Object.hasOwn(attributes, name));
    if (extra !== undefined) throw new ValueError([...path, extra], "is not an attribute here");
    return mapValues(attributes, (name, of) => fromWire(of, own(fields, name), [...path, name]));
  }
  if (type[0] === "map") {
    const of = type[1];
    return mapValues(expectObject(raw, path), (key, item) => fromWire(of, item, [...path, key]));
  }
  return expectArray(type, raw, path).map((item, index) => fromWire(elementType(type, index), item, [...path, index]));
}

function primitiveFromWire(type: "string" | "number" | "bool", raw: unknown, path: Path): Value {
  if (type === "string" && typeof raw === "string") return raw;
  if (type === "bool" && typeof raw === "boolean") return raw;
  if (type === "number") {
    if (typeof raw === "number") return Number.isSafeInteger(raw) || !Number.isFinite(raw) ? raw : numberOf(exactText(raw));
    if (typeof raw === "bigint" || (typeof raw === "string" && raw.trim() !== "" && !Number.isNaN(Number(raw)))) {
      return numberOf(String(raw));
    }
  }
  throw mismatch(type, raw, path);
}

/** A dynamic value is a pair of type and value in MessagePack, and an object of both in JSON. */
function dynamicFromWire(raw: unknown, path: Path): Dynamic {
  const [type, value] = Array.isArray(raw)
    ? [JSON.parse(Buffer.from(raw[0] as Uint8Array).toString()) as unknown, raw[1] as unknown]
    : [(raw as { type: unknown }).type, (raw as { value: unknown }).value];
  const actual = parseType(type);
  return new Dynamic(actual, fromWire(actual, value, path));
}

function exactText(value: number): string {
  let power = 0;
  let scaled = value;
  for (; !Number.isInteger(scaled); scaled *= 2) power++;
  return `${BigInt(scaled) * 5n ** BigInt(power)}${power > 0 ? `e-${power}` : ""}`;
}

function elementType(type: Exclude<Type, string>, index: number): Type {
  return type[0] === "tuple" ? type[1][index]! : (type[1] as Type);
}

function expectArray(type: Exclude<Type, string>, value: unknown, path: Path): readonly never[] {
  if (!Array.isArray(value)) throw mismatch(type[0], value, path);
  if (type[0] === "tuple" && type[1].length !== value.length) {
    throw new ValueError(path, `must have ${type[1].length} elements, has ${value.length}`);
  }
  return value as never[];
}

function expectObject(value: unknown, path: Path): Readonly<Record<string, never>> {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Dynamic);
  if (!isObject || value instanceof Decimal) throw mismatch("object", value, path);
  return value as Record<string, never>;
}

function own<Item>(object: Readonly<Record<string, Item>>, key: string): Item | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function mapValues<From, To>(
  object: Readonly<Record<string, From>>,
  convert: (key: string, value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, convert(key, value)]));
}

function mismatch(wanted: string, value: unknown, path: Path): ValueError {
  // The message leaves the value out, because it may be a secret.
  return new ValueError(path, `must be a ${wanted}, is a ${Array.isArray(value) ? "list" : typeof value}`);
}
