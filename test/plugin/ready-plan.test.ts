import { thisMachine } from "../../src/host/machine";
import { readProviderSettings } from "../../src/contract/provider-settings";
import type { JsonObject } from "../../src/model/provider-type";
import { notesFolder } from "../../src/host/notes-folder";
import { Journal } from "../../src/lifecycle/journal";
import { Redactor } from "../../src/util/redaction";
import type { ObjectRef } from "../../src/model/object-ref";
import { Ledger } from "../../src/plugin/resources/ledger";
import { readyResource } from "../../src/plugin/resources/ready-resource";
import { Session } from "../../src/plugin/resources/session";
import type { ProviderCall } from "../../src/plugin/server/provider";
import type { Diagnostic } from "../../src/terraform/diagnostic";
import { UNKNOWN, type ObjectValue } from "../../src/terraform/value";
import { FREE, Played } from "../lifecycle/played";

/** Which endpoints a plan knows, without Terraform. Dependents of an unknown endpoint are replaced. */

const [x, y] = ["capvs/clusters/x", "capvs/clusters/y"] as const;
const cluster = (name: string): ObjectRef => ({ type: "capvs", kind: "clusters", name });

let played: Played;
let ledger: Ledger;
let session: Session;

beforeEach(async () => {
  played = await Played.open();
  ledger = new Ledger();
  newRun();
});

afterEach(() => played.close());

function newRun(settings: ObjectValue = {}): void {
  const run = { env: {}, adoptions: new Set<string>(), gone: new Set<string>() };
  const read = readProviderSettings(settings);
  session = new Session(read, played.context, new Redactor(), thisMachine(), run);
}

const shown: { cancel(): void }[] = [];

/** The phases and endpoints that the list has from now on. */
function lives(clusters: Readonly<Record<string, readonly [phase: string, endpoint: string]>>): void {
  shown.splice(0).forEach((fault) => fault.cancel());
  const items: JsonObject[] = Object.entries(clusters).map(([clusterName, [phase, apiEndpoint]]) => ({
    clusterName,
    providerType: "capvs",
    phase,
    apiEndpoint,
  }));
  const body = { items, count: items.length };
  shown.push(played.simulator.inject({ kind: "status", status: 200, body, method: "GET", path: "/api/v1/clusters" }));
}

const resource = () => readyResource(ledger);
const call = () => ({ configured: session, report: () => {}, log: { info: () => {} } }) as unknown as ProviderCall<Session>;
const stored = (more: ObjectValue = {}): ObjectValue => ({
  id: "7",
  objects: { [x]: "uid of x" },
  wait_for: [x],
  endpoints: { [x]: "10.0.0.1:6443" },
  phases: { [x]: "Provisioned" },
  ...more,
});

const read = async (state: ObjectValue) => (await resource().read({ state }, call())).state!;

async function plan(prior: ObjectValue | null, objects: ObjectValue | typeof UNKNOWN): Promise<ObjectValue> {
  const wait_for = objects === UNKNOWN ? [] : Object.keys(objects);
  const proposed = { ...(prior ?? { id: null, endpoints: null, phases: null }), objects, wait_for };
  return (await resource().plan({ prior, proposed, config: proposed }, call())).planned!;
}

test("an endpoint stays known while its cluster has the same uid, whatever the lists show", async () => {
  for (const [list, phase, endpoint] of [
    [{ x: ["Scaling", "10.0.0.1:6443"] }, "Scaling", "10.0.0.1:6443"],
    [{ x: ["Scaling", ""] }, "Scaling", "10.0.0.1:6443"],
    [{}, "Provisioned", "10.0.0.1:6443"],
    // The service itself changes it.
    [{ x: ["Provisioned", "10.0.0.9:6443"] }, "Provisioned", "10.0.0.9:6443"],
  ] as const) {
    lives(list as never);
    newRun();
    const prior = await read(stored());
    expect(prior).toMatchObject({ phases: { [x]: phase }, endpoints: { [x]: endpoint } });
    expect(await plan(prior, { [x]: "uid of x" })).toMatchObject({ endpoints: { [x]: endpoint } });
    // Another cluster is new, and x stays known.
    expect((await plan(prior, { [x]: "uid of x", [y]: UNKNOWN })).endpoints).toEqual({ [x]: endpoint, [y]: UNKNOWN });
  }
});

