import { stateObjects } from "../../../src/cli/drift/state-objects";
import type { DriftReport } from "../../../src/cli/drift/finding";
import { startSimulator, type Simulator } from "../../../src/simulator";
import { readFileSync } from "node:fs";
import { accessTo } from "../../support/service";
import { addCluster, addProvider } from "../../support/live-objects";
import { built } from "../built";
import { fixture } from "../review/plans";

const state = fixture("provider/unchanged.state");
const document = () =>
  JSON.parse(readFileSync(state, "utf8")) as {
    values: {
      root_module: { resources: { address: string; name: string; values: Record<string, unknown>; sensitive_values: object }[] };
    };
  };

let simulator: Simulator;
beforeEach(async () => {
  simulator = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0 });
});
afterEach(() => simulator.close());

/** The state of {@link fixture}, as if the service of this test had the objects. */
const here = (edit: (resource: ReturnType<typeof document>["values"]["root_module"]["resources"][number]) => void = () => {}) => {
  const read = document();
  for (const resource of read.values.root_module.resources) {
    if ("service" in resource.values) resource.values.service = simulator.url;
    edit(resource);
  }
  return JSON.stringify(read);
};
const drift = (input: string, ...args: string[]) => built(["drift", "-", ...args], accessTo(simulator), input);
const report = async (input: string) => JSON.parse((await drift(input, "--unmanaged", "--format", "json")).stdout) as DriftReport;

test("compares what is declared with what lives, in every field that the lists show", async () => {
  addProvider(simulator, "vsphere", { templates: [{ template: "ubuntu-k8s-1.29.1", kubernetesVersion: "v1.29.1" }] });
  addCluster(simulator, "prod", {
    controlPlane: { count: 5, cpus: 4, memoryMib: 8192, diskGib: 60 },
    podSubnet: "10.200.0.0/16",
  });
  addCluster(simulator, "stage");
  const { findings, declared, notes } = await report(here());
  expect({ declared, notes }).toEqual({ declared: 3, notes: [] });
  expect(findings.map(({ object, engine, address, changes }) => ({ object, engine, address, changes }))).toEqual([
    {
      object: "capvs/clusters/prod",
      engine: "provider",
      address: "clusterplatform_capvs_cluster.prod",
      changes: [
        { field: "controlPlane.count", before: "3", after: "5" },
        { field: "podSubnet", before: "10.244.0.0/16", after: "10.200.0.0/16" },
      ],
    },
    expect.objectContaining({ object: "capvs/providers/vsphere" }),
  ]);
  // A provider that clusters use is not replaced, and an object that the state protects needs an allowance.
  expect(findings.map(({ repairs }) => repairs.map(({ code }) => code).join())).toEqual(["ACCEPT_LIVE,REPLACE", "ACCEPT_LIVE"]);
  const sensitive = here((resource) => Object.assign(resource.sensitive_values, { pod_subnet: true }));
  const { stdout } = await drift(sensitive);
  expect(stdout).toContain("controlPlane.count 3 → 5, podSubnet (hidden)");
  expect(stdout).not.toContain("10.2");
});

test("does not compare an object of another service with one of its name here", async () => {
  addProvider(simulator, "vsphere");
  addCluster(simulator, "prod");
  addCluster(simulator, "stage", { podSubnet: "10.200.0.0/16" });
  const stageElsewhere = here(({ values }) => {
    if (values.name === "stage") values.service = "https://other.example.com";
  });
  const { declared, notes, findings } = await report(stageElsewhere);
  expect({ declared, notes }).toEqual({
    declared: 2,
    notes: [{ because: "another service", objects: ["capvs/clusters/stage"], service: "https://other.example.com" }],
  });
  expect(findings.map(({ verdict, object }) => `${verdict} ${object}`)).toEqual(["UNMANAGED capvs/clusters/stage"]);

  simulator.remove("clusters", "capvs", "stage");
  expect(await drift(stageElsewhere)).toMatchObject({
    status: 0,
    stdout:
      "No drift in what the service shows: 2 objects as declared\n\nnote  not compared, because the state names another service, https://other.example.com: capvs/clusters/stage\n",
  });
  const missing = (await drift(here())).stdout;
  expect(missing).toContain("MISSING    cluster stage");
  expect(missing).toContain("remove it from the code and apply:\n               terraform apply\n");
  expect(await drift(readFileSync(state, "utf8"))).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(
      /all 3 objects of the given states name http:\/\/127\.0\.0\.1:7070 as their service: set CLUSTER_PLATFORM_URL/,
    ) as string,
  });
});

test("needs names, and passes over what is of another provider type", () => {
  const read = (edit: (resources: ReturnType<typeof document>["values"]["root_module"]["resources"]) => void) => {
    const edited = document();
    edit(edited.values.root_module.resources);
    return stateObjects(edited, "state.json", "state").map(({ id }) => id.id);
  };
  expect(read(() => {})).toEqual(["capvs/clusters/prod", "capvs/clusters/stage", "capvs/providers/vsphere"]);
  expect(() => read(([first]) => Object.assign(first!.sensitive_values, { name: true }))).toThrow(
    "state.json: the name of clusterplatform_capvs_cluster.prod is marked as sensitive",
  );
  expect(read(([first]) => Object.assign(first!, { type: "clusterplatform_capxy_cluster" }))).toHaveLength(2);
});
