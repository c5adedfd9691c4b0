import { isPattern } from "../../src/model/object-pattern";
import { allowDeletionLine, isExact, isProtected, isRetained, matchingNone, retainLine } from "../../src/model/protection";

const prod = "capvs/clusters/prod";
const forbids = (pattern: string, id = prod) => isProtected({ deletionProtection: [pattern], allowDeletion: [] }, id);

test.each([
  "prod",
  "p*",
  "*",
  "*d",
  "p*o*d",
  prod,
  "capvs/clusters/*",
  "cap*/*/prod",
  "*/*/*",
  "*/clusters/p*",
  "capvs/*s/prod",
  "{dev,prod}",
  "*/clusters/!(dev-*)",
  "pr?d",
])("%s protects capvs/clusters/prod", (pattern) => {
  expect(forbids(pattern)).toBe(true);
});

test.each([
  ["pro", prod],
  ["rod", prod],
  ["prod-*", prod],
  ["PROD", prod],
  ["capov/clusters/prod", prod],
  ["capvs/providers/*", prod],
  ["*/*/stage", prod],
  // A dot matches only a dot, and a pattern does not match across a `/`.
  ["pr.d", prod],
  ["a.c", "capvs/clusters/abc"],
  ["clusters*", "capvs/clusters/prod"],
  ["p*", "capvs/clusters/stage"],
  ["*/clusters/!(dev-*|stage)", "capvs/clusters/dev-1"],
  ["prod{,-eu}", "capvs/clusters/prod-us"],
])("%s does not protect %s", (pattern, id) => {
  expect(forbids(pattern, id)).toBe(false);
});

// This package refuses such a name, but a service or a forged plan may have it.
test.each(["*", "*/clusters/*", "?hidden"])("%s protects a name that begins with a dot, too", (pattern) => {
  expect(forbids(pattern, "capvs/clusters/.hidden")).toBe(true);
});

test("a name matches all objects of that name, and an id matches one object", () => {
  expect(["capvs/clusters/a", "capov/providers/a"].map((id) => forbids("a", id))).toEqual([true, true]);
  expect(["capvs/clusters/a", "capov/providers/a"].map((id) => forbids("capvs/clusters/a", id))).toEqual([true, false]);
});

test("an allowed object is not protected, by exact name", () => {
  const settings = { deletionProtection: true as const, allowDeletion: ["stage", "capvs/clusters/prod"] };
  const all = ["capvs/clusters/prod", "capvs/providers/prod", "capov/clusters/stage", "capvs/clusters/stage-2"];
  expect(all.filter((id) => isProtected(settings, id))).toEqual(["capvs/providers/prod", "capvs/clusters/stage-2"]);
});

test("one matching entry is enough to protect, allow or retain", () => {
  expect(isProtected({ deletionProtection: ["x-*", "p*d"], allowDeletion: [] }, prod)).toBe(true);
  expect(isProtected({ deletionProtection: true, allowDeletion: ["stage", "prod"] }, prod)).toBe(false);
  expect(isRetained({ retain: ["stage", "prod"] }, prod)).toBe(true);
});

test("a `*` in retain is no pattern", () => {
  expect(isRetained({ retain: ["*", "capvs/clusters/*"] }, prod)).toBe(false);
  expect(isRetained({ retain: ["prod"] }, prod)).toBe(true);
});

describe("the line of a Platform that allows a deletion", () => {
  const known = [prod, "capvs/clusters/stage", "capvs/providers/stage"];
  test.each([
    ["a name of one object is written alone", [], [prod], known, 'allowDeletion: ["prod"]'],
    [
      "a name of two objects is written with type and kind",
      [],
      [prod, "capvs/clusters/stage"],
      known,
      'allowDeletion: ["prod", "capvs/clusters/stage"]',
    ],
    [
      "every name is written with type and kind if the other objects are unknown",
      [],
      [prod],
      undefined,
      `allowDeletion: ["${prod}"]`,
    ],
    [
      "an object that a name covers already is not added",
      ["stage", "prod"],
      [prod],
      undefined,
      'allowDeletion: ["stage", "prod"]',
    ],
    ["allowed names stay, unless they match nothing", ["stage", "prdo"], [prod], known, 'allowDeletion: ["stage", "prod"]'],
  ])("%s", (_, allowDeletion, ids, all, line) => {
    expect(allowDeletionLine({ allowDeletion }, ids, all)).toBe(line);
  });

  test("names ten of many objects and counts the others, and so does the line of retain", () => {
    const many = Array.from({ length: 12 }, (_, index) => `capvs/clusters/c${index}`);
    const ten = '"c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9"';
    expect(retainLine({ retain: [] }, many, many)).toBe(`retain: [${ten}] and the 2 other names`);
  });
});

test("names entries that match nothing", () => {
  const names = ["prod", "prdo", prod, "capvs/providers/prod", "stage"];
  expect(matchingNone(names, [prod, "capov/providers/stage"])).toEqual(["prdo", "capvs/providers/prod"]);
});

const exact = ["prod", "a.b-c_d", "capvs/clusters/prod", "capsmv2/providers/x", "clusters"];
const patterns = ["*", "prod-*", "**", "capvs/clusters/*", "*/*/*", "cap*/provider*/x", ".*", "{a,b}", "!(a)", "a?"];
const neither = [
  ...[
    "",
    "/",
    "//",
    "prod/",
    "/prod",
    "capvs/prod",
    "capvs/clusters",
    "capvs/clusters/",
    "capvs/clusters/prod/x",
    "capvs/cluster/prod",
  ],
  ...[
    "vsphere/clusters/prod",
    "CAPVS/clusters/prod",
    "capvs/*er/prod",
    "x*/clusters/prod",
    "prod stage",
    "рrod",
    "pr[o]d",
    "!prod",
    "-edge",
    "{a,b",
    "a\nb",
  ],
];

test.each(exact)("%j can be an exact name, and a pattern", (text) => {
  expect([isExact(text), isPattern(text)]).toEqual([true, true]);
});

test.each(patterns)("%j is a pattern and not an exact name", (text) => {
  expect([isExact(text), isPattern(text)]).toEqual([false, true]);
});

test.each(neither)("%j cannot match anything", (text) => {
  expect([isExact(text), isPattern(text)]).toEqual([false, false]);
});
