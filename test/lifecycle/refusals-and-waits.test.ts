import { createObject } from "../../src/lifecycle/create";
import { deleteObject } from "../../src/lifecycle/delete";
import { waitForObjects } from "../../src/lifecycle/wait";
import type { ObjectRef } from "../../src/model/object-ref";
import { failureOf } from "../api/service";
import { goldens } from "../goldens";
import { clusterBody } from "../support/capvs";
import { cancelledBy, FREE, Played } from "./played";

/** How long the lifecycle waits for problems that may pass. It does not wait for others. */

const prod: ObjectRef = { type: "capvs", kind: "clusters", name: "prod" };
const vsphere: ObjectRef = { type: "capvs", kind: "providers", name: "vsphere" };
const declared = { name: "prod", provider: "vsphere" };
const request = { object: prod, body: clusterBody("prod"), declared, digest: "1", adopt: false };
const provider = { ...goldens.capvs.provider.minimal.body, identityName: "vsphere" };

let played: Played;
beforeEach(async () => {
  played = await Played.open();
  played.simulator.add("providers", "capvs", provider);
});
afterEach(() => played.close());

const refuse = (status: number, message: string, times?: number) =>
  played.simulator.inject({ kind: "status", status, body: { message }, method: "POST", times });

test.each([
  [409, "a refusal that may end"],
  [500, "a request with an unknown outcome"],
])("without Terraform, a create does not repeat a POST that gets a %i: %s", async (status) => {
  refuse(status, "no");
  const cancellation = { ...played.context.cancellation, interruptedBy: "Terraform is gone" };
  expect(await failureOf(createObject({ ...played.context, cancellation }, request))).toMatchObject({
    code: "INTERRUPTED",
    message: expect.stringContaining("stopped (Terraform is gone)"),
  });
  expect(played.writes).toHaveLength(1);
});

describe("a cluster that is refused right after its provider's registration", () => {
  beforeEach(() => played.journal().registered(vsphere));

  test("is sent again at growing intervals for two minutes, with one line for each new refusal", async () => {
    refuse(404, "no such identity", 3);
    refuse(422, "not synchronized");
    expect(await failureOf(played.create(request))).toMatchObject({ code: "REJECTED" });
    expect(played.clock.seconds).toBeGreaterThan(100);
    expect(played.clock.seconds).toBeLessThan(135);
    expect(played.writes.length).toBeLessThan(12);
    const refusals = played.said.filter((line) => line.includes("trying again"));
    expect(refusals).toEqual([expect.stringContaining("no such identity"), expect.stringContaining("not synchronized")]);
  });

  test("is sent again for half a minute if it is refused as invalid", async () => {
    refuse(400, "unknown flavor");
    expect(await failureOf(played.create(request))).toMatchObject({ code: "REJECTED" });
    expect(played.clock.seconds).toBeGreaterThan(20);
    expect(played.clock.seconds).toBeLessThan(50);
  });
});

describe("a refused cluster", () => {
  const registered = () => played.simulator.add("providers", "capvs", provider);
  beforeEach(() => played.simulator.remove("providers", "capvs", "vsphere"));

  test("lacks its provider if no list of ten seconds has it", async () => {
    expect(await failureOf(played.create(request))).toMatchObject({
      code: "OBJECT_MISSING",
      failure: { objects: [prod, vsphere], remedies: [{ code: "RECREATE_MISSING", objects: [vsphere], all: false }] },
    });
    expect(played.clock.seconds).toBeCloseTo(10, 0);
  });

  test("names the provider of the type whose name is nearest", async () => {
    played.simulator.add("providers", "capvs", { ...provider, identityName: "vspheer" });
    expect(await failureOf(played.create(request))).toMatchObject({
      message: expect.stringContaining("there is no capvs provider vsphere on the service: did you mean vspheer?") as string,
    });
  });

  test("does not lack it if the list only lags behind, or if only the permission is missing", async () => {
    refuse(422, "no");
    played.clock.at(6, registered);
    expect(await failureOf(played.create(request))).toMatchObject({ code: "REJECTED" });
    played.simulator.heal();
    played.simulator.remove("providers", "capvs", "vsphere");
    refuse(403, "no");
    expect(await failureOf(played.create(request))).toMatchObject({ code: "FORBIDDEN" });
  });
});

