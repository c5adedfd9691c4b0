import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Simulator, startSimulator } from "../../src/simulator";
import { secrets } from "../support/capvs";
import { accessTo, happenedOn } from "../support/service";
import { terraform } from "../support/tools";
import { failed, inOneLine, succeeded } from "../terraform/stack-fixture";
import { execute } from "../terraform/workspace";

/** The commits of examples/upgrade, one after the other, as docs/day-2.md describes them. */

let simulator: Simulator;
const folder = mkdtempSync(join(tmpdir(), "cluster-platform-upgrade-"));

beforeAll(async () => (simulator = await startSimulator({ provisionSeconds: 1, deleteSeconds: 0 })));
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await simulator.close();
});

const run = (...args: readonly string[]) =>
  execute(terraform, args, join(folder, "stacks/upgrade"), { ...secrets, ...accessTo(simulator) }, {});

async function synthesized(commit: number): Promise<void> {
  const env = { ...process.env, CDKTF_OUTDIR: folder, COMMIT: String(commit) };
  const { stderr } = spawnSync(process.execPath, ["--import", "tsx", "examples/upgrade/main.ts"], { env, encoding: "utf8" });
  expect(stderr).toBe("");
  succeeded(await run("init", "-input=false", `-backend-config=path=${join(folder, "terraform.tfstate")}`));
}

async function applied(commit: number): Promise<string> {
  await synthesized(commit);
  return succeeded(await run("apply", "-auto-approve", "-input=false"));
}

const workloads = () => {
  const { resources } = JSON.parse(readFileSync(join(folder, "terraform.tfstate"), "utf8")) as {
    resources: { name: string; instances: { attributes: { id: string } }[] }[];
  };
  return resources.find(({ name }) => name === "workloads")!.instances[0]!.attributes.id;
};

test("a second cluster is added, the workloads move when it is ready, and the old cluster is deleted", async () => {
  await applied(0);
  const before = workloads();

  await applied(1);
  expect(happenedOn(simulator)).toEqual(["+vsphere-eu", "+prod-1-28", "+prod-1-29"]);
  expect(workloads()).toBe(before);

  await applied(2);
  expect(workloads()).not.toBe(before);
  expect(happenedOn(simulator)).toHaveLength(3);

  // The third commit without its line for the Platform.
  await synthesized(4);
  expect(failed(await run("apply", "-auto-approve", "-input=false"))).toContain(
    "capvs/clusters/prod-1-28 is protected; nothing was deleted",
  );
  await applied(3);
  expect(happenedOn(simulator).slice(3)).toEqual(["-prod-1-28"]);

  await applied(4);
  const { status, output } = await run("plan", "-detailed-exitcode", "-input=false");
  expect({ status, output: inOneLine(output) }).toEqual({ status: 0, output: expect.stringContaining("No changes") });
  expect(simulator.clusters.map(({ name }) => name)).toEqual(["prod-1-29"]);
});
