import { spawnSync } from "node:child_process";
import { closeSync, copyFileSync, existsSync, mkdtempSync, openSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { notRun } from "../support/not-run";
import { built } from "./built";
import { inProcess } from "./in-process";

const MAIN = join(__dirname, "../../dist/cli/main.js");
const PLAN = relative("", join(__dirname, "review/fixtures/change.json"));
/** A device of Linux. A write to it fails as on a full disk. */
const FULL = "/dev/full";

describe("an output that cannot be written is an error, whatever the command would exit with", () => {
  if (!existsSync(FULL)) {
    notRun("outputs that cannot be written", `there is no ${FULL}`, { couldBeHad: false });
    return;
  }
  function run(args: readonly string[]) {
    const stdout = openSync(FULL, "w");
    const { status, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
      stdio: ["ignore", stdout, "pipe"],
      encoding: "utf8",
      timeout: 30_000,
    });
    closeSync(stdout);
    return { status, stderr };
  }

  test.each([[["review", PLAN]], [["review", PLAN, "--format", "markdown"]], [["simulator", "--port", "0"]], [["--help"]]])(
    "%j",
    (args) => {
      expect(run(args)).toEqual({
        status: 1,
        stderr: "Error [INVALID_SETTING] standard output cannot be written (ENOSPC)\n",
      });
    },
  );
});

test("a NODE_DEBUG with which Node prints the environment is refused", async () => {
  const { status, stderr } = await built(["review", PLAN], { NODE_DEBUG: "child_process" });
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(/^Error \[INVALID_SETTING\] .*unset it\n$/) });
});

test.each([
  [["get", "clusters", "--interval", "3"], "'--interval' must come with --watch"],
  [["get", "clusters", "--import"], "'--import' must come with --format typescript"],
  [["get", "clusters", "--providers"], "'--providers' must come with --format typescript"],
  [["get", "clusters", "--import", "--format", "json"], "'--import' must come with --format typescript"],
  [["review", PLAN, "--pr", "3"], "'--pr' must come with --comment"],
  [["review", PLAN, "--policy-commit", "1234567"], "'--policy-commit' must come with --policy"],
])("an option that would have no effect is refused: %j", async (args, says) => {
  expect(await inProcess(args)).toEqual({ status: 1, stdout: "", stderr: `Error [INVALID_SETTING] command line: ${says}\n` });
});

describe("a file that is named twice", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "command-line-"));
    copyFileSync(PLAN, join(folder, "plan.json"));
    symlinkSync("plan.json", join(folder, "link.json"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test.each(["review", "drift"])("is no second document of %s, whatever its path", async (command) => {
    const what = command === "review" ? "plan" : "state";
    const file = join(folder, "plan.json");
    for (const [other, got] of [
      [file, `${file} twice`],
      [`${folder}/./plan.json`, `${file} and ${folder}/./plan.json, which are the same file`],
      [join(folder, "link.json"), `${file} and ${folder}/link.json, which are the same file`],
    ] as const) {
      const stderr = `Error [INVALID_SETTING] command line: each ${what} must be given once, got ${got}\n`;
      expect(await inProcess([command, file, other])).toEqual({ status: 1, stdout: "", stderr });
    }
    expect(await built([command, "-", "-"], {}, "{}")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("got standard input twice") as string,
    });
  });

  test("holds no two formats, and a device does", async () => {
    const written = join(folder, "written");
    const review = (...files: string[]) => inProcess(["review", PLAN, ...files.flatMap((file) => ["--format", file])]);
    const { status, stderr } = await review(`text=${written}`, `json=${folder}/./written`);
    expect([status, stderr]).toEqual([
      1,
      `Error [INVALID_SETTING] command line: '--format' must name another file for each format, got ${written} for several\n`,
    ]);
    expect(existsSync(written)).toBe(false);
    expect((await review("text=/dev/null", "json=/dev/null")).status).toBe(2);
  });

  test("is not what the command reads", async () => {
    const plan = join(folder, "plan.json");
    copyFileSync(PLAN, plan);
    const { status, stderr } = await inProcess(["review", plan, "--format", `json=${folder}/./plan.json`]);
    expect([status, stderr]).toEqual([
      1,
      `Error [INVALID_SETTING] command line: '--format' must name another file than the command reads, got ${plan}\n`,
    ]);
  });
});