describe("a provider that clusters use", () => {
  const removal = { object: vsphere, uid: "1", witnesses: [], facts: FREE };
  beforeEach(() => void played.simulator.add("clusters", "capvs", clusterBody("prod")));

  test("is refused at once if they stay", async () => {
    expect(await failureOf(deleteObject(played.context, removal))).toMatchObject({ code: "PROVIDER_IN_USE" });
    expect(played.clock.seconds).toBe(0);
  });

  test("is waited for if the service is deleting each of them, whoever has asked for that", async () => {
    const items = [{ clusterName: "prod", providerType: "capvs", providerConfigID: "vsphere", phase: "Deleting" }];
    const fault = played.simulator.inject({
      kind: "status",
      status: 200,
      body: { items, count: 1 },
      method: "GET",
      path: "/api/v1/clusters",
    });
    played.clock.at(20, () => {
      played.simulator.remove("clusters", "capvs", "prod");
      fault.cancel();
    });
    await deleteObject(played.context, removal);
    expect(played.simulator.providers).toEqual([]);
  });

  test("is waited for if a DELETE was sent for each of them", async () => {
    played.journal().deletionSent(prod, "2");
    played.clock.at(20, () => played.simulator.remove("clusters", "capvs", "prod"));
    await deleteObject(played.context, removal);
    expect(played.simulator.providers).toEqual([]);
  });
});

test("a cluster is gone if another one has its name after the DELETE", async () => {
  const show = (providerType: string) => {
    const items = [{ clusterName: "prod", providerType, providerConfigID: "vsphere", phase: "Provisioned" }];
    played.simulator.inject({ kind: "status", status: 200, body: { items, count: 1 }, method: "GET", path: "/api/v1/clusters" });
  };
  const removal = { object: prod, provider: "vsphere", uid: "1", witnesses: [], facts: FREE };
  show("capvs");
  played.simulator.inject({ kind: "status", status: 202, body: {}, method: "DELETE", times: 1 });
  played.simulator.onResponse = ({ method }) => {
    if (method !== "DELETE") return;
    played.simulator.heal();
    show("capcd");
  };
  await deleteObject(played.context, removal);
  expect(played.journal().of(prod).deletion).toMatchObject({ answer: "done" });
  await expect(deleteObject(played.context, removal)).rejects.toMatchObject({ code: "NOT_OURS" });
});

test("a cluster whose phase is Failed for a minute fails the wait, and one that recovers before does not", async () => {
  const show = (phase: string) => {
    played.simulator.heal();
    const conditions = [{ type: "InfrastructureReady", status: "False", lastTransitionTime: "2026-01-01T00:00:00Z" }];
    const items = [{ clusterName: "prod", providerType: "capvs", providerConfigID: "vsphere", phase, conditions }];
    played.simulator.inject({ kind: "status", status: 200, body: { items, count: 1 }, method: "GET" });
  };
  const objects = [{ ...prod, waitedFor: true }];
  show("Failed");
  played.clock.at(50, () => show("Provisioned"));
  await waitForObjects(played.context, objects);
  show("Failed");
  const before = played.clock.seconds;
  expect(await failureOf(waitForObjects(played.context, objects))).toMatchObject({
    code: "READY_TIMEOUT",
    message: expect.stringContaining("Failed [InfrastructureReady=False]"),
    failure: {
      remedies: [
        { code: "APPLY", when: "conditions are met" },
        { code: "REPLACE", objects },
      ],
    },
  });
  expect(played.clock.seconds - before).toBeLessThan(70);
});

