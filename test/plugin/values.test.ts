import { encode as packed } from "@msgpack/msgpack";
import fc from "fast-check";
import { decode, decodeState, encode, ValueError } from "../../src/plugin/values/codec";
import type { Type } from "../../src/terraform/type";
import { Decimal, Dynamic, isSame, isWhollyKnown, UNKNOWN, Unknown, type Value } from "../../src/terraform/value";

test("every value is the same after encoding and decoding", () => {
  fc.assert(
    fc.property(typed(), ([type, value]) => {
      const back = decode(type, encode(type, value));
      expect(isSame(type, back, value)).toBe(true);
      // Twice, because the first round may change the notation of a number or text.
      expect(encode(type, back)).toEqual(encode(type, decode(type, encode(type, back))));
    }),
    { numRuns: 200 },
  );
});

test("the comparison distinguishes values, and ignores the order of sets", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string()), fc.string(), (items, other) => {
      fc.pre(!items.includes(other));
      expect(isSame(["set", "string"], items, [...items].reverse())).toBe(true);
      expect(isSame(["set", "string"], items, [...items, other])).toBe(false);
      if (items.length > 1) expect(isSame(["list", "string"], items, [...items].reverse())).toBe(false);
    }),
  );
  expect(isSame("number", 1, new Decimal("1.0"))).toBe(true);
  expect(isSame("number", 0.1, new Decimal("0.10000000000000000000001"))).toBe(false);
  expect(isSame("string", null, "")).toBe(false);
  expect(isSame("string", UNKNOWN, null)).toBe(false);
  expect(isSame(["map", "string"], { a: "1", b: "2" }, { b: "2", a: "1" })).toBe(true);
});

/** The bytes that Terraform 1.11 writes. It considers a value unchanged only if it gets the same bytes back. */
test.each<[what: string, type: Type, hex: string, value: Value]>([
  ["null", "string", "c0", null],
  ["unknown", "string", "d40000", UNKNOWN],
  ["unknown, not null", "string", "c70 30c 81 01 c2".replaceAll(" ", ""), new Unknown(Buffer.from("8101c2", "hex"))],
  ["text", "string", "a3e282ac", "€"],
  ["a small number", "number", "07", 7],
  ["a negative number", "number", "d180 00".replace(" ", ""), -32768],
  ["an integer that JavaScript would round", "number", "cf7fffffffffffffff", 9223372036854775807n],
  [
    "an integer of more than 64 bits",
    "number",
    `b4${Buffer.from("12345678901234567890").toString("hex")}`,
    12345678901234567890n,
  ],
  ["one tenth", "number", `a3${Buffer.from("0.1").toString("hex")}`, 0.1],
  ["a dynamic value", "dynamic", `92c408${Buffer.from('"string"').toString("hex")}a161`, new Dynamic("string", "a")],
  ["an unknown of dynamic type", "dynamic", "d40000", UNKNOWN],
])("%s is decoded, and encoded to the same bytes", (_, type, hex, value) => {
  const msgpack = Uint8Array.from(Buffer.from(hex, "hex"));
  expect(decode(type, { msgpack })).toEqual(value);
  expect(Buffer.from(encode(type, value).msgpack!).toString("hex")).toBe(hex);
});

test("a floating-point number is decoded with all its digits", () => {
  const encoded = (number: number) => ({ msgpack: packed(number, { forceIntegerToFloat: true }) });
  expect(decode("number", encoded(0.5))).toBe(0.5);
  expect(decode("number", encoded(3))).toBe(3);
  expect(decode("number", encoded(0.1))).toEqual(new Decimal("1000000000000000055511151231257827021181583404541015625e-55"));
  expect(decode("number", encoded(2 ** 80))).toBe(2n ** 80n);
});

test("JSON of states is decoded by type, with all digits of numbers", () => {
  const type: Type = [
    "object",
    { n: "number", big: "number", tenth: "number", s: "string", any: "dynamic", l: ["list", "bool"] },
  ];
  const json = `{"n":3,"big":123456789012345678901234567890,"tenth":0.1,"s":"12345678901234567890, \\"0.12345678901234567890\\"",
    "any":{"type":["set","number"],"value":[1,2]},"l":[true,null]}`;
  expect(decodeState(type, Buffer.from(json))).toEqual({
    n: 3,
    big: 123456789012345678901234567890n,
    tenth: 0.1,
    s: '12345678901234567890, "0.12345678901234567890"',
    any: new Dynamic(["set", "number"], [1, 2]),
    l: [true, null],
  });
});

