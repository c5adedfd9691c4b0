import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { planDigest } from "../../../src/cli/review/plan/plan";
import { built } from "../built";
import { inProcess } from "../in-process";
import { fixture } from "./plans";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cluster-platform-review-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

const path = (name: string) => join(folder, name);
const policy = (content: object) => {
  writeFileSync(path("policy.json"), JSON.stringify({ version: 1, ...content }));
  return path("policy.json");
};
const review = (name: string, ...args: string[]) => inProcess(["review", fixture(name), ...args]);

describe("exits with", () => {
  test("0 if nothing is denied, with or without changes", async () => {
    expect(await review("unchanged")).toMatchObject({ status: 0, stderr: "" });
    expect(await review("provider/create")).toMatchObject({ status: 0, stderr: "" });
    expect(await review("change", "--fail-on", "none")).toMatchObject({ status: 0, stderr: "" });
  });

  test("2 for a plan that is denied, by its risk or by a rule", async () => {
    const denied = await review("change");
    expect(denied).toMatchObject({ status: 2, stderr: "" });
    expect(denied.stdout).toContain("Denied (fail-on critical)");
    const rules = policy({ rules: [{ rule: "max-clusters-created", count: 1, why: "quota" }] });
    const limited = await review("create", "--fail-on", "none", "--policy", rules);
    expect(limited.status).toBe(2);
    expect(limited.stdout).toContain("2 clusters created, but the policy's limit is 1 (quota)");
  });

  test("2 for a failed plan, whatever the options and a policy allow", async () => {
    const allow = ["DESTROY", "REPLACE", "CREATE"].flatMap((verdict) =>
      ["clusters/prod", "clusters/stage", "clusters/dev", "providers/spare"].map((id) => ({ object: `capvs/${id}`, verdict })),
    );
    const everything = ["--fail-on", "none", "--policy", policy({ allow })];
    for (const name of ["errored", "provider/refused"]) {
      const { status, stdout } = await review(name, ...everything);
      expect(status).toBe(2);
      expect(stdout).toContain("The plan failed, so nobody can apply it. Changes may be missing from it.");
      expect(stdout).toMatch(
        /^denied {2}the plan failed, so Terraform and OpenTofu refuse to apply it. It may lack changes of /m,
      );
      expect(stdout).toContain("Denied (fail-on none, failed plan)");
    }
    for (const format of ["json", "gitlab"]) {
      const { status, stdout, stderr } = await review("provider/refused", ...everything, "--format", format);
      expect([format, status]).toEqual([format, 2]);
      expect(stderr).toMatch(/^denied: the plan failed, so Terraform and OpenTofu refuse to apply it\. .*\n$/);
      if (format !== "gitlab") expect(stdout).toContain("plan failed");
    }
    expect((await review("change", fixture("errored"), "--fail-on", "none")).stdout).toMatch(
      /^1 plan failed; 1 cluster replaced\n/,
    );
  });

  test("1 for an invalid plan, policy or option", async () => {
    writeFileSync(path("bad.json"), "oops");
    expect(await inProcess(["review", path("bad.json")])).toMatchObject({ status: 1, stdout: "" });
    expect(await review("change", "--policy", path("bad.json"))).toMatchObject({ status: 1 });
    expect(await review("change", "--policy", path("missing.json"))).toMatchObject({ status: 1 });
    expect(await review("change", "--format", "pdf")).toMatchObject({ status: 1, stdout: "" });
    expect(await review("change", "--fail-on", "low")).toMatchObject({ status: 1 });
    expect(await review("change", "--id", "<!--")).toMatchObject({ status: 1 });
  });
});

test("a denial is explained on standard error if standard output does not explain it", async () => {
  const denied = expect.stringMatching(
    /^denied: capvs\/clusters\/prod REPLACE is critical\ndenied: the hooks are not verified: .*\n$/,
  ) as string;
  for (const format of ["json", "gitlab", `text=${path("text")}`]) {
    expect(await review("change", "--format", format)).toMatchObject({ status: 2, stderr: denied });
  }
  for (const format of ["text", "markdown"]) {
    expect(await review("change", "--format", format)).toMatchObject({ status: 2, stderr: "" });
  }
  expect(await review("change", "--fail-on", "none", "--format", "json")).toMatchObject({ status: 0, stderr: "" });
  const plan = ["review", fixture("change"), "--format", "json"];
  const masked = await inProcess([...plan, "--mask", "env:NAME"], { NAME: "prod" });
  expect(masked.stderr).toMatch(/^denied: capvs\/clusters\/\[hidden\] REPLACE is critical\n/);
});

