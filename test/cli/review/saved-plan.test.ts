import { differenceOf, savedPlan } from "../../../src/cli/review/plan/saved-plan";
import { type Plan, readPlan } from "../../../src/cli/review/plan/plan";

/** A field of a message of Protocol Buffers. */
const field = (number: number, value: number | string | Buffer): Buffer => {
  const content = typeof value === "number" ? varint(value) : [...varint(Buffer.byteLength(value)), ...Buffer.from(value)];
  return Buffer.from([...varint(number * 8 + (typeof value === "number" ? 0 : 2)), ...content]);
};
const varint = (value: number): number[] => (value < 128 ? [value] : [128 + (value % 128), ...varint(Math.floor(value / 128))]);
const change = (address: string, action: number, more: Buffer = Buffer.alloc(0)) =>
  field(3, Buffer.concat([field(13, address), field(9, field(1, action)), more]));

const TIME = "2026-05-01T12:00:00Z";
const LATER = "2026-05-01T12:00:01Z";
const saved = (parts: readonly Buffer[]) => savedPlan(Buffer.concat(parts))!;
const shown = (changes: readonly [address: string, actions: string[], more?: object][], timestamp?: string): Plan =>
  readPlan(
    {
      format_version: "1.2",
      timestamp,
      resource_changes: changes.map(([address, actions, more]) => ({
        address,
        type: "t",
        name: "n",
        change: { actions },
        ...more,
      })),
    },
    "plan.json",
  );

const A = 'module.a["x.data.y"].t.n["prod"]';

test("a saved plan and its JSON have the same time and changes", () => {
  const all = [
    field(1, 3),
    change(A, 6),
    change("t.n", 5, field(7, "1234abcd")),
    change("t.same", 0),
    change("data.t.read", 2),
    // The JSON does not have it.
    change("module.b.data.t.gone", 5),
    change("t.future", 42),
    // Fields of other types, which a later version may add.
    Buffer.from([...varint(90 * 8 + 1), 1, 2, 3, 4, 5, 6, 7, 8, ...varint(91 * 8 + 5), 1, 2, 3, 4]),
    field(21, TIME),
  ];
  const changes: Parameters<typeof shown>[0] = [
    [A, ["delete", "create"]],
    ["t.n", ["delete"], { deposed: "1234abcd" }],
    ["t.same", ["no-op"]],
    ["data.t.read", ["read"], { mode: "data" }],
    ["t.future", ["FutureAction"]],
  ];
  expect(differenceOf(saved(all), shown(changes, TIME))).toBeUndefined();
  expect(differenceOf(saved(all), shown(changes))).toBeUndefined();
  expect(differenceOf(saved(all), shown(changes, LATER))).toBe(`it was made at ${TIME} instead of ${LATER}`);
  expect(differenceOf(saved(all), shown(changes.slice(1), TIME))).toBe(`only the plan file has delete,create of ${A}`);
  const other = [...changes, ["t.new", ["create"]]] as typeof changes;
  expect(differenceOf(saved(all), shown(other, TIME))).toBe("the plan file does not have create of t.new");
  const current = changes.map(([address, actions]) => [address, actions]) as typeof changes;
  expect(differenceOf(saved(all), shown(current, TIME))).toBe("only the plan file has delete of t.n (deposed 1234abcd)");
  // The review ignores data sources, so a JSON that calls a resource one would hide its change.
  const [, ...others] = changes;
  const hidden = shown([[A, ["delete", "create"], { mode: "data" }], ...others], TIME);
  expect(differenceOf(saved(all), hidden)).toBe(`only the plan file has delete,create of ${A}`);
});

test.each([
  ["that ends early", field(21, TIME).subarray(0, 10)],
  ["with an endless number", Buffer.alloc(20, 255)],
  ["with a group, which Terraform does not write", Buffer.from([123, 125])],
  ["whose time is a number", field(21, 5)],
  ["whose change is a number", field(3, 5)],
])("a saved plan %s cannot be read", (_, content) => {
  expect(savedPlan(content)).toBeUndefined();
});
