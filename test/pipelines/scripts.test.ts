import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { unzipped } from "../support/unzip";
import { execute, type Outcome } from "../terraform/workspace";
import { READER, type PipelineFixture, secrets, openPipelineFixture, WRITER } from "./pipeline-fixture";

/** Refusals of the scripts in examples/pipelines/ci that a pipeline run does not show. */

let fixture: PipelineFixture;
/** The folder of the planning machine, and the SHA-256 of its packed plans. */
let planner: string;
let sha256: string;
const FILE = "plans.tar.cms";

beforeAll(async () => {
  fixture = await openPipelineFixture();
  planner = machine("planner");
  sha256 = await plan(planner);
});

afterAll(() => fixture.close());

const backend = ({ name, password }: typeof READER) => ({ TF_HTTP_USERNAME: name, TF_HTTP_PASSWORD: password });

function machine(name: string): string {
  const folder = fixture.repository.makeFolder(name);
  execFileSync("git", ["clone", "--quiet", fixture.repository.folder, folder]);
  execFileSync("npm", ["ci"], { cwd: folder, env: fixture.env });
  return folder;
}

/** Of Terraform. */
function emptyConfiguration(): string {
  const file = join(fixture.repository.makeFolder("configuration"), "cli.tfrc");
  writeFileSync(file, "");
  return file;
}

async function plan(folder: string, more: NodeJS.ProcessEnv = {}): Promise<string> {
  const env = { ...fixture.env, STATE_URL: fixture.state.url, CI: "true" };
  expect(await execute("bash", ["ci/synth.sh"], folder, env, {})).toMatchObject({ status: 0 });
  for (const script of ["ci/plan.sh", "ci/pack.sh"]) {
    const { status, output } = await execute("bash", [script], folder, { ...env, ...backend(READER), ...more }, {});
    expect({ status, output }).toEqual({ status: 0, output });
  }
  return /^PLANS_SHA256=(.*)$/m.exec(readFileSync(join(folder, "plans.env"), "utf8"))![1]!;
}

/** A machine with only the repository and the packed plans. */
function applier(digest = sha256, from = planner): { folder: string; apply(env?: NodeJS.ProcessEnv): Promise<Outcome> } {
  const folder = machine("applier");
  cpSync(join(from, FILE), join(folder, FILE));
  const complete = {
    ...fixture.env,
    ...backend(WRITER),
    ...secrets,
    CLUSTER_PLATFORM_URL: fixture.simulator.url,
    CLUSTER_PLATFORM_TOKEN: fixture.simulator.token,
    PLAN_PRIVATE_KEY: fixture.repository.planKey,
  };
  const apply = (env: NodeJS.ProcessEnv = {}) => execute("bash", ["ci/apply.sh", digest], folder, { ...complete, ...env }, {});
  return { folder, apply };
}

test("packed plans can be read only by their owner, and only with the key", () => {
  expect(existsSync(join(planner, "plans.tar"))).toBe(false);
  for (const file of [FILE, "cdktf.out/stacks/staging/plan"]) expect(statSync(join(planner, file)).mode & 0o077).toBe(0);
  expect(readFileSync(join(planner, FILE)).includes("vsphere-staging")).toBe(false);
});

test("a plan holds neither the backend's credentials nor a secret of the stack", () => {
  const plan = unzipped(readFileSync(join(planner, "cdktf.out/stacks/staging/plan")));
  expect(plan.includes(fixture.state.url)).toBe(true);
  expect(plan.includes("VSPHERE_PASSWORD")).toBe(true);
  for (const secret of [READER.password, ...Object.values(secrets)]) expect(plan.includes(secret)).toBe(false);
});

test("changed plans are refused before they are unpacked", async () => {
  const { folder, apply } = applier();
  appendFileSync(join(folder, FILE), "x");
  const { status, output } = await apply();
  expect(output).toContain("plans.tar.cms is not what was reviewed");
  expect(status).toBe(1);
  expect(existsSync(join(folder, "apply"))).toBe(false);
});

test("plans do not leave the machine without a certificate, and nothing is planned without a synthesized program", async () => {
  const folder = machine("without");
  const refused = await execute("bash", ["ci/plan.sh"], folder, fixture.env, {});
  expect(refused).toMatchObject({ status: 1, output: expect.stringContaining("ci/synth.sh has failed, or did not run") });
  rmSync(join(folder, "ci/plan-certificate.pem"));
  const { status, output } = await execute("bash", ["ci/pack.sh"], folder, fixture.env, {});
  expect({ status, output }).toEqual({ status: 1, output: expect.stringContaining("a plan shows secrets") });
  expect(existsSync(join(folder, "plans.tar"))).toBe(false);
});

