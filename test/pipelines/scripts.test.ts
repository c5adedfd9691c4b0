import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unzipped } from "../support/unzip";
import { execute, type Outcome } from "../terraform/workspace";
import { READER, type PipelineFixture, secrets, openPipelineFixture, WRITER } from "./pipeline-fixture";

/** Refusals of the scripts in examples/pipelines/ci that a pipeline run does not show. */

interface Plans {
  readonly file: string;
  readonly sha256: string;
}

let fixture: PipelineFixture;
/** The folder of the planning machine, and its packed plans. */
let planner: string;
let plans: Plans;
/** The key of the plans, and an unrelated key. */
let keys: { plans: string; other: string };

beforeAll(async () => {
  fixture = await openPipelineFixture();
  const { repository } = fixture;
  const folder = repository.makeFolder("keys");
  const key = (name: string, certificate: string) => {
    execFileSync(
      "openssl",
      [
        ...["req", "-x509", "-newkey", "rsa:2048", "-noenc", "-days", "2", "-subj", "/CN=plans"],
        ...["-keyout", join(folder, name), "-out", certificate],
      ],
      { stdio: "ignore" },
    );
    return readFileSync(join(folder, name), "utf8");
  };
  keys = {
    plans: key("plans.pem", join(repository.folder, "ci/plan-certificate.pem")),
    other: key("other.pem", join(folder, "certificate.pem")),
  };
  repository.commit("Encrypt plans");

  planner = machine("planner");
  plans = await plan(planner);
});

afterAll(() => fixture.close());

const backend = ({ name, password }: typeof READER) => ({ TF_HTTP_USERNAME: name, TF_HTTP_PASSWORD: password });

/** A machine with the repository and its dependencies. */
function machine(name: string): string {
  const folder = fixture.repository.makeFolder(name);
  execFileSync("git", ["clone", "--quiet", fixture.repository.folder, folder]);
  execFileSync("npm", ["ci"], { cwd: folder, env: fixture.env });
  return folder;
}

/** Plans on a machine, and returns the packed plans. */
async function plan(folder: string, more: NodeJS.ProcessEnv = {}): Promise<Plans> {
  const env = { ...fixture.env, ...backend(READER), STATE_URL: fixture.state.url, CI: "true", ...more };
  const planned = await execute("bash", ["ci/plan.sh"], folder, env, {});
  expect(planned).toMatchObject({ status: 0 });
  const [, file, sha256] = /^PLANS_FILE=(.*)\nPLANS_SHA256=(.*)\n/.exec(readFileSync(join(folder, "plans.env"), "utf8"))!;
  return { file: file!, sha256: sha256! };
}

/** A machine with only the repository and the packed plans. */
function applier({ file, sha256 } = plans, from = planner): { folder: string; apply(env?: NodeJS.ProcessEnv): Promise<Outcome> } {
  const folder = machine("applier");
  cpSync(join(from, file), join(folder, file));
  const complete = {
    ...fixture.env,
    ...backend(WRITER),
    ...secrets,
    CLUSTER_PLATFORM_URL: fixture.simulator.url,
    CLUSTER_PLATFORM_TOKEN: fixture.simulator.token,
    PLAN_PRIVATE_KEY: keys.plans,
  };
  const apply = (env: NodeJS.ProcessEnv = {}) =>
    execute("bash", ["ci/apply.sh", file, sha256], folder, { ...complete, ...env }, {});
  return { folder, apply };
}

test("packed plans can be read only by their owner, and only with the key", () => {
  expect(plans.file).toBe("plans.tar.cms");
  expect(existsSync(join(planner, "plans.tar"))).toBe(false);
  for (const file of [plans.file, "cdktf.out/stacks/staging/plan"]) expect(statSync(join(planner, file)).mode & 0o077).toBe(0);
  expect(readFileSync(join(planner, plans.file)).includes("vsphere-staging")).toBe(false);
});

test("a plan holds neither the backend's credentials nor a secret of the stack", () => {
  const plan = unzipped(readFileSync(join(planner, "cdktf.out/stacks/staging/plan")));
  expect(plan.includes(fixture.state.url)).toBe(true);
  expect(plan.includes("VSPHERE_PASSWORD")).toBe(true);
  for (const secret of [READER.password, ...Object.values(secrets)]) expect(plan.includes(secret)).toBe(false);
});

test("changed plans are refused before they are unpacked", async () => {
  const { folder, apply } = applier();
  appendFileSync(join(folder, plans.file), "x");
  const { status, output } = await apply();
  expect(output).toContain("plans.tar.cms is not what was reviewed");
  expect(status).toBe(1);
  expect(existsSync(join(folder, "apply"))).toBe(false);
});

test("another key opens nothing", async () => {
  const { folder, apply } = applier();
  expect((await apply({ PLAN_PRIVATE_KEY: keys.other })).status).not.toBe(0);
  expect(existsSync(join(folder, "apply/order"))).toBe(false);
  expect(fixture.state.log.filter((line) => !line.startsWith("GET "))).toEqual([]);
});

test("a missing setting of one stack is reported before the first stack changes", async () => {
  const { apply } = applier();
  const { status, output } = await apply({ VSPHERE_PASSWORD: undefined });
  expect(output).toContain("environment variable VSPHERE_PASSWORD");
  expect(output).toContain("Not ready");
  expect(status).toBe(1);
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
  const configuration = join(repository.makeFolder("configuration"), "cli.tfrc");
  writeFileSync(configuration, "");
  const service = { CLUSTER_PLATFORM_URL: simulator.url, CLUSTER_PLATFORM_TOKEN: simulator.token };
  const another = machine("another-planner");
  const planned = await plan(another, { TF_CLI_CONFIG_FILE: configuration, ...service });

  const before = fixture.happened().length;
  const { status, output } = await applier(planned, another).apply({ TF_CLI_CONFIG_FILE: configuration });
  expect({ status, output }).toEqual({ status: 0, output });
  expect(fixture.happened().slice(before)).toEqual(["+vsphere-staging", "+staging", "+vsphere-production", "+production"]);
});
