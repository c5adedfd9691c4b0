import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { notRun } from "../support/not-run";

/** Lints examples/pipelines and the project's own workflows with the tools of their users. */

const filesIn = (folder: string, extension: string) =>
  readdirSync(folder)
    .filter((file) => file.endsWith(extension))
    .map((file) => join(folder, file));
const workflows = filesIn("examples/pipelines/github", ".yml");
const allWorkflows = [...workflows, ...filesIn(".github/workflows", ".yml")];
const scripts = filesIn("examples/pipelines/ci", ".sh");

interface Workflow {
  readonly on: object;
  readonly permissions: object;
  readonly concurrency: { readonly group: string; readonly "cancel-in-progress": boolean };
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
  readonly if?: string;
  readonly environment?: string;
  readonly permissions: object;
  readonly steps: readonly {
    readonly uses?: string;
    readonly run?: string;
    readonly with?: Record<string, unknown>;
    readonly env?: Record<string, string>;
  }[];
}

const workflowOf = (name: string) => parse(readFileSync(`examples/pipelines/github/${name}.yml`, "utf8")) as Workflow;
const jobs = () =>
  Object.fromEntries(
    ["review", "review-fork", "apply", "drift"].flatMap((name) =>
      Object.entries(workflowOf(name).jobs).map(([job, definition]) => [`${name}: ${job}`, definition]),
    ),
  );
const gitlab = () =>
  parse(readFileSync("examples/pipelines/gitlab/.gitlab-ci.yml", "utf8")) as Record<string, Record<string, unknown>>;

function faults(program: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
  if (error) throw error;
  return `${stdout}${stderr}${status === 0 || stdout + stderr !== "" ? "" : `${program} ended with ${status}`}`;
}

const has = (program: string) => spawnSync(program, ["--version"]).error === undefined;

test("GitHub's own parser accepts the workflows", () => {
  expect(allWorkflows).toHaveLength(7);
  expect(faults(process.execPath, ["--import", "tsx", "test/pipelines/github-schema.mjs", ...allWorkflows])).toBe("");
});

test("actionlint finds no error in the workflows", () => {
  const print =
    'import("./scripts/actionlint.mjs").then(async ({ actionlint }) => console.log(JSON.stringify(await actionlint())))';
  const found = JSON.parse(spawnSync(process.execPath, ["-e", print], { encoding: "utf8" }).stdout) as {
    program?: string;
    problem?: string;
  };
  if (found.program === undefined) return notRun("actionlint", found.problem!, { couldBeHad: has("go") });
  expect(faults(found.program, ["-no-color", "-shellcheck=", "-pyflakes=", ...allWorkflows])).toBe("");
});

test("every action is pinned to a commit, with its version", () => {
  const uses = allWorkflows.flatMap((file) => [...readFileSync(file, "utf8").matchAll(/uses: (.*)/g)].map(([, what]) => what!));
  expect(uses.length).toBeGreaterThan(10);
  expect(uses.filter((what) => !/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(what))).toEqual([]);
});

test("jobs may read the code, the review may comment, and no code of a fork runs with secrets", () => {
  const rights = workflows.flatMap((file) => {
    const { on, permissions, jobs } = parse(readFileSync(file, "utf8")) as Workflow;
    expect(Object.keys(on)).not.toContain("pull_request_target");
    expect(permissions).toEqual({});
    return Object.entries(jobs).map(([job, { permissions }]) => [job, permissions]);
  });
  expect(Object.fromEntries(rights)).toEqual({
    synth: { contents: "read" },
    review: { contents: "read", "pull-requests": "write" },
    fork: { contents: "read" },
    comment: { contents: "read", actions: "read", "pull-requests": "write" },
    plan: { contents: "read" },
    apply: { contents: "read" },
    drift: { contents: "read" },
  });
});

test("each job gets only the secrets that it needs, and only the apply gets those for changes", () => {
  const given = Object.entries(jobs()).map(([name, job]) => {
    const secrets = [...JSON.stringify(job).matchAll(/secrets\.(\w+)/g)].map(([, secret]) => secret!);
    return [name, { environment: job.environment, secrets: [...new Set(secrets)].sort() }];
  });
  const reader = ["STATE_READER", "STATE_READER_KEY"];
  expect(Object.fromEntries(given)).toEqual({
    "review: synth": { secrets: [] },
    "review: review": { secrets: reader },
    "review: fork": { secrets: [] },
    "review-fork: comment": { secrets: [] },
    "apply: synth": { secrets: [] },
    "apply: plan": { secrets: reader },
    "drift: synth": { secrets: [] },
    "apply: apply": {
      environment: "production",
      secrets: [
        "CLUSTER_PLATFORM_TOKEN",
        "PLAN_PRIVATE_KEY",
        "STATE_WRITER",
        "STATE_WRITER_KEY",
        "VSPHERE_PASSWORD",
        "VSPHERE_USERNAME",
      ],
    },
    "drift: drift": { secrets: ["CLUSTER_PLATFORM_READER_TOKEN", ...reader] },
  });
  const environments = Object.entries(gitlab()).filter(([, job]) => job.environment !== undefined);
  expect(Object.fromEntries(environments.map(([name, { environment }]) => [name, environment]))).toEqual({
    review: { name: "review", action: "access" },
    plan: { name: "plan", action: "access" },
    apply: "production",
    drift: { name: "drift", action: "access" },
  });
});

