import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Simulator, startSimulator } from "../../src/simulator";
import { Project } from "../cdktf-cli/project";
import { secrets } from "../support/capvs";
import { accessTo, happenedOn } from "../support/service";

/** Deploys examples/existing-stack with the real cdktf command line: two stacks that also have resources of other providers. */

let simulator: Simulator;
let project: Project;

beforeAll(async () => {
  simulator = await startSimulator({ provisionSeconds: 1, deleteSeconds: 0.1 });
  project = Project.ofThisRepository({
    ...accessTo(simulator),
    ...secrets,
  });
  cpSync("examples/existing-stack", join(project.folder, "existing-stack"), { recursive: true });
});

afterAll(async () => {
  project.remove();
  await simulator.close();
});

const cdktf = async (...args: string[]) => {
  const { status, output } = await project.cdktf([...args, "--app", "npx tsx existing-stack/main.ts"]);
  expect({ status, output }).toEqual({ status: 0, output: expect.anything() });
  return output;
};
const happened = () => happenedOn(simulator);
const bodyOf = (name: string) =>
  simulator.requests
    .filter(({ method }) => method === "POST")
    .map(({ body }) => body as { cluster?: Record<string, unknown>; provider: { workerNodeConfigs: { workersCount: number }[] } })
    .find(({ cluster }) => cluster?.clusterName === name)!;

test("values of other resources arrive, others wait until the cluster is ready, and the second stack waits for the first", async () => {
  const output = await cdktf("deploy", "*", "--auto-approve");

  expect(bodyOf("prod").cluster).toMatchObject({ apiEndpoint: "10.20.0.10" });
  expect(bodyOf("prod").provider.workerNodeConfigs).toEqual([expect.objectContaining({ workersCount: 3 })]);

  const placeOf = (text: string) => {
    expect(output).toContain(text);
    return output.indexOf(text);
  };
  expect(placeOf("terraform_data.dns-record: Creating...")).toBeGreaterThan(placeOf("cluster prod is ready"));
  expect(happened()[0]).toBe("+vsphere-eu");
  expect(happened().slice(1, 3).sort()).toEqual(["+lab", "+prod"]);
  expect(happened()[3]).toBe("+tenant");
});

test("outputs list the clusters", async () => {
  expect(await cdktf("output", "*")).toMatch(/prod-cluster = "?prod/);
});

test("a second deploy changes nothing", async () => {
  const output = await cdktf("deploy", "*", "--auto-approve");
  expect(output.match(/0 added, 0 changed, 0 destroyed/g)).toHaveLength(2);
});

test("destroy deletes the clusters of the second stack before the provider of the first, and leaves nothing", async () => {
  const text = project.read("existing-stack/main.ts");
  const unprotected = text.replace("engine: Engine.TERRAFORM_DATA", "$&, deletionProtection: false");
  writeFileSync(join(project.folder, "existing-stack/main.ts"), unprotected);
  await cdktf("destroy", "*", "--auto-approve");
  expect(happened().slice(4)[0]).toBe("-tenant");
  expect(happened().at(-1)).toBe("-vsphere-eu");
  expect([...simulator.providers, ...simulator.clusters]).toEqual([]);
});