test("2,000 denials are not 2,000 lines on standard error", async () => {
  const rules = Array.from({ length: 2000 }, () => ({ rule: "max-clusters-deleted", count: 0 }));
  const { stdout, stderr } = await review("change", "--format", "json", "--policy", policy({ rules }));
  const lines = stderr.trim().split("\n");
  expect(lines).toHaveLength(31);
  expect(lines.at(-1)).toBe("denied: and 1972 more");
  expect((JSON.parse(stdout) as { gate: { denials: object[] } }).gate.denials).toHaveLength(2002);
});

test("critical plans, and those whose apply will fail, are denied on every machine, and pass on request", async () => {
  for (const plan of ["change", "destroy-protected"]) {
    for (const env of [{}, { CI: "true" }]) expect((await inProcess(["review", fixture(plan)], env)).status).toBe(2);
    expect((await review(plan, "--fail-on", "none")).status).toBe(0);
  }
  expect((await review("destroy-protected")).stdout).toContain("nothing is deleted as long as deletionProtection covers");
  expect((await review("others", "--fail-on", "none", "--fail-on-other-deletes")).status).toBe(2);
  expect((await review("others")).stdout).toContain("1 other resource deleted");
});

test("the report ends with its plan and policy", async () => {
  const file = policy({});
  const commit = "0123456789abcdef";
  const report = async (plan: object) => {
    const json = path("change.json");
    writeFileSync(json, JSON.stringify(plan));
    const args = ["review", json, "--format", "markdown", "--policy", file, "--policy-commit", commit];
    return (await inProcess(args)).stdout;
  };
  const digest = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 12);
  const plan = JSON.parse(readFileSync(fixture("change"), "utf8")) as object;
  const said = await report({ ...plan, timestamp: "2026-01-31T12:00:00Z" });
  expect(said).toContain(`SHA-256 of the plan: \`change\` \`${planDigest(plan).slice(0, 12)}\`.`);
  expect(said).toContain(`Policy: \`${digest(readFileSync(file, "utf8"))}\` of commit \`0123456789ab\`.`);
  expect(await report({ ...plan, timestamp: "2026-01-31T13:00:00Z" })).toBe(said);
});

test("a policy allows plans", async () => {
  const dev = { object: "capvs/clusters/dev", verdict: "DESTROY" };
  const allow = policy({
    allow: [dev, { object: "capvs/clusters/prod", verdict: "REPLACE", expires: "9999-12-31", why: "INFRA-7" }],
  });
  const passed = await review("provider/everything", "--policy", allow);
  expect(passed.status).toBe(0);
  expect(passed.stdout).toContain("allowed  capvs/clusters/prod REPLACE (INFRA-7)");
  const expired = policy({ allow: [dev, { object: "capvs/clusters/prod", verdict: "REPLACE", expires: "2020-01-31" }] });
  const { status, stdout } = await review("provider/everything", "--policy", expired);
  expect(status).toBe(2);
  expect(stdout).toContain("was allowed only until 2020-01-31");
});

test("all requested formats are written, one to standard output, and the summary is appended", async () => {
  writeFileSync(path("summary.md"), "before\n");
  const files = ["json", "gitlab", "markdown"].flatMap((format) => ["--format", `${format}=${path(format)}`]);
  const { status, stdout } = await review("change", "--format", "text", ...files, "--summary", path("summary.md"));
  expect(status).toBe(2);
  expect(stdout).toContain("1 cluster replaced");
  expect(JSON.parse(readFileSync(path("json"), "utf8"))).toMatchObject({ version: 1 });
  expect(JSON.parse(readFileSync(path("gitlab"), "utf8"))).toEqual({ create: 1, update: 0, delete: 1 });
  expect(readFileSync(path("summary.md"), "utf8")).toBe(`before\n${readFileSync(path("markdown"), "utf8")}`);

  expect(await review("change", "--format", "text", "--format", "json")).toMatchObject({ status: 1 });
  expect(await review("change", "--format", "json=")).toMatchObject({ status: 1 });
  expect((await review("change", "--format", `json=${path("no/such/folder")}`)).stderr).toContain("cannot be written (ENOENT)");
});

test("a plan is read from standard input, and several plans are the stacks of one review", async () => {
  const plan = readFileSync(fixture("change"), "utf8");
  expect((await built(["review", "-"], {}, plan)).stdout).toContain("standard input (Terraform 1.");
  const both = await review("change", fixture("create"), "--format", "json");
  expect((JSON.parse(both.stdout) as { stacks: { name: string }[] }).stacks.map(({ name }) => name)).toEqual([
    "change",
    "create",
  ]);
});

/** A plan in the folder of a synthesized stack. */
const inStack = (plan: object = {}) => {
  writeFileSync(path("cdk.tf.json"), "{}");
  writeFileSync(path("plan.json"), JSON.stringify({ format_version: "1.2", resource_changes: [], ...plan }));
  return (...args: string[]) => inProcess(["review", path("plan.json"), ...args]);
};