test("the values of another service's cluster of the name are not taken over", async () => {
  lives({ x: ["Failed", "10.0.0.9:6443"] });
  ledger.record(cluster("x"), { service: "https://old.example.com" });
  expect(await read(stored())).toEqual(stored());
});

test("an endpoint is unknown if its cluster is new, replaced or has none yet", async () => {
  expect((await plan(null, { [x]: "uid of x", [y]: UNKNOWN })).endpoints).toEqual({ [x]: UNKNOWN, [y]: UNKNOWN });
  expect((await plan(stored(), { [x]: UNKNOWN })).endpoints).toEqual({ [x]: UNKNOWN });
  expect((await plan(stored(), { [x]: "another uid" })).endpoints).toEqual({ [x]: UNKNOWN });
  const early = stored({ endpoints: { [x]: "" }, phases: { [x]: "Provisioning" } });
  expect((await plan(early, { [x]: "uid of x" })).endpoints).toEqual({ [x]: UNKNOWN });
  expect((await plan(stored(), UNKNOWN)).endpoints).toBe(UNKNOWN);
});

test("an object that was imported again has another uid and the same endpoint", async () => {
  lives({ x: ["Provisioned", "10.0.0.1:6443"] });
  ledger.record(cluster("x"), { uid: "uid of the import", service: played.simulator.url });
  const prior = await read(stored());
  expect(await plan(prior, { [x]: "uid of the import" })).toBe(prior);

  // It was replaced by an apply with -target, and the new one has no endpoint yet.
  lives({ x: ["Provisioning", ""] });
  newRun();
  const replaced = await read(stored());
  expect((await plan(replaced, { [x]: "uid of the import" })).endpoints).toEqual({ [x]: UNKNOWN });
});

test("a cluster that the first list lacks, and a later list of the plan shows, has its live values", async () => {
  lives({});
  played.clock.at(2, () => lives({ x: ["Scaling", "10.0.0.9:6443"] }));
  await session.presence.read(cluster("x"), played.simulator.url, "uid of x");
  expect(await read(stored())).toMatchObject({ phases: { [x]: "Scaling" }, endpoints: { [x]: "10.0.0.9:6443" } });
});

test("an apply has every planned endpoint, and waits for one that a lagging list lacks", async () => {
  const planned = stored({
    objects: { [x]: "uid of x", [y]: "uid of y" },
    wait_for: [x],
    endpoints: { [x]: "10.0.0.1:6443", [y]: UNKNOWN },
    phases: UNKNOWN,
  });
  const both = { x: ["Provisioned", "10.0.0.9:6443"], y: ["Provisioning", "10.0.0.2:6443"] } as const;
  lives(both);
  // After the wait has seen both for 250 ms.
  played.clock.at(0.2, () => lives({ x: both.x }));
  played.clock.at(5, () => lives(both));
  const { state } = await resource().update({ prior: stored(), planned, config: planned }, call());
  expect(state).toMatchObject({
    endpoints: { [x]: "10.0.0.1:6443", [y]: "10.0.0.2:6443" },
    phases: { [x]: "Provisioned", [y]: "Provisioning" },
  });
});

test("a provider block that is written by hand retains an object of an interrupted create", async () => {
  lives({ y: ["Provisioned", "10.0.0.2:6443"] });
  played.context.journal.createSent(cluster("y"), { declared: {} });
  const removed = (settings: ObjectValue) => {
    newRun(settings);
    ledger = new Ledger();
    return resource().delete({ prior: stored(), private: { hasAllObjects: true } } as never, call());
  };
  await expect(removed({})).rejects.toMatchObject({
    diagnostics: [{ detail: expect.stringContaining("Write the Platform again, because") }],
  });
  await removed({ retain: ["y"] });
  expect(played.context.journal.openCreates()).toEqual([]);
});

test("the resource of one cluster leaves the look for orphans to that of the Platform", async () => {
  lives({ y: ["Provisioned", "10.0.0.2:6443"] });
  played.context.journal.createSent(cluster("y"), { declared: {} });
  const removed = (hasAllObjects: boolean) => resource().delete({ prior: stored(), private: { hasAllObjects } } as never, call());
  await removed(false);
  const summary = expect.stringContaining(`on the service but not in the state: ${y}`) as string;
  await expect(removed(true)).rejects.toMatchObject({ diagnostics: [{ summary }] });
});

