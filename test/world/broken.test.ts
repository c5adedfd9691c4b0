import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Each version of the code that is broken on purpose violates a rule, with the sequence that the world has found once. */
const versions = JSON.parse(readFileSync(join(__dirname, "broken.json"), "utf8")) as { readonly name: string }[];
let output = "";

beforeAll(() => {
  const args = ["scripts/simulate.mjs", "--broken", "--kept"];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  output = stdout + stderr;
}, 3_600_000);

test.each(versions)("$name", ({ name }) => {
  const line = output.split("\n").find((each) => each.includes(` s: ${name}`));
  expect(line ?? `no line in: ${output}`).toMatch(/^found /);
});
