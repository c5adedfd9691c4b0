import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readDocument } from "../../../src/cli/report/document";
import { PLAN_DOCUMENT } from "../../../src/cli/review/plan/plan";
import { declareSettings, planDocument, reviewDocument } from "./plans";

/**
 * Plans that are forged to slow a review down. Work that grows with the square of their size would take hours on any machine.
 */

const MANY = 1_000_000;

test.each([
  ["open brackets", "[".repeat(MANY)],
  ["open keys", '["'.repeat(MANY)],
  ["open keys with escapes", `["${'\\"['.repeat(MANY)}`],
  ["keys", "[0]".repeat(MANY)],
])("an address of a module with many %s takes no longer than parsing the plan", (_, brackets) => {
  const document = planDocument("change");
  for (const change of document.resource_changes) change.module_address = `module.a${brackets}`;
  expect(reviewDocument(document).findings[0]).toMatchObject({ verdict: "REPLACE" });
});

test.each([
  ["a pattern of many stars", `${"*a".repeat(50)}b`, 253],
  ["a pattern that nests deeply", "{".repeat(MANY), 253],
  ["a name that is too long", "*a*a*b", MANY],
])("%s protects nothing, and takes no longer than parsing the plan", (_, pattern, characters) => {
  const document = planDocument("remove");
  const stage = document.resource_changes.find(({ index }) => index === "stage")!;
  stage.change.before!.triggers!.name = "a".repeat(characters);
  declareSettings(document, { deletionProtection: [pattern] });
  expect(reviewDocument(document).findings).toContainEqual(expect.objectContaining({ verdict: "DESTROY" }));
});

test.each([
  ["lists", (levels: number) => "[".repeat(levels) + "]".repeat(levels)],
  ["objects", (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`],
])("a document that nests too deeply is refused, and a valid one is read: %s", (_, nested) => {
  const folder = mkdtempSync(join(tmpdir(), "cluster-platform-hostile-"));
  const file = join(folder, "plan.json");
  const read = (text: string) => {
    writeFileSync(file, text);
    return readDocument(file, PLAN_DOCUMENT);
  };
  try {
    expect(() => read(nested(501))).toThrow(/plan\.json must be a plan .* got one that nests deeper than 500 levels/);
    expect(() => read(nested(100_000))).toThrow(/nests deeper than 500 levels/);
    expect(() => read(`{"a":"\\\\","b":${nested(500)}}`)).toThrow(/nests deeper than 500 levels/);
    expect(() => read(nested(500))).not.toThrow();
    expect(read(`{"a":${JSON.stringify('\\"[{'.repeat(1_000))}}`)).toEqual({ a: '\\"[{'.repeat(1_000) });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
