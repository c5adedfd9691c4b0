import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { pages } from "./pages";

const PICTURES = readdirSync("docs/pictures").map((name) => `pictures/${name}`);

test("each picture is small, and a page shows it", () => {
  const shown = pages.map((page) => readFileSync(page, "utf8")).join("");
  for (const picture of PICTURES) {
    expect(readFileSync(`docs/${picture}`).length).toBeLessThan(80_000);
    expect(shown).toContain(`${picture})`);
  }
});

test("the script of the pictures names a program that is missing", () => {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/pictures.mjs"], { env: { PATH: "" }, encoding: "utf8" });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringMatching(/^chromium or .* is not on the PATH\. On Debian: /),
  });
});
