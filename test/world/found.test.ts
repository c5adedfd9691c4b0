import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { replay } from "./shrink";
import type { Sequence } from "./steps";

interface Found {
  /** The rule that was violated before the defect was mended. */
  readonly rule: string;
  /** In one line, the change that mended it, or the situation in which the rule was violated. */
  readonly about: string;
  readonly sequence: Sequence;
}

/** Every sequence that once violated a rule, shrunk. `npm run simulate -- --save test/world/found` writes them. */
const folder = join(__dirname, "found");
const kept = readdirSync(folder)
  .filter((file) => file.endsWith(".json"))
  .map((file) => ({ file, ...(JSON.parse(readFileSync(join(folder, file), "utf8")) as Found) }));

test.each(kept)("$file: $about", async ({ about, rule, sequence }) => {
  expect(about).toMatch(/\w/);
  const { violations, log } = await replay(sequence);
  expect({ about, rule, violations, log: violations.length > 0 ? log : [] }).toEqual({ about, rule, violations: [], log: [] });
});