test("main.ts runs only where there is no secret: in the job of its own, and the main branch's program before a token is used", () => {
  const synthesizing = Object.entries(jobs()).filter(([, { steps }]) => JSON.stringify(steps).includes("ci/synth.sh"));
  expect(synthesizing.map(([name]) => name)).toEqual([
    "review: synth",
    "review: fork",
    "review-fork: comment",
    "apply: synth",
    "drift: synth",
  ]);
  for (const [name, { steps }] of synthesizing) {
    const synth = steps.find(({ run = "" }) => run.includes("ci/synth.sh"))!;
    expect(synth.env).toEqual({ STATE_URL: "${{ vars.STATE_URL }}" });
    const isOfChange = steps[0]!.with!.ref === undefined && name.startsWith("review:");
    expect(isOfChange).toBe(name === "review: synth");
  }
  for (const script of scripts.filter((file) => !/\/synth\.sh$/.test(file)))
    expect(readFileSync(script, "utf8")).not.toMatch(/^cdktf/m);
});

test("the files that decide about changes have owners, including the owners' file", () => {
  const lines = readFileSync("examples/pipelines/CODEOWNERS", "utf8").split("\n");
  const owned = lines.flatMap((line) => /^(\/\S+) +@\S+$/.exec(line)?.slice(1) ?? []);
  const isOwned = (path: string) =>
    owned.some((pattern) => path === pattern || (pattern.endsWith("/") && path.startsWith(pattern)));
  const deciding = ["/CODEOWNERS", "/.gitlab-ci.yml", "/.github/workflows/apply.yml", "/.github/workflows/review.yml"];
  const inCi = readdirSync("examples/pipelines/ci").map((file) => `/ci/${file}`);
  expect([...deciding, ...inCi, "/package-lock.json"].filter((path) => !isOwned(path))).toEqual([]);
});

test("the main branch is planned, applied and compared", () => {
  // The other jobs need these.
  const conditions = ["apply: synth", "drift: synth"].map((job) => jobs()[job]!.if);
  expect(conditions).toEqual(["github.ref == 'refs/heads/main'", "github.ref == 'refs/heads/main'"]);
});

test("an apply is neither stopped nor replaced by another run", () => {
  const { apply, drift, review } = Object.fromEntries(
    ["apply", "drift", "review"].map((name) => [name, workflowOf(name).concurrency]),
  );
  expect(apply).toEqual({ group: "apply", "cancel-in-progress": false });
  expect([drift!.group, review!.group]).toEqual(["drift", "review-${{ github.event.pull_request.number }}"]);
  expect(gitlab().apply).toMatchObject({ interruptible: false, resource_group: "production" });
});

test("only people start an apply on GitLab, and its plans are encrypted", () => {
  expect(gitlab().apply!.rules).toEqual([expect.objectContaining({ when: "manual", allow_failure: false })]);
  expect(gitlab().plan!.artifacts).toMatchObject({ paths: ["plans.tar.cms"], expire_in: "1 day" });
});

test("no checkout leaves its token behind, no script of a dependency runs, and plans are kept for a day", () => {
  const steps = Object.values(jobs()).flatMap((job) => job.steps);
  const using = (action: string) => steps.filter(({ uses }) => uses?.startsWith(action));
  expect(using("actions/checkout@")).toHaveLength(9);
  for (const step of using("actions/checkout@")) expect(step.with).toMatchObject({ "persist-credentials": false });
  expect(using("actions/upload-artifact@").map((step) => step.with!["retention-days"])).toEqual([1, 1, 1, 1]);
  const installs = [...steps.map(({ run = "" }) => run), ...(gitlab().default!.before_script as string[])].filter((run) =>
    /npm (ci|i|install)\b/.test(run),
  );
  expect([...new Set(installs)]).toEqual(["npm ci --ignore-scripts"]);
  expect(installs).toHaveLength(10);
});

test.each(scripts)("bash can read %s", (script) => {
  expect(faults("bash", ["-n", script])).toBe("");
});

test("shellcheck finds no error in the scripts", () => {
  if (!has("shellcheck")) return notRun("shellcheck", "it is not on the PATH", { couldBeHad: false });
  expect(faults("shellcheck", scripts)).toBe("");
});