test("a cluster that is being deleted is not there, also if it need not be ready", async () => {
  const show = (...items: object[]) => {
    played.simulator.heal();
    played.simulator.inject({ kind: "status", status: 200, body: { items, count: items.length }, method: "GET" });
  };
  const cluster = { clusterName: "prod", providerType: "capvs", providerConfigID: "vsphere", phase: "Deleting" };
  show(cluster);
  played.clock.at(30, () => show());
  expect(await failureOf(waitForObjects(played.context, [{ ...prod, waitedFor: false }]))).toMatchObject({
    code: "OBJECT_MISSING",
  });
  expect(played.clock.seconds).toBeCloseTo(40, -1);
  expect(played.said).toContain("cluster prod: being deleted on the service (0s)");
});

test("an object that the stack has perhaps deleted is waited for until it counts as live, although readySeconds is less", async () => {
  played.journal().deletionSent(vsphere, "1");
  const context = { ...played.context, times: { ...played.context.times, readySeconds: 60 } };
  await waitForObjects(context, [{ ...vsphere, waitedFor: false }]);
  expect(played.clock.seconds).toBeCloseTo(300, -1);
  expect(played.said).toContainEqual(expect.stringMatching(/^0 of 1 objects are there \(/));
});

test("a wait names only the clusters that changed", async () => {
  const phases = new Map(["a", "b", "c", "d", "e", "f", "g"].map((name) => [name, "Pending"]));
  const show = (phase: string, ...names: string[]) => {
    for (const name of names) phases.set(name, phase);
    played.simulator.heal();
    const items = [...phases].map(([clusterName, phase]) => ({
      ...{ clusterName, phase, providerType: "capvs", providerConfigID: "vsphere", conditions: [] },
    }));
    played.simulator.inject({ kind: "status", status: 200, body: { items, count: items.length }, method: "GET" });
  };
  show("Pending");
  played.clock.at(12, () => show("Provisioning", "b"));
  played.clock.at(52, () => show("Provisioned", "a", "b", "c", "d", "e", "f"));
  played.clock.at(62, () => show("Provisioned", "g"));
  await waitForObjects(
    played.context,
    [...phases.keys()].map((name) => ({ ...prod, name, waitedFor: true })),
  );
  expect(played.said.filter((line) => !line.startsWith("waiting"))).toEqual([
    "0 of 7 clusters are ready (0s, 10m00s left); changed: a Pending, b Pending, c Pending, d Pending, e Pending, and 2 more",
    "cluster b: Provisioning (15s)",
    "0 of 7 clusters are ready (50s, 9m10s left)",
    "6 of 7 clusters are ready (55s, 9m05s left); changed: a Provisioned, b Provisioned, c Provisioned, d Provisioned, e Provisioned, and 1 more",
    "cluster g: Provisioned (1m05s)",
    "all 7 clusters are ready after 1m05s",
  ]);
});

test("a cancelled call says what it leaves behind, and other calls of its client continue", async () => {
  const objects = [{ ...prod, waitedFor: true }];
  const cancel = new AbortController();
  const cancellation = cancelledBy(cancel.signal);
  played.clock.at(2, () => cancel.abort("Terraform stops"));
  played.simulator.timing.provisionSeconds = 1_000;
  played.simulator.add("clusters", "capvs", clusterBody("prod"));
  played.clock.at(4, () => (played.simulator.timing.provisionSeconds = 0));
  const [one, other] = await Promise.allSettled([
    waitForObjects({ ...played.context, cancellation }, objects),
    waitForObjects(played.context, objects),
  ]);
  expect(one).toMatchObject({
    reason: { code: "INTERRUPTED", message: expect.stringContaining("stopped (Terraform stops). The service continues") },
  });
  expect(other).toMatchObject({ status: "fulfilled" });
});
