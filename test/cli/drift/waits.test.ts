import { readFileSync } from "node:fs";
import { TerraformOutput, type TerraformStack } from "cdktf";
import { ClusterList, ProviderList } from "../../../src/api/lists";
import { withCode } from "../../../src/cli/drift/code";
import { findDrift } from "../../../src/cli/drift/find-drift";
import { stateObjects, type StateObject } from "../../../src/cli/drift/state-objects";
import { readStack } from "../../../src/cli/report/synthesized-folder";
import { Engine } from "../../../src/constructs/engine";
import { Platform } from "../../../src/constructs/platform";
import { startSimulator } from "../../../src/simulator";
import { cluster, provider } from "../../support/capvs";
import { addCluster, addProvider } from "../../support/live-objects";
import { accessTo } from "../../support/service";
import { Workspace } from "../../terraform/workspace";
import { built } from "../built";
import { fixture } from "../review/plans";

const workspace = new Workspace();
afterAll(() => workspace.remove());

/** The state of a Platform with hooks. */
function stateOf(prefix: string, ...clusters: readonly string[]): StateObject[] {
  const resources = [
    {
      address: `terraform_data.cluster_platform_${prefix}ready`,
      mode: "managed",
      type: "terraform_data",
      name: `cluster_platform_${prefix}ready`,
    },
    ...clusters.map((name) => ({
      address: `terraform_data.${prefix}capvs_clusters["${name}"]`,
      mode: "managed",
      type: "terraform_data",
      name: `${prefix}capvs_clusters`,
      index: name,
      values: { triggers_replace: { name } },
    })),
  ];
  return stateObjects({ format_version: "1.0", values: { root_module: { resources } } }, "state", "state");
}

const synthesized = (declare: (stack: TerraformStack) => void) => workspace.synth(declare).stackFolder;

test.each([
  ["the only Platform", undefined, ""],
  ["a Platform with a name", "eu", "eu_"],
])("with hooks, the code says which clusters are waited for: %s", (_, name, prefix) => {
  const folder = synthesized((stack) => {
    const platform = new Platform(stack, "platform", { engine: Engine.TERRAFORM_DATA, name });
    const on = provider(stack);
    cluster(stack, "prod", on);
    cluster(stack, "stage", on, { waitForReady: false, platform });
    const own = cluster(stack, "dev.1", on, { waitForReady: false });
    new TerraformOutput(stack, "dev", { value: own.uid });
  });
  // The last cluster has left the code, and its provider has the same name.
  const state = stateOf(prefix, "prod", "stage", "dev.1", "left", "vsphere");
  expect(state.map(({ isWaitedFor }) => isWaitedFor)).toEqual(state.map(() => undefined));
  const readiness = `terraform_data.cluster_platform_${prefix}ready`;
  expect(withCode(state, readStack(folder)).map((object) => [object.id.name, object.isWaitedFor, object.readiness])).toEqual([
    ["prod", true, readiness],
    ["stage", false, readiness],
    // A replacement of the resource that waits for it alone may replace what depends on the cluster.
    ["dev.1", true, undefined],
    ["left", true, readiness],
    ["vsphere", true, readiness],
  ]);
});

test("a cluster that the service is deleting is drift even if nobody waits for it, unless no state declares it", () => {
  const leaving = { clusterName: "prod", providerType: "capvs", phase: "Deleting" };
  const live = { clusters: new ClusterList("/", { items: [leaving], count: 1 }), providers: new ProviderList("/", []) };
  const [prod] = stateOf("", "prod");
  const { findings, notes } = findDrift([{ ...prod!, isWaitedFor: false }], live, []);
  expect(findings).toMatchObject([
    { verdict: "LEAVING", object: "capvs/clusters/prod", repairs: [{ code: "WAIT_UNTIL_GONE", commands: [] }] },
  ]);
  expect(notes.map(({ because }) => because)).not.toContain("not waited for");
  expect(findDrift([], live, []).findings).toEqual([]);
});

test("the folder of the stack is not advised for a cluster in a Terraform module, whose code it does not have", () => {
  const live = {
    clusters: new ClusterList("/", { items: [{ clusterName: "prod", providerType: "capvs" }], count: 1 }),
    providers: new ProviderList("/", []),
  };
  const repairs = (...all: StateObject[]) => findDrift(all, live, []).findings[0]!.repairs.map(({ code }) => code);
  const [prod] = stateOf("", "prod");
  expect(repairs(prod!)).toEqual(["WAIT", "PUT_IN_STACK"]);
  expect(repairs({ ...prod!, id: { ...prod!.id, platform: { module: "module.eu", prefix: "" } } })).toEqual(["WAIT"]);
});

test("with the package's own provider, the state says which clusters are waited for", async () => {
  const simulator = await startSimulator({ provisionSeconds: 3600 });
  try {
    const document = JSON.parse(
      readFileSync(fixture("provider/unchanged.state"), "utf8").replaceAll("http://127.0.0.1:7070", simulator.url),
    ) as {
      values: { root_module: { resources: { type: string; values: { wait_for: string[] } }[] } };
    };
    addProvider(simulator);
    for (const name of ["prod", "stage"]) addCluster(simulator, name);
    const drift = (...args: string[]) => built(["drift", "-", ...args], accessTo(simulator), JSON.stringify(document));
    expect((await drift()).stdout).toMatch(/^Drift: 2 clusters not ready\n/);

    const ready = document.values.root_module.resources.find(({ type }) => type === "clusterplatform_ready")!;
    ready.values.wait_for = [];
    const { status, stdout } = await drift();
    expect(status).toBe(0);
    expect(stdout).toBe(
      "No drift in what the service shows: 3 objects as declared\n\n" +
        "note  not ready, and not waited for (waitForReady: false): capvs/clusters/prod, capvs/clusters/stage\n",
    );
    expect((await drift("--format", "markdown")).stdout).toContain("\n- not ready, and not waited for");
  } finally {
    await simulator.close();
  }
});