test("a state of another version is read as far as the schema has it", () => {
  const type: Type = ["object", { kept: "string", added: "number", nested: ["map", ["object", { kept: "bool" }]] }];
  const json = { kept: "a", removed: 1, nested: { x: { kept: true, removed: {} } } };
  const state = decodeState(type, Buffer.from(JSON.stringify(json)));
  expect(state).toEqual({ kept: "a", added: null, nested: { x: { kept: true } } });
  const encoded = { msgpack: packed(json) };
  expect(() => decode(type, encoded)).toThrow("removed: is not an attribute here");
});

test.each<[type: Type, value: unknown, message: string]>([
  ["string", 1, "must be a string, is a number"],
  ["number", "many", "must be a number, is a string"],
  ["number", NaN, "must be a number, is a number"],
  [["list", "bool"], [true, "secret"], "1: must be a bool, is a string"],
  [["object", { a: ["map", "string"] }], { a: { b: 1 } }, "a.b: must be a string, is a number"],
  [["object", { a: "string" }], { a: "", b: "" }, "b: is not an attribute here"],
  [["tuple", ["string"]], [], "must have 1 elements, has 0"],
  ["dynamic", "text", "must say its type"],
])("a handler's value that is not a %j is refused with its path", (type, value, message) => {
  expect(() => encode(type, value as Value)).toThrow(new ValueError([], message));
});

test.each([
  ["not MessagePack", "c1"],
  ["cut off", "93a1"],
  ["a key that JavaScript would take for something else", "81a95f5f70726f746f5f5fc0"],
  ["followed by more", "c0c0"],
])("data that is %s is refused", (_, hex) => {
  expect(() => decode(["map", "string"], { msgpack: Buffer.from(hex, "hex") })).toThrow("the data cannot be read");
});

test("half of a character is replaced, because Terraform has no such text", () => {
  expect(decode("string", encode("string", "a\ud800b"))).toBe("a\ufffdb");
});

test("a value is wholly known only if nothing in it is unknown", () => {
  expect(isWhollyKnown({ a: [1, null, new Dynamic("string", "x")] })).toBe(true);
  expect(isWhollyKnown({ a: [new Dynamic(["list", "string"], [UNKNOWN])] })).toBe(false);
});

function typed(): fc.Arbitrary<[Type, Value]> {
  return type().chain((of) => fc.tuple(fc.constant(of), valueOf(of)));
}

const name = fc.string().filter((text) => text !== "__proto__");

function type(): fc.Arbitrary<Type> {
  return fc.letrec<{ type: Type }>((tie) => ({
    type: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constantFrom<Type>("string", "number", "bool", "dynamic"),
      fc.tuple(fc.constantFrom("list" as const, "set" as const, "map" as const), tie("type")),
      fc.tuple(fc.constant("tuple" as const), fc.array(tie("type"), { maxLength: 3 })),
      fc.tuple(fc.constant("object" as const), fc.dictionary(name, tie("type"), { maxKeys: 4 })),
    ),
  })).type;
}

function valueOf(type: Type): fc.Arbitrary<Value> {
  return fc.oneof(
    { weight: 8, arbitrary: knownOf(type) },
    { weight: 1, arbitrary: fc.constantFrom(null, UNKNOWN, new Unknown(Buffer.from("8101c2", "hex"))) },
  );
}

function knownOf(type: Type): fc.Arbitrary<Value> {
  if (type === "string") return fc.string({ unit: "grapheme" });
  if (type === "bool") return fc.boolean();
  if (type === "number") {
    return fc.oneof(
      fc.integer(),
      fc.double({ noNaN: true }),
      fc.bigInt(),
      fc.tuple(fc.bigInt(), fc.nat(40)).map(([digits, power]) => new Decimal(`${digits}e-${power}`)),
    );
  }
  if (type === "dynamic") {
    return fc
      .constantFrom<Type>("string", ["list", "number"], ["object", { a: "bool" }])
      .chain((of) => knownOf(of).map((value) => new Dynamic(of, value)));
  }
  if (type[0] === "tuple") return fc.tuple(...type[1].map(valueOf));
  if (type[0] === "object") return fc.record(Object.fromEntries(Object.entries(type[1]).map(([key, of]) => [key, valueOf(of)])));
  if (type[0] === "map") return fc.dictionary(name, valueOf(type[1] as Type), { maxKeys: 4 });
  return fc.array(valueOf(type[1] as Type), { maxLength: 4 });
}