test("a plan has the name and the configuration of the folder that it lies in, which counts if it has a Platform", async () => {
  const reviewed = async (plan: object) => {
    const review = inStack(plan);
    writeFileSync(path("x.tf"), "");
    const { status, stdout } = await review("--format", "json");
    return { status, report: JSON.parse(stdout) as { stacks: object[]; notes: object[] } };
  };
  const ofPlatform = JSON.parse(readFileSync(fixture("unchanged"), "utf8")) as object;
  const { status, report } = await reviewed({ ...ofPlatform, timestamp: undefined });
  expect(status).toBe(2);
  expect(report.stacks).toMatchObject([{ name: basename(folder) }]);
  expect(report.notes).toContainEqual(
    expect.objectContaining({ code: "FOREIGN", because: "not from this package", addresses: ["x.tf"] }),
  );
  expect(await reviewed({})).toMatchObject({ status: 0, report: { notes: [] } });
});

test("a folder in the stack is no configuration, whatever its name, and a link to it cannot be read", async () => {
  const review = inStack();
  mkdirSync(path("eu.tf"));
  expect(await review()).toMatchObject({ status: 0, stderr: "" });
  symlinkSync(path("eu.tf"), path("link.tf"));
  expect((await review()).stderr).toMatch(/^Error \[INVALID_DOCUMENT\] .*\/link\.tf cannot be read \(EISDIR\); /);
});

test("a plan that is older than the code in its folder is refused, unless that is meant", async () => {
  const second = Math.floor(Date.now() / 1000) * 1000;
  const at = (milliseconds: number) => inStack({ timestamp: new Date(second + milliseconds).toISOString() });
  const written = (milliseconds: number) => utimesSync(path("cdk.tf.json"), second / 1000, (second + milliseconds) / 1000);
  const old = at(0);
  written(1000);
  expect(await old()).toEqual({
    status: 1,
    stdout: "",
    stderr: `Error [INVALID_DOCUMENT] ${path("plan.json")} is older than the code in ${folder}, so it is not what that code does; plan again, or review this plan all the same with --outdated\n`,
  });
  expect((await old("--outdated")).status).toBe(0);
  // The time of a plan has no fraction.
  written(999);
  expect((await old()).status).toBe(0);
});

test("without a plan, and without exactly one stack, the command says what to do", async () => {
  const here = () => built(["review"], {}, "", folder);
  const refused = (got: string) => ({
    status: 1,
    stdout: "",
    stderr: `Error [INVALID_SETTING] command line: a plan must be named, because this folder has ${got}; run 'terraform plan -out plan' in the folder of each stack, then 'cluster-platform review cdktf.out/stacks/*/plan'\n`,
  });
  expect(await here()).toEqual(refused("neither cdk.tf.json nor cdktf.out/stacks"));
  for (const name of ["us", "eu", "not-a-stack"]) mkdirSync(path(`cdktf.out/stacks/${name}`), { recursive: true });
  for (const name of ["us", "eu"]) writeFileSync(path(`cdktf.out/stacks/${name}/cdk.tf.json`), "{}");
  expect(await here()).toEqual(refused("the stacks eu, us"));
});

test("a plan that failed has printed why, and is denied", async () => {
  writeFileSync(path("output.txt"), "Planning\n\nError: cluster prod is protected\n  password = hunter2\n");
  const failed = (...args: string[]) => inProcess(["review", path("output.txt"), ...args]);
  const said =
    "No review: the plan failed, so nothing can be applied. Terraform says why. What depends on a refused object is missing here.";
  expect(await failed()).toEqual({
    status: 2,
    stdout: `${said}\n\nPlanning\n\nError: cluster prod is protected\n  password = [hidden]\n`,
    stderr: "",
  });
  expect((await inProcess(["review", path("output.txt"), "--mask", "env:NAME"], { NAME: "prod" })).stdout).not.toContain("prod");
  expect((await failed("--format", "markdown")).stdout).toContain("## ⚪ No review: the plan failed");
  for (const [args, message] of [
    [["--format", "json"], "'--format json' must come with a plan that did not fail"],
    [[fixture("change")], "the output of a failed plan must be the only argument"],
  ] as const) {
    expect(await failed(...args)).toEqual({
      status: 1,
      stdout: "",
      stderr: `Error [INVALID_SETTING] command line: ${message}\n`,
    });
  }
});

