import { randomBytes } from "node:crypto";
import { compressed, fitsIntoHook } from "../../src/constructs/hook-engine/destroy-hooks";
import { CHUNK_CHARACTERS } from "../../src/contract/hook-protocol";
import { asSnapshot, changeBetween, digestOf } from "../../src/contract/snapshot";

const isToken = (value: unknown) => value === "${token}";
const digest = (triggers: Record<string, unknown>) => digestOf(triggers, isToken);
const objects = (all: Record<string, Record<string, unknown>>) => ({
  objects: Object.fromEntries(Object.entries(all).map(([id, triggers]) => [id, digest(triggers)])),
});
const replaced = (before: Record<string, unknown>, after: Record<string, unknown>) =>
  changeBetween(objects({ prod: before }), objects({ prod: after })).replaced;

const declared = { name: "prod", "controlPlane.count": 3, podSubnet: "10.0.0.0/8" };

test.each<[string, Record<string, unknown>, Record<string, unknown>, string[]]>([
  ["in nothing but the order of the fields", declared, Object.fromEntries(Object.entries(declared).reverse()), []],
  ["in a number that was text, which Terraform keeps alike", declared, { ...declared, "controlPlane.count": "3" }, []],
  ["in another form of Unicode, which Terraform does not keep", { note: "e\u0301" }, { note: "\u00e9" }, []],
  ["in a value", declared, { ...declared, "controlPlane.count": 5 }, ["prod"]],
  ["in a field that comes", declared, { ...declared, ingress: "apps" }, ["prod"]],
  ["in a literal beside a token", { a: "1", b: "${token}" }, { a: "2", b: "${token}" }, ["prod"]],
  ["in a literal that becomes a token, which may come to the same", { a: "1", b: "1" }, { a: "1", b: "${token}" }, []],
  ["in a token that becomes a literal", { a: "1", b: "${token}" }, { a: "2", b: "1" }, []],
])("a declaration that differs %s", (_, before, after, expected) => {
  expect(replaced(before, after)).toEqual(expected);
});

test("objects that come or go are not replaced, nor are objects without a digest", () => {
  const [before, after] = [
    { objects: { gone: "aaaaaa", kept: "aaaaaa", bare: "" } },
    { objects: { came: "bbbbbb", kept: "aaaaaa", bare: "bbbbbb" } },
  ];
  expect(changeBetween(before, after)).toEqual({
    before: ["gone", "kept", "bare"],
    after: ["came", "kept", "bare"],
    replaced: [],
  });
});

test.each([undefined, null, [], {}, { objects: [1] }, { objects: { prod: 1 } }, { objects: {}, url: 1 }])(
  "%j is no snapshot",
  (value) => {
    expect(asSnapshot(value)).toBeUndefined();
  },
);

test("3,000 clusters fit into two variables on Windows, 10,000 into the variables of a hook, and 20,000 do not", () => {
  const snapshotOf = (count: number) => {
    const ids = Array.from({ length: count }, () => `capsmv2/clusters/${randomBytes(4).toString("hex")}-production`);
    return { objects: Object.fromEntries(ids.map((id) => [id, digest({ id })])) };
  };
  expect(compressed(snapshotOf(3_000)).length).toBeLessThan(2 * CHUNK_CHARACTERS);
  expect(fitsIntoHook(snapshotOf(10_000))).toBe(true);
  expect(fitsIntoHook(snapshotOf(20_000))).toBe(false);
});