test("after its Platform has left the code, a deletion looks for the orphans of that Platform", async () => {
  const applied = async (settings: ObjectValue) => {
    newRun({ declared: [x], ...settings });
    const planned = await resource().plan({ prior: null, proposed: stored(), config: stored() }, call());
    return (await resource().create({ planned: stored(), config: stored(), private: planned.private }, call())).private;
  };
  const removed = async (memory: unknown, settings: ObjectValue = {}) => {
    ledger = new Ledger();
    newRun(settings);
    const request = { prior: stored(), proposed: null, config: null, private: memory as never };
    const { private: planned } = await resource().plan(request, call());
    await resource().delete({ ...request, private: planned }, call());
  };
  const place = { workspace: "other", platform: "lab" };
  const orphan = cluster("y");
  const note = (service: Played["context"]["journal"]) => service.at(place).createSent(orphan, { declared: {} });
  lives({ x: ["Provisioned", "10.0.0.1:6443"], y: ["Provisioned", "10.0.0.2:6443"] });
  const memory = await applied({ workspace: "other", platform: "lab" });
  expect(memory).toEqual({ hasAllObjects: true, place });
  note(played.context.journal);
  const leftAlone = { diagnostics: [{ summary: expect.stringContaining(`on the service but not in the state: ${y}`) }] };
  await expect(removed(memory)).rejects.toMatchObject(leftAlone);
  // The wait of an update has failed.
  await expect(removed({ ...(memory as object), isNotRemoved: true })).rejects.toMatchObject(leftAlone);
  // The notes of another Platform or workspace are not looked for, and neither are those of a block that is still there.
  await removed({ hasAllObjects: true, place: { ...place, workspace: "default" } });
  await removed({ hasAllObjects: true, place: { ...place, platform: "" } });
  await removed(memory, { declared: [] });

  lives({});
  await removed(memory);
  expect(played.context.journal.at(place).openCreates()).toEqual([]);

  // Lists of another service prove nothing.
  const url = "https://old.example.com";
  note(new Journal({ notes: notesFolder(played.folder), url, workspace: "", run: "" }, played.clock));
  const elsewhere = `creating cluster y on the service at ${url}, but this run uses the one at ${played.simulator.url}`;
  await expect(removed(memory)).rejects.toMatchObject({ diagnostics: [{ summary: expect.stringContaining(elsewhere) }] });
});

test("a protected cluster that is missing is created again without a permission to delete it, and one that has failed is not", async () => {
  const apply = () => resource().update({ prior: stored(), planned: stored(), config: stored() }, call());
  const saying = (text: string) => ({ diagnostics: [{ detail: expect.stringContaining(text) }] });
  newRun({ deletion_protection: ["x"] });
  lives({});
  await expect(apply()).rejects.toMatchObject(
    saying("Really gone: create it again with CLUSTER_PLATFORM_ACCEPT_GONE=capvs/clusters/x terraform apply"),
  );
  lives({ x: ["Failed", ""] });
  await expect(apply()).rejects.toMatchObject(
    saying(
      `allowDeletion: ["capvs/clusters/x"] on the Platform, then terraform apply -replace='clusterplatform_capvs_cluster.x'`,
    ),
  );
});

test("a plan names what an interrupted apply of a Platform that has left the code may have created", async () => {
  played.context.journal.at({ workspace: "default", platform: "lab" }).createSent(cluster("y"), { declared: {} });
  const warned = async (settings: ObjectValue = {}) => {
    newRun({ declared: [x], ...settings });
    const warnings: string[] = [];
    const report = ({ summary }: Diagnostic) => void warnings.push(summary);
    const { planned } = await resource().plan({ prior: stored(), proposed: stored(), config: stored() }, { ...call(), report });
    return { warnings, runs: planned!.phases === UNKNOWN };
  };
  lives({ x: ["Provisioned", "10.0.0.1:6443"], y: ["Provisioned", "10.0.0.2:6443"] });
  expect(await warned()).toEqual({
    warnings: ["cluster y is on the service, and an interrupted apply of a Platform that has left the code created it"],
    runs: true,
  });
  expect(await warned({ retain: ["y"] })).toEqual({
    warnings: ["retain lets go of cluster y, which an interrupted apply may have created"],
    runs: true,
  });
  expect(await warned({ declared: [x, y] })).toEqual({ warnings: [], runs: false });
});

