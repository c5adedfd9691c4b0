import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { notRun } from "../support/not-run";

/** The files of examples/pipelines by the linters of those who read them. */

const filesIn = (folder: string, extension: string) =>
  readdirSync(`examples/pipelines/${folder}`)
    .filter((file) => file.endsWith(extension))
    .map((file) => join("examples/pipelines", folder, file));
const workflows = filesIn("github", ".yml");
const scripts = filesIn("ci", ".sh");

interface Workflow {
  readonly on: object;
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, { readonly permissions: object }>>;
}

/** What a program prints when it finds fault; nothing when it does not. */
function faults(program: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
  if (error) throw error;
  return `${stdout}${stderr}${status === 0 || stdout + stderr !== "" ? "" : `${program} ended with ${status}`}`;
}

const has = (program: string) => spawnSync(program, ["--version"]).error === undefined;

test("GitHub's own parser accepts the workflows", () => {
  expect(workflows).toHaveLength(3);
  expect(faults(process.execPath, ["--import", "tsx", "test/pipelines/github-schema.mjs", ...workflows])).toBe("");
});

test("actionlint finds nothing in the workflows", () => {
  const print = 'import("./scripts/actionlint.mjs").then(({ actionlint }) => console.log(JSON.stringify(actionlint())))';
  const found = JSON.parse(spawnSync(process.execPath, ["-e", print], { encoding: "utf8" }).stdout) as {
    program?: string;
    lack?: string;
  };
  if (found.program === undefined) return notRun("actionlint", found.lack!, { couldBeHad: has("go") });
  expect(faults(found.program, ["-no-color", "-shellcheck=", "-pyflakes=", ...workflows])).toBe("");
}, 360_000);

test("every action is pinned to a commit, beside its version", () => {
  const uses = workflows.flatMap((file) => [...readFileSync(file, "utf8").matchAll(/uses: (.*)/g)].map(([, what]) => what!));
  expect(uses.length).toBeGreaterThan(10);
  expect(uses.filter((what) => !/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(what))).toEqual([]);
});

test("jobs may read the code, the review may comment, and no fork's code runs with secrets", () => {
  const rights = workflows.flatMap((file) => {
    const { on, permissions, jobs } = parse(readFileSync(file, "utf8")) as Workflow;
    expect(Object.keys(on)).not.toContain("pull_request_target");
    expect(permissions).toEqual({});
    return Object.entries(jobs).map(([job, { permissions }]) => [job, permissions]);
  });
  expect(Object.fromEntries(rights)).toEqual({
    review: { contents: "read", "pull-requests": "write" },
    plan: { contents: "read" },
    apply: { contents: "read" },
    drift: { contents: "read" },
  });
});

test.each(scripts)("bash can read %s", (script) => {
  expect(faults("bash", ["-n", script])).toBe("");
});

test("shellcheck finds nothing in the scripts", () => {
  if (!has("shellcheck")) return notRun("shellcheck", "it is not on the PATH", { couldBeHad: false });
  expect(faults("shellcheck", scripts)).toBe("");
});
