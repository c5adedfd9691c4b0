import { type Simulator, startSimulator } from "../../src/simulator";
import { clusterBody, type ClusterListReply, CLUSTERS, NEW_CLUSTER, NEW_PROVIDER, providerBody } from "./bodies";
import { call, Clock } from "./call";

let simulator: Simulator;
let clock: Clock;
beforeEach(async () => {
  clock = new Clock();
  simulator = await startSimulator({ provisionSeconds: 60, deleteSeconds: 20, now: clock.now });
  simulator.add("providers", "capvs", providerBody());
});
afterEach(() => simulator.close());

async function listed(name: string) {
  const { items } = (await call(simulator, "GET", CLUSTERS)).json as ClusterListReply;
  return items.find(({ clusterName }) => clusterName === name);
}

test("a cluster goes from an empty phase through Pending to Provisioned, and its conditions become true one by one", async () => {
  await call(simulator, "POST", NEW_CLUSTER, clusterBody("prod"));
  expect(await listed("prod")).toMatchObject({ phase: "", conditions: null, workersGroups: null, annotations: null });

  const seen: string[] = [];
  for (let last = ""; !last.startsWith("Provisioned");) {
    const { phase, conditions } = (await listed("prod"))!;
    last = [phase, ...(conditions ?? []).map(({ type }) => type)].join(" ");
    if (last !== seen.at(-1)) seen.push(last);
    clock.pass(1);
  }
  const order = ["InfrastructureReady", "ControlPlaneInitialized", "ControlPlaneReady", "Ready"];
  expect(seen).toEqual([
    "",
    "Pending",
    `Pending ${order[0]}`,
    `Pending ${order.slice(0, 2).join(" ")}`,
    `Pending ${order.slice(0, 3).join(" ")}`,
    `Provisioned ${order.join(" ")}`,
  ]);
  const { conditions } = (await listed("prod"))!;
  for (const condition of conditions!) {
    expect(condition).toEqual({
      type: expect.any(String),
      status: "True",
      lastTransitionTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  }
});

test("a cluster of a service that takes no time is Provisioned in the first list", async () => {
  simulator.timing.provisionSeconds = 0;
  await call(simulator, "POST", NEW_CLUSTER, clusterBody("prod"));
  expect(await listed("prod")).toMatchObject({ phase: "Provisioned", conditions: { length: 4 } });
});

test("changed times apply to existing clusters, listed before or not", async () => {
  simulator.timing.provisionSeconds = 3600;
  await call(simulator, "POST", NEW_CLUSTER, clusterBody("prod"));
  expect(await listed("prod")).toMatchObject({ phase: "" });
  simulator.timing.provisionSeconds = 0;
  expect(await listed("prod")).toMatchObject({ phase: "Provisioned" });
});

test("an object that is being deleted stays in the list, no longer ready, until the time is over", async () => {
  simulator.timing.provisionSeconds = 0;
  simulator.add("clusters", "capvs", clusterBody("prod"));
  simulator.add("clusters", "capvs", clusterBody("other"));
  expect((await call(simulator, "DELETE", `${CLUSTERS}/prod`)).status).toBe(202);
  const { phase, conditions } = (await listed("prod"))!;
  expect(phase).toBe("Pending");
  expect(conditions!.map(({ type }) => type)).not.toContain("Ready");
  expect(await listed("other")).toMatchObject({ phase: "Provisioned" });
  expect(simulator.events.filter(({ action }) => action === "deleted")).toEqual([]);

  clock.pass(19.9);
  expect(await listed("prod")).toBeDefined();
  clock.pass(0.1);
  expect(await listed("prod")).toBeUndefined();
  expect(await listed("other")).toMatchObject({ phase: "Provisioned" });
  expect(simulator.events.at(-1)).toMatchObject({ action: "deleted", kind: "clusters", name: "prod" });
});

test("a repeated deletion is accepted and takes no longer", async () => {
  simulator.add("clusters", "capvs", clusterBody("prod"));
  await call(simulator, "DELETE", `${CLUSTERS}/prod`);
  clock.pass(12);
  expect((await call(simulator, "DELETE", `${CLUSTERS}/prod`)).status).toBe(202);
  clock.pass(8);
  expect((await call(simulator, "DELETE", `${CLUSTERS}/prod`)).status).toBe(404);
  expect(simulator.events.filter(({ action }) => action === "deleted")).toHaveLength(1);
});

test("the deletion of a provider takes time, too", async () => {
  expect((await call(simulator, "DELETE", `${NEW_PROVIDER}/eu`)).status).toBe(202);
  clock.pass(19.9);
  expect(simulator.providers).toHaveLength(1);
  clock.pass(0.1);
  expect(simulator.providers).toEqual([]);
});

test("deletions complete in the order of their times, not of their requests", async () => {
  for (const name of ["slow", "quick"]) simulator.add("clusters", "capvs", clusterBody(name));
  simulator.timing.deleteSeconds = 20;
  await call(simulator, "DELETE", `${CLUSTERS}/slow`);
  simulator.timing.deleteSeconds = 10;
  await call(simulator, "DELETE", `${CLUSTERS}/quick`);
  clock.pass(30);
  expect(simulator.events.filter(({ action }) => action === "deleted").map(({ name }) => name)).toEqual(["quick", "slow"]);
});

test("thousands of clusters are listed in the order of their creation", async () => {
  const names = Array.from({ length: 3000 }, (_, index) => `c${index}`);
  for (const name of names) simulator.add("clusters", "capvs", clusterBody(name));
  const list = (await call(simulator, "GET", CLUSTERS)).json as ClusterListReply;
  expect(list.count).toBe(3000);
  expect(list.items.map(({ clusterName }) => clusterName)).toEqual(names);
});