test("a synthesized program cannot name a folder outside of it", async () => {
  const folder = machine("strange");
  for (const name of ["../../ci", ".git", "-rf"]) {
    mkdirSync(join(folder, "cdktf.out"), { recursive: true });
    writeFileSync(join(folder, "cdktf.out/manifest.json"), JSON.stringify({ stacks: { [name]: { dependencies: [] } } }));
    execFileSync("tar", ["-cf", "synth.tar", "cdktf.out"], { cwd: folder });
    const { status, output } = await execute("bash", ["ci/plan.sh"], folder, fixture.env, {});
    expect({ status, output }).toEqual({ status: 1, output: expect.stringContaining("these are no names of stacks") });
  }
});

describe("a change that upgrades the package", () => {
  const UPGRADE = { version: "99.0.0", integrity: "sha512-of-99.0.0" };
  /** A machine that reviews what another one has synthesized with the upgrade. */
  const reviewed = async (edit: (synthesized: string) => void = () => undefined, integrity = UPGRADE.integrity) => {
    const { repository, env, state } = fixture;
    const [synthesizing, reviewing] = [machine("synthesizing"), machine("reviewing")];
    const installed = join(synthesizing, "node_modules/cdktf-cluster-platform");
    rmSync(installed);
    cpSync(published, installed, { recursive: true });
    repository.lock(UPGRADE.version, integrity, synthesizing);
    const complete = { ...env, ...backend(READER), STATE_URL: state.url, CI: "true" };
    expect(await execute("bash", ["ci/synth.sh"], synthesizing, complete, {})).toMatchObject({ status: 0 });
    edit(synthesizing);
    execFileSync("tar", ["-cf", join(reviewing, "synth.tar"), "cdktf.out", "package-lock.json"], { cwd: synthesizing });
    expect(await execute("bash", ["ci/plan.sh"], reviewing, complete, {})).toMatchObject({ status: 0 });
    const planned = await execute("bash", ["ci/review.sh"], reviewing, complete, {});
    execFileSync("bash", ["ci/synth.sh"], { cwd: reviewing, env: complete });
    execFileSync("tar", ["-cf", "head.tar", "-C", synthesizing, "cdktf.out", "package-lock.json"], { cwd: reviewing });
    const compared = await execute("bash", ["ci/review-synth.sh", "synth.tar", "head.tar"], reviewing, complete, {});
    expect(readdirSync(reviewing).filter((name) => name.startsWith(".package"))).toEqual([]);
    return [planned, compared];
  };
  let published: string;
  beforeAll(() => (published = fixture.repository.publish(UPGRADE.version, UPGRADE.integrity)));

  test("passes with one row, because its program is that of the version in its lock file", async () => {
    for (const { status, output } of await reviewed()) {
      expect({ status, output }).toEqual({ status: 0, output });
      expect(output.match(/package upgrade: cdktf-cluster-platform \S+ → 99\.0\.0/g)).toHaveLength(1);
    }
  });

  test("is denied with a forged program", async () => {
    const forge = (folder: string) => {
      const assets = join(folder, "cdktf.out/stacks/staging/assets");
      const [program] = readdirSync(assets, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith("/main.js"));
      appendFileSync(join(assets, program!), "// forged\n");
    };
    for (const { status, output } of await reviewed(forge)) {
      expect({ status, output }).toEqual({
        status: 2,
        output: expect.stringContaining("is not the hook program of this version"),
      });
    }
  });

  test("fails if the version needs a dependency that the target branch does not have", async () => {
    const manifest = join(fixture.repository.publish("98.0.0", "sha512-of-98.0.0"), "dist/recognition/recognize.js");
    writeFileSync(manifest, 'require("a-new-dependency");');
    const folder = join(manifest, "../../..");
    const review = ["review", "cdktf.out/stacks/staging/plan", "--package", folder];
    const { status, output } = await execute("node_modules/.bin/cluster-platform", review, planner, fixture.env, {});
    expect({ status, output }).toEqual({ status: 1, output: expect.stringContaining("Cannot find module 'a-new-dependency'") });
    expect(output).toContain("[INVALID_SETTING]");
  });

  test("fails if the registry has another package of the version", async () => {
    for (const { status, output } of await reviewed(undefined, "sha512-of-something-else")) {
      const problem = "the registry has another cdktf-cluster-platform 99.0.0 than package-lock.json";
      expect({ status, output }).toEqual({ status: 1, output: expect.stringContaining(problem) });
    }
  });
});

test("another key opens nothing", async () => {
  const { folder, apply } = applier();
  expect((await apply({ PLAN_PRIVATE_KEY: fixture.repository.makeKey("other") })).status).not.toBe(0);
  expect(existsSync(join(folder, "apply/order"))).toBe(false);
  expect(fixture.state.log.filter((line) => !line.startsWith("GET "))).toEqual([]);
});

