import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { join, relative } from "node:path";
import { notRun } from "../support/not-run";
import { built } from "./built";

const MAIN = join(__dirname, "../../dist/cli/main.js");
const PLAN = relative("", join(__dirname, "review/fixtures/change.json"));
/** A device of Linux. A write to it fails as on a full disk. */
const FULL = "/dev/full";

describe("an output that cannot be written is an error, whatever the command would exit with", () => {
  if (!existsSync(FULL)) {
    notRun("outputs that cannot be written", `there is no ${FULL}`, { couldBeHad: false });
    return;
  }
  const { CI: _, ...env } = process.env;

  function run(args: readonly string[]) {
    const stdout = openSync(FULL, "w");
    const options = { env, stdio: ["ignore", stdout, "pipe"], encoding: "utf8", timeout: 30_000 } as const;
    const { status, stderr } = spawnSync(process.execPath, [MAIN, ...args], options);
    closeSync(stdout);
    return { status, stderr };
  }

  test.each([
    [["review", PLAN]],
    [["review", PLAN, "--detailed-exitcode"]],
    [["review", PLAN, "--fail-on", "critical", "--format", "markdown"]],
    [["simulator", "--port", "0"]],
    [["--help"]],
  ])("%j", (args) => {
    expect(run(args)).toEqual({
      status: 1,
      stderr: "error: standard output cannot be written (ENOSPC) [INVALID_SETTING]\n",
    });
  });
});

test.each([
  [["doctor", "--state", "state.json"], "'--state' must come with --stack"],
  [["get", "clusters", "--interval", "3"], "'--interval' must come with --watch"],
  [["get", "clusters", "--import"], "'--import' must come with --format typescript"],
  [["get", "clusters", "--import", "--format", "json"], "'--import' must come with --format typescript"],
  [["review", PLAN, "--pr", "3"], "'--pr' must come with --comment"],
  [["review", PLAN, "--policy-commit", "1234567"], "'--policy-commit' must come with --policy or --allow"],
  [["review", "--plan-failed"], "'--plan-failed' must come with --comment"],
])("an option that would have no effect is refused: %j", async (args, says) => {
  expect(await built(args)).toEqual({ status: 1, stdout: "", stderr: `error: command line: ${says} [INVALID_SETTING]\n` });
});
