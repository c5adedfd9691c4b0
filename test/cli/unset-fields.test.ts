import { readFileSync } from "node:fs";
import { stateObjects, undeclaredIn } from "../../src/cli/drift/state-objects";
import { readPlan, withoutEntry } from "../../src/cli/review/plan/plan";
import { reviewMarkdown } from "../../src/cli/review/render/markdown";
import { reviewText } from "../../src/cli/review/render/text";
import { reviewPlans } from "../../src/cli/review/judge/review";
import { ClusterPlatformError } from "../../src/model/errors";
import { fixture, gated } from "./review/plans";

/** Every field of a plan or state has each unset or odd value once. It is read, or the document is refused. */

type Path = readonly (string | number)[];
type Node = Record<string | number, unknown>;

const ABSENT = Symbol("absent");
const UNSET: [string, unknown][] = [
  ["null", null],
  ["empty text", ""],
  ["absent", ABSENT],
  ["an empty list", []],
  ["an empty object", {}],
  ["a number", 0],
];

/** The first two items stand for a list. */
function fieldsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const keys = Array.isArray(value) ? Object.keys(value).slice(0, 2).map(Number) : Object.keys(value);
  return [path, ...keys.flatMap((key) => fieldsOf((value as Node)[key], [...path, key]))];
}

function unset(root: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  const copy = (Array.isArray(root) ? [...(root as unknown[])] : { ...(root as Node) }) as Node;
  if (rest.length > 0 || value !== ABSENT) copy[key] = unset((root as Node)[key], rest, value);
  else if (Array.isArray(copy)) copy.splice(key as number, 1);
  else delete copy[key];
  return copy;
}

function crashes(name: string, use: (document: unknown) => void): string[] {
  const document: unknown = JSON.parse(readFileSync(fixture(name), "utf8"));
  const fields = fieldsOf(document).filter(({ length }) => length > 0);
  expect(fields.length).toBeGreaterThan(30);
  return fields.flatMap((path) =>
    UNSET.flatMap(([what, value]) => {
      try {
        use(unset(document, path, value));
        return [];
      } catch (error) {
        if (error instanceof ClusterPlatformError && error.code === "INVALID_DOCUMENT") return [];
        return [`${path.join("/")} is ${what}: ${(error as Error).stack}`];
      }
    }),
  );
}

test.each(["moved", "provider/create"])("of a plan: %s", (name) => {
  const use = (document: unknown) => {
    const plan = readPlan(document, "plan.json");
    expect(withoutEntry(plan).join()).not.toMatch(/undefined|\[object/);
    const review = reviewPlans([{ name: "stack", plan, foreign: [] }]);
    const decided = gated(review);
    expect(reviewText(review, decided, true)).not.toMatch(/undefined|\[object/);
    expect(reviewMarkdown(review, decided, { id: "default", maxBytes: 60_000 })).not.toMatch(/undefined|\[object/);
  };
  expect(crashes(name, use)).toEqual([]);
});

test.each(["unchanged", "provider/unchanged", "tainted"])("of a state: %s", (name) => {
  const use = (document: unknown) => {
    for (const object of stateObjects(document, "state.json", "state")) expect(object.id.name).toEqual(expect.any(String));
    undeclaredIn(document);
  };
  expect(crashes(`${name}.state`, use)).toEqual([]);
});
