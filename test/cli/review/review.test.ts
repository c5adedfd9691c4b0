import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zipSync } from "fflate";
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
    expect(await review("unchanged", "--fail-on", "critical")).toMatchObject({ status: 0, stderr: "" });
    expect(await review("provider/create", "--fail-on", "critical")).toMatchObject({ status: 0, stderr: "" });
    expect(await review("change", "--fail-on", "none")).toMatchObject({ status: 0, stderr: "" });
  });

  test("2 for changes of any kind, on request", async () => {
    expect((await review("create", "--detailed-exitcode")).status).toBe(2);
    expect((await review("others", "--detailed-exitcode")).status).toBe(2);
    expect((await review("readiness-only", "--detailed-exitcode")).status).toBe(2);
    expect((await review("unchanged", "--detailed-exitcode")).status).toBe(0);
  });

  test("3 for a plan that is denied, by its risk or by a rule", async () => {
    const denied = await review("change", "--fail-on", "critical", "--detailed-exitcode");
    expect(denied).toMatchObject({ status: 3, stderr: "" });
    expect(denied.stdout).toContain("Denied (fail-on critical)");
    const rules = policy({ rules: [{ rule: "max-clusters-created", count: 1, why: "quota" }] });
    const limited = await review("create", "--policy", rules);
    expect(limited.status).toBe(3);
    expect(limited.stdout).toContain("2 clusters created, but the policy's limit is 1 (quota)");
  });

  test("3 for a failed plan, whatever the options and a policy allow", async () => {
    const allow = ["DESTROY", "IN-USE", "PROTECTED", "CREATE"].flatMap((verdict) =>
      ["clusters/prod", "clusters/stage", "clusters/dev", "providers/spare"].map((id) => ({ object: `capvs/${id}`, verdict })),
    );
    const everything = ["--fail-on", "none", "--no-fail-on-refused", "--allow", policy({ allow })];
    for (const name of ["errored", "provider/refused"]) {
      const { status, stdout } = await review(name, ...everything, "--detailed-exitcode");
      expect(status).toBe(3);
      expect(stdout).toContain("The plan failed, so nobody can apply it. Changes may be missing from it.");
      expect(stdout).toMatch(
        /^denied {2}the plan failed, so Terraform and OpenTofu refuse to apply it. It may lack changes of /m,
      );
      expect(stdout).toContain("Denied (fail-on none, failed plan)");
    }
    for (const format of ["json", "gitlab"]) {
      const { status, stdout, stderr } = await review("provider/refused", ...everything, "--format", format);
      expect([format, status]).toEqual([format, 3]);
      expect(stderr).toMatch(/^denied: the plan failed, so Terraform and OpenTofu refuse to apply it\. .*\n$/);
      if (format !== "gitlab") expect(stdout).toContain("PLAN_FAILED");
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
    expect(await inProcess(["review"])).toMatchObject({ status: 1 });
  });
});

test("a denial is explained on standard error if standard output does not explain it", async () => {
  const denied = expect.stringMatching(
    /^denied: capvs\/clusters\/prod REPLACE is critical\ndenied: the hooks are not verified: .*\n$/,
  ) as string;
  for (const format of ["json", "gitlab", `text=${path("text")}`]) {
    expect(await review("change", "--fail-on", "critical", "--format", format)).toMatchObject({ status: 3, stderr: denied });
  }
  for (const format of ["text", "markdown"]) {
    expect(await review("change", "--fail-on", "critical", "--format", format)).toMatchObject({ status: 3, stderr: "" });
  }
  expect(await review("change", "--fail-on", "none", "--format", "json")).toMatchObject({ status: 0, stderr: "" });
  const plan = ["review", fixture("change"), "--fail-on", "critical", "--format", "json"];
  const masked = await inProcess([...plan, "--mask", "env:NAME"], { NAME: "prod" });
  expect(masked.stderr).toMatch(/^denied: capvs\/clusters\/\[hidden\] REPLACE is critical\n/);
});

test("critical plans are denied in CI, and elsewhere only on request", async () => {
  const plan = ["review", fixture("change")];
  expect((await inProcess(plan)).status).toBe(0);
  expect((await inProcess(plan, { CI: "true" })).status).toBe(3);
  expect((await inProcess(plan, { CI: "false" })).status).toBe(0);
  expect((await inProcess([...plan, "--fail-on", "none"], { CI: "true" })).status).toBe(0);
});