describe("no secret is shown", () => {
  const everything = ["text", "json", "gitlab", "markdown"];
  const outputs = async (name: string, args: string[] = [], env: NodeJS.ProcessEnv = {}) => {
    const files = everything.flatMap((format) => ["--format", `${format}=${path(format)}`]);
    const ran = await inProcess(["review", fixture(name), ...files, ...args, "--summary", path("summary")], env);
    return [ran.stdout, ran.stderr, ...[...everything, "summary"].map((file) => readFileSync(path(file), "utf8"))].join("\n");
  };

  test("that is marked sensitive, or that has a suspicious key, in any format", async () => {
    const plan = readFileSync(fixture("terraform_data/secrets"), "utf8");
    const secrets = ["OLD-KEY", "NEW-KEY", "OLD-TOKEN", "NEW-TOKEN", "10.99.0.0/16"];
    for (const secret of secrets) expect(plan).toContain(secret);
    const text = await outputs("secrets");
    for (const secret of secrets) expect(text).not.toContain(secret);
    expect(text).toContain("shown too");
  });

  test("that is masked", async () => {
    const text = await outputs("change", ["--mask", "env:SECRET_NAME"], { SECRET_NAME: "prod" });
    expect(text).not.toContain("prod");
    expect(text).toContain("capvs/clusters/[hidden]");
  });

  test("that is masked, even in the name of a stack or a foreign resource", async () => {
    const env = { STACK: "others", TYPE: "terraform_data" };
    const text = await outputs("others", ["--mask", "env:STACK", "--mask", "env:TYPE"], env);
    expect(text).not.toMatch(/terraform_data|[`"/]others[`".](?!:)/);
    expect(text).toContain(
      "`[hidden]`: 1 deleted (`[hidden].gone`), 1 created (`[hidden].new`), 1 updated in place, 1 unchanged",
    );
  });

  test("and a mask that hides nothing is refused", async () => {
    expect((await review("change", "--mask", "env:UNSET")).stderr).toContain("'UNSET', which --mask names, must hold");
    expect((await review("change", "--mask", "the-secret-itself")).stderr).toContain("must be env:NAME");
  });

  test("from variables, prior state or configuration, which are not shown at all", async () => {
    const plan = JSON.parse(readFileSync(fixture("terraform_data/change"), "utf8")) as Record<string, never>;
    const marked = (value: unknown): unknown => {
      if (typeof value === "string") return `${value}-PLANTED`;
      if (Array.isArray(value)) return value.map(marked);
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, marked(item)]));
    };
    for (const section of ["variables", "planned_values", "prior_state", "configuration"]) {
      plan[section] = marked({ planted: { value: "x" }, ...(plan[section] as object | undefined) }) as never;
    }
    writeFileSync(path("planted.json"), JSON.stringify(plan));
    const { stdout } = await inProcess(["review", path("planted.json"), "--format", "json"]);
    expect(stdout).toContain("controlPlane.count");
    expect(stdout).not.toContain("PLANTED");
  });
});

describe("a mask changes the output and no decision:", () => {
  const json = async (name: string, args: string[], env: NodeJS.ProcessEnv) => {
    const masks = Object.keys(env).flatMap((variable) => ["--mask", `env:${variable}`]);
    const { status, stdout } = await inProcess(["review", fixture(name), "--format", "json", ...args, ...masks], env);
    return { status, ...(JSON.parse(stdout) as { findings: { verdict: string; object: string }[] }) };
  };

  test("rules and allowances apply to the real names", async () => {
    const plan = "provider/everything";
    const rules = policy({ rules: [{ rule: "forbid-destroy", objects: ["de*"] }] });
    expect(await json(plan, ["--fail-on", "none", "--policy", rules], { HIDDEN: "dev" })).toMatchObject({
      status: 2,
      gate: { denials: [{ code: "FORBID_DESTROY", object: "capvs/clusters/[hidden]", pattern: "de*" }] },
    });
    const allow = policy({
      allow: [
        { object: "capvs/clusters/dev", verdict: "DESTROY", stack: "everything" },
        { object: "capvs/clusters/prod", verdict: "REPLACE", stack: "everything" },
      ],
    });
    const names = { HIDDEN: "dev", STACK: "everything" };
    expect(await json(plan, ["--policy", allow], names)).toMatchObject({
      status: 0,
      gate: { allowed: [{ object: "capvs/clusters/prod" }, { stack: "[hidden]", object: "capvs/clusters/[hidden]" }] },
    });
  });

  test("a provider is in use by clusters with hidden names", async () => {
    const { findings } = await json("provider-in-use", [], { ONE: "prod", OTHER: "stage" });
    expect(findings.map(({ verdict, object }) => `${verdict} ${object}`)).toEqual([
      "DESTROY capvs/clusters/[hidden]",
      "REPLACE capvs/providers/vsphere",
      "UNCHANGED capvs/clusters/[hidden] (2)",
    ]);
  });
});

test("no colours are written into a pipe", async () => {
  expect((await review("change")).stdout).not.toContain("\u001b");
});