test("a provider is refused only for clusters that are on it after the apply", async () => {
  const spare: ObjectRef = { type: "capvs", kind: "providers", name: "spare" };
  const facts = { ...FREE, transition: "replace", live: "own" } as const;
  const item = { clusterName: "y", providerType: "capvs", providerConfigID: "spare", phase: "Provisioned" };
  const planned = async (changes: JsonObject = {}) => {
    shown.splice(0).forEach((fault) => fault.cancel());
    const body = { items: [{ ...item, ...changes }], count: 1 };
    shown.push(played.simulator.inject({ kind: "status", status: 200, body, method: "GET", path: "/api/v1/clusters" }));
    newRun({ declared: [x] });
    ledger.planned(spare, { leaving: { value: { declared_at: "eu/spare" }, facts } });
    const reported: string[] = [];
    const proposed = stored({ id: null });
    const report = ({ severity, summary }: Diagnostic) => void reported.push(`${severity}: ${summary}`);
    await resource().plan({ prior: null, proposed, config: proposed }, { ...call(), report });
    return reported;
  };
  const refused = { diagnostics: [{ summary: "[PROVIDER_IN_USE] capvs provider spare is used by y; nothing was sent" }] };
  await expect(planned()).rejects.toMatchObject(refused);
  expect(await planned({ providerConfigID: "other" })).toEqual([]);
  expect(await planned({ phase: "Deleting" })).toEqual([]);
  // Terraform has it in the state, and has not planned it yet.
  ledger = new Ledger();
  ledger.record(cluster("y"), {});
  expect(await planned()).toEqual([]);
  ledger.planned(cluster("y"), {});
  await expect(planned()).rejects.toMatchObject(refused);
  ledger.planned(cluster("y"), { leaving: { value: {}, facts } });
  expect(await planned()).toEqual([]);

  ledger = new Ledger();
  played.context.journal.deletionSent(cluster("y"), "uid of y");
  expect(await planned()).toEqual([]);
});

test("the state names what an apply creates until one is complete", async () => {
  lives({ x: ["Provisioned", "10.0.0.1:6443"], y: ["Provisioned", "10.0.0.2:6443"] });
  newRun({ declared: [x] });
  const complete = { hasAllObjects: true, place: session.place };
  const state = stored;
  const readAnew = async (before: object, stored: readonly string[], created: readonly string[] = []) => {
    ledger = new Ledger();
    for (const name of stored) ledger.recordStored(cluster(name), {});
    for (const name of created) ledger.claim(cluster(name), "create");
    return (await resource().read({ state: state(), private: { ...complete, ...before } }, call())).private;
  };
  expect(await readAnew({}, ["x"])).toEqual(complete);
  const interrupted = { ...complete, unfinished: [y] };
  expect(await readAnew({}, ["x"], ["y"])).toEqual(interrupted);
  const suspecting = { ...complete, suspected: [y] };
  expect(await readAnew(interrupted, ["x"])).toEqual(suspecting);
  expect(await readAnew(interrupted, ["x"], ["y"])).toEqual({ ...interrupted, ...suspecting });
  expect(await readAnew(suspecting, ["x", "y"])).toEqual(complete);

  const plan = (before: object) => {
    ledger = new Ledger();
    return resource().plan({ prior: stored(), proposed: stored(), config: stored(), private: { ...before } }, call());
  };
  const planned = await plan(interrupted);
  expect(planned.private).toMatchObject(suspecting);
  const applied = () =>
    resource().update({ prior: stored(), planned: stored(), config: stored(), private: planned.private }, call());
  await expect(applied()).rejects.toMatchObject({
    diagnostics: [{ summary: expect.stringContaining(`not in the state: ${y}`) }],
  });
  // Terraform plans the replacement of a tainted resource as a creation without a memory.
  expect(await readAnew(interrupted, ["x"])).toEqual(suspecting);
  const planAnew = () => resource().plan({ prior: null, proposed: stored(), config: stored() }, call());
  const { private: anew } = await planAnew();
  expect(anew).toMatchObject(suspecting);
  // The apply is another process.
  ledger = new Ledger();
  await resource().delete({ prior: stored(), private: anew } as never, call());
  expect((await planAnew()).private).toMatchObject(suspecting);
  // This machine has sent nothing for a name that was taken. It does not know that of another machine.
  session.context.journal.nameTaken(cluster("y"));
  expect(await readAnew(interrupted, ["x"])).toEqual(complete);
  expect(await readAnew(suspecting, ["x"])).toEqual(suspecting);
  expect((await plan(interrupted)).planned).toEqual(stored());
});