test("plans whose apply will fail are denied in CI, and elsewhere only on request", async () => {
  const plan = ["review", fixture("destroy-protected"), "--fail-on", "none"];
  const inCi = await inProcess(plan, { CI: "true" });
  expect(inCi).toMatchObject({
    status: 3,
    stdout: expect.stringContaining("this apply will fail before it deletes anything") as string,
  });
  expect((await inProcess(plan)).status).toBe(0);
  expect((await inProcess([...plan, "--no-fail-on-refused"], { CI: "true" })).status).toBe(0);
  expect((await inProcess([...plan, "--fail-on-refused"])).status).toBe(3);
  expect((await review("others", "--fail-on-other-deletes")).status).toBe(3);
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

test("a policy allows plans, whichever of the options names it", async () => {
  const dev = { object: "capvs/clusters/dev", verdict: "DESTROY" };
  const allow = policy({
    allow: [dev, { object: "capvs/clusters/prod", verdict: "REPLACE", expires: "9999-12-31", why: "INFRA-7" }],
  });
  for (const option of ["--allow", "--policy"]) {
    const { status, stdout } = await review("provider/everything", "--fail-on", "critical", option, allow);
    expect(status).toBe(0);
    expect(stdout).toContain("allowed  capvs/clusters/prod REPLACE (INFRA-7)");
  }
  const expired = policy({ allow: [dev, { object: "capvs/clusters/prod", verdict: "REPLACE", expires: "2020-01-31" }] });
  const { status, stdout } = await review("provider/everything", "--fail-on", "critical", "--allow", expired);
  expect(status).toBe(3);
  expect(stdout).toContain("was allowed only until 2020-01-31");
});

test("all requested formats are written, one to standard output, and the summary is appended", async () => {
  writeFileSync(path("summary.md"), "before\n");
  const files = ["json", "gitlab", "markdown"].flatMap((format) => ["--format", `${format}=${path(format)}`]);
  const { status, stdout } = await review("change", "--format", "text", ...files, "--summary", path("summary.md"));
  expect(status).toBe(0);
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
  expect((await built(["review", "-"], {}, plan)).stdout).toContain("standard input (1.");
  const both = await review("change", fixture("create"), "--format", "json");
  expect((JSON.parse(both.stdout) as { stacks: { name: string }[] }).stacks.map(({ name }) => name)).toEqual([
    "change",
    "create",
  ]);
});

test("the folder of a stack is named once for each plan", async () => {
  const twice = await review("change", "--stack", folder, "--stack", folder);
  expect(twice).toMatchObject({ status: 1, stderr: expect.stringContaining("once for each plan") as string });
});

test.each([
  ["that is missing", () => path("missing"), "ENOENT"],
  ["that is a file", () => fixture("change"), "ENOTDIR"],
])("the folder of a stack %s is refused, also with a saved plan", async (_, folder, code) => {
  writeFileSync(path("plan"), zipSync({ "tfconfig/m-/cdk.tf.json": Buffer.from("{}") }));
  const refused = {
    status: 1,
    stdout: "",
    stderr: `Error [INVALID_DOCUMENT] ${folder()}/cdk.tf.json cannot be read (${code}); name the folder of one synthesized stack, such as cdktf.out/stacks/production\n`,
  };
  expect(await review("change", "--stack", folder())).toEqual(refused);
  expect(await review("change", "--stack", folder(), "--plan-file", path("plan"))).toEqual(refused);
  expect(await inProcess(["drift", fixture("provider/unchanged.state"), "--stack", folder()])).toEqual(refused);
});

test("a folder in the stack is no configuration, whatever its name, and a link to it cannot be read", async () => {
  writeFileSync(path("cdk.tf.json"), "{}");
  mkdirSync(path("eu.tf"));
  expect(await review("change", "--stack", folder, "--fail-on", "none")).toMatchObject({ status: 0, stderr: "" });
  symlinkSync(path("eu.tf"), path("link.tf"));
  expect((await review("change", "--stack", folder)).stderr).toMatch(
    /^Error \[INVALID_DOCUMENT\] .*\/link\.tf cannot be read \(EISDIR\); /,
  );
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
    expect(await json(plan, ["--policy", rules], { HIDDEN: "dev" })).toMatchObject({
      status: 3,
      gate: { denials: [{ code: "FORBID_DESTROY", object: "capvs/clusters/[hidden]", pattern: "de*" }] },
    });
    const allow = policy({
      allow: [
        { object: "capvs/clusters/dev", verdict: "DESTROY", stack: "everything" },
        { object: "capvs/clusters/prod", verdict: "REPLACE", stack: "everything" },
      ],
    });
    const names = { HIDDEN: "dev", STACK: "everything" };
    expect(await json(plan, ["--allow", allow, "--fail-on", "critical"], names)).toMatchObject({
      status: 0,
      gate: { allowed: [{ object: "capvs/clusters/prod" }, { stack: "[hidden]", object: "capvs/clusters/[hidden]" }] },
    });
  });

  test("a provider is in use by clusters with hidden names", async () => {
    const { findings } = await json("provider-in-use", [], { ONE: "prod", OTHER: "stage" });
    expect(findings.map(({ verdict, object }) => `${verdict} ${object}`)).toEqual([
      "DESTROY capvs/clusters/[hidden]",
      "IN-USE capvs/providers/vsphere",
      "UNCHANGED capvs/clusters/[hidden] (2)",
    ]);
  });
});

test("no colours are written into a pipe", async () => {
  expect((await review("change")).stdout).not.toContain("\u001b");
});
