import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { replay } from "./shrink";
import type { Sequence } from "./steps";

interface Found {
  /** The rule that was violated before the defect was mended. */
  readonly rule: string;
  readonly sequence: Sequence;
}

/** Every sequence that once violated a rule, shrunk. `npm run simulate -- --save test/world/found` writes them. */
const folder = join(__dirname, "found");
const files = readdirSync(folder).filter((file) => file.endsWith(".json"));

test.each(files)("%s", async (file) => {
  const { sequence } = JSON.parse(readFileSync(join(folder, file), "utf8")) as Found;
  const play = await replay(sequence);
  expect({ violations: play.violations, log: play.violations.length > 0 ? play.log : [] }).toEqual({ violations: [], log: [] });
});
