import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Simulator, startSimulator } from "../../src/simulator";
import { accessTo } from "../support/service";
import { Project } from "../cdktf-cli/project";

/** Deploys examples/fleet with the real cdktf command line: one stack per region of a table, several at once. */

let simulator: Simulator;
let project: Project;

beforeAll(async () => {
  simulator = await startSimulator({ provisionSeconds: 1, deleteSeconds: 0 });
  const secrets = ["EU", "US", "AP"].flatMap((region) => [
    [`VSPHERE_${region}_USERNAME`, "svc-clusters"],
    [`VSPHERE_${region}_PASSWORD`, `password-of-${region}`],
  ]);
  project = Project.ofThisRepository({
    ...accessTo(simulator),
    ...Object.fromEntries(secrets),
  });
  cpSync("examples/fleet", join(project.folder, "fleet"), { recursive: true });
});

afterAll(async () => {
  project.remove();
  await simulator.close();
});

const deploy = () => project.cdktf(["deploy", "*", "--auto-approve", "--parallelism", "2", "--app", "npx tsx fleet/main.ts"]);
const names = () => simulator.clusters.map(({ name }) => name).sort();

test("cdktf deploys the stacks of all regions, two at a time", async () => {
  const { status, output } = await deploy();
  expect({ status, output }).toEqual({ status: 0, output: expect.anything() });
  expect(simulator.events).toHaveLength(8);
  expect(names()).toEqual(["ap-prod-1", "eu-lab-1", "eu-prod-1", "us-lab-1", "us-prod-1"]);

  const places = (text: string) => [...output.matchAll(new RegExp(text, "g"))].map(({ index }) => index);
  const begun = places("capvs provider vsphere-\\w+: creating");
  const complete = places("Apply complete!");
  expect([begun.length, complete.length]).toEqual([3, 3]);
  expect(begun[1]).toBeLessThan(complete[0]!);
  expect(begun[2]).toBeGreaterThan(complete[0]!);
});

test("a row that leaves the table deletes its cluster, and no other region changes", async () => {
  const table = JSON.parse(project.read("fleet/fleet.json")) as { clusters: { name: string }[] };
  table.clusters = table.clusters.filter(({ name }) => name !== "us-lab-1");
  writeFileSync(join(project.folder, "fleet/fleet.json"), JSON.stringify(table));

  const { status, output } = await deploy();
  expect({ status, output }).toEqual({ status: 0, output: expect.anything() });
  expect(names()).toEqual(["ap-prod-1", "eu-lab-1", "eu-prod-1", "us-prod-1"]);
  expect(simulator.events.slice(8).map(({ action, name }) => `${action} ${name}`)).toEqual(["deleted us-lab-1"]);
});

test("an emptied table deletes no protected cluster", async () => {
  const table = JSON.parse(project.read("fleet/fleet.json")) as { clusters: unknown[] };
  writeFileSync(join(project.folder, "fleet/fleet.json"), JSON.stringify({ ...table, clusters: [] }));

  const refusal = "is protected";
  let printed = "";
  // cdktf may end before it prints the last lines of Terraform.
  for (let tries = 0; tries < 3 && !printed.includes(refusal); tries++) {
    const { status, output } = await deploy();
    expect(status).toBe(1);
    printed = output;
  }
  expect(printed).toContain(refusal);
  expect(names()).toEqual(["ap-prod-1", "eu-lab-1", "eu-prod-1", "us-prod-1"]);
});