test("a missing setting of one stack is reported before the first stack changes", async () => {
  const { apply } = applier();
  const { status, output } = await apply({ VSPHERE_PASSWORD: undefined });
  expect(output).toContain("environment variable VSPHERE_PASSWORD");
  expect(output).toContain("Not ready");
  expect(status).toBe(2);
  expect(fixture.simulator.events).toEqual([]);
});

test("a state that the backend refused is sent once more, and the same plans are stale afterwards", async () => {
  const { folder, apply } = applier();
  const show = join(fixture.repository.makeFolder("show"), "environment");
  writeFileSync(join(folder, "node_modules/.bin/node"), `#!/bin/sh\nenv >> ${show}\nexec ${process.execPath} "$@"\n`, {
    mode: 0o755,
  });
  const { simulator, state } = fixture;
  simulator.onResponse = ({ method, path }) => {
    // Fails the write after the last create of the first stack, and all of Terraform's retries.
    if (method === "POST" && path.includes("/clusters/") && simulator.clusters.length === 1) state.failWrites = 2;
  };
  const first = await apply({ TF_HTTP_RETRY_MAX: "1", TF_HTTP_RETRY_WAIT_MIN: "1", TF_HTTP_RETRY_WAIT_MAX: "1" });
  simulator.onResponse = undefined;
  expect(first.output).toContain("The backend did not take the state; trying once more");
  expect(first.status).toBe(1);
  expect(fixture.happened()).toEqual(["+vsphere-staging", "+staging"]);
  expect(state.instances("staging")).toEqual(['capvs_clusters["staging"]', 'capvs_providers["vsphere-staging"]']);
  expect(existsSync(join(folder, "apply/staging/errored.tfstate"))).toBe(false);
  // Hooks inherit Terraform's environment.
  expect(readFileSync(show, "utf8")).toContain("CLUSTER_PLATFORM_TOKEN=");
  expect(readFileSync(show, "utf8")).not.toContain("PRIVATE KEY");

  const again = await applier().apply();
  expect(again.output).toContain("Saved plan is stale");
  expect(fixture.happened()).toHaveLength(2);
});

test("with the provider, what one machine plans is applied by another without any configuration of Terraform", async () => {
  const { repository, simulator, state } = fixture;
  for (const { type, name } of [...simulator.clusters]) simulator.remove("clusters", type, name);
  for (const { type, name } of [...simulator.providers]) simulator.remove("providers", type, name);
  state.states.clear();
  repository.edit("main.ts", (text) => text.replace("Engine.TERRAFORM_DATA", "Engine.PROVIDER"));
  repository.commit("Use the provider");
  const configuration = emptyConfiguration();
  const service = { CLUSTER_PLATFORM_URL: simulator.url, CLUSTER_PLATFORM_TOKEN: simulator.token };
  const another = machine("another-planner");
  const planned = await plan(another, { TF_CLI_CONFIG_FILE: configuration, ...service });

  const before = fixture.happened().length;
  const { status, output } = await applier(planned, another).apply({ TF_CLI_CONFIG_FILE: configuration });
  expect({ status, output }).toEqual({ status: 0, output });
  expect(fixture.happened().slice(before)).toEqual(["+vsphere-staging", "+staging", "+vsphere-production", "+production"]);
});

test("a change that the provider refuses is shown with what Terraform says", async () => {
  const { repository, simulator, state } = fixture;
  repository.edit("main.ts", (text) => text.replace("workers: 5", "workers: 6"));
  repository.commit("More workers");
  const folder = machine("refused");
  const configuration = { TF_CLI_CONFIG_FILE: emptyConfiguration() };
  const env = { ...fixture.env, ...backend(READER), ...configuration, STATE_URL: state.url, CI: "true" };
  const service = { CLUSTER_PLATFORM_URL: simulator.url, CLUSTER_PLATFORM_TOKEN: simulator.token };
  expect(await execute("bash", ["ci/synth.sh"], folder, env, {})).toMatchObject({ status: 0 });
  expect(await execute("bash", ["ci/plan.sh"], folder, { ...env, ...service }, {})).toMatchObject({ status: 1 });
  const review = ["review", "plan-output.txt", "--summary", "summary.md"];
  const bin = join("node_modules", ".bin", "cluster-platform");
  expect(await execute(bin, review, folder, env, {})).toMatchObject({ status: 2 });
  const summary = readFileSync(join(folder, "summary.md"), "utf8");
  expect(summary).toContain("No review: the plan failed");
  expect(summary).toMatch(/cluster production is protected, and the plan\s+replaces it/);
});
