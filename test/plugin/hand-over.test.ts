import { readProviderSettings } from "../../src/contract/provider-settings";
import { AcceptedGone } from "../../src/host/run-settings";
import { thisMachine } from "../../src/host/machine";
import type { ObjectRef } from "../../src/model/object-ref";
import type { JsonObject } from "../../src/model/provider-type";
import { Redactor } from "../../src/model/redaction";
import { Ledger } from "../../src/plugin/resources/ledger";
import { ObjectKind } from "../../src/plugin/resources/object-kind";
import { objectResource } from "../../src/plugin/resources/object-resource";
import { readyResource } from "../../src/plugin/resources/ready-resource";
import { Session } from "../../src/plugin/resources/session";
import type { Call } from "../../src/plugin/server/provider";
import { UNKNOWN, type ObjectValue } from "../../src/terraform/value";
import { clusterDeclaration } from "./cluster-declaration";
import { Played } from "../lifecycle/played";

/** Plans that give the provider's objects to hooks, without Terraform. Terraform forgets the objects without a refresh. */

const kind = new ObjectKind("capvs", "clusters");
const [x, y] = ["capvs/clusters/x", "capvs/clusters/y"] as const;
const ofY: ObjectRef = { type: "capvs", kind: "clusters", name: "y" };
const declaration = clusterDeclaration("x");
const declared = kind.declaredOf(kind.valueOf(declaration));

let played: Played;
let ledger: Ledger;

beforeEach(async () => {
  played = await Played.open();
  ledger = new Ledger();
  lives([{ clusterName: "x", providerType: "capvs", providerConfigID: "vsphere", controlplaneNodesCount: 3 }]);
});

afterEach(() => played.close());

let shown: { cancel(): void } | undefined;

function lives(items: readonly JsonObject[]): void {
  shown?.cancel();
  const body = { items, count: items.length };
  shown = played.simulator.inject({ kind: "status", status: 200, body, method: "GET", path: "/api/v1/clusters" });
}

interface Run {
  /** The declarations of the code. */
  readonly code?: ObjectValue | null;
  readonly isDestroy?: boolean;
  readonly gone?: boolean;
}

function sessionOf({ code = { [x]: declared }, isDestroy = false, gone = false }: Run = {}): Session {
  const run = { env: {}, adoptions: new Set<string>(), gone: new AcceptedGone(gone), formerUrls: [] };
  const machine = { ...thisMachine(), isDestroy: () => isDestroy };
  return new Session(readProviderSettings({ hand_over: code }), played.context, new Redactor(), machine, run);
}

const stored = (more: ObjectValue = {}): ObjectValue => ({
  ...kind.valueOf(declaration),
  id: x,
  uid: "7",
  service: played.simulator.url,
  declared_at: "stack/x",
  ...more,
});

/** Terraform loads the state of the object. */
async function load(state: ObjectValue = stored(), run?: Run): Promise<void> {
  await objectResource(kind, ledger, new Redactor()).loaded!(state, sessionOf(run));
}

const ready = (more: ObjectValue = {}): ObjectValue => ({
  id: "1",
  objects: { [x]: "7" },
  wait_for: [x],
  endpoints: { [x]: "10.0.0.1:6443" },
  phases: { [x]: "Provisioned" },
  handed_over: null,
  ...more,
});

async function planReady(prior: ObjectValue | null, run?: Run): Promise<ObjectValue> {
  const proposed = { id: null, endpoints: null, phases: null, handed_over: null, ...prior, objects: {}, wait_for: null };
  const call = { configured: sessionOf(run), report: () => {} } as unknown as Call<Session>;
  return (await readyResource(ledger).plan!({ prior, proposed, config: proposed }, call)).planned!;
}

const refusal = (summary: string, code: string) => ({
  diagnostics: [
    {
      severity: "error",
      summary: expect.stringMatching(new RegExp(`${summary}.*\\[${code}\\]$`)) as string,
      detail: expect.stringMatching(/Terraform keeps .*Nothing was sent\.\n.*engine.*stack\/x\.$/s) as string,
    },
  ],
});

test("an object passes that has the same declaration in the state, in the code and on the service", async () => {
  await load();
  expect(played.simulator.requests.map(({ method }) => method)).toEqual(["GET", "GET"]);
});

test.each<[string, string, ObjectValue, Run, string]>([
  ["leaves the code", "because it leaves the code in the same change", {}, { code: {} }, "INVALID_SETTING"],
  [
    "changes in the code",
    "because its declaration changes, too: podSubnet changes from 10.244.0.0/16 to 10.9.0.0/16",
    {},
    { code: { [x]: { ...declared, podSubnet: "10.9.0.0/16" } } },
    "ADOPT_MISMATCH",
  ],
  ["is not known yet", "value that Terraform does not know yet", {}, { code: { [x]: UNKNOWN } }, "INVALID_SETTING"],
  [
    "has a field that is not known yet",
    "value that Terraform does not know yet",
    {},
    { code: { [x]: { ...declared, podSubnet: UNKNOWN } } },
    "INVALID_SETTING",
  ],
  [
    "has just moved from hooks",
    "because no apply has succeeded since Terraform has it",
    { service: null },
    {},
    "INVALID_SETTING",
  ],
  ["is to be destroyed", "the plan deletes cluster x before it has moved", {}, { isDestroy: true }, "INVALID_SETTING"],
])("an object that %s is refused", async (_, summary, state, run, code) => {
  await expect(load(stored(state), run)).rejects.toMatchObject(refusal(summary, code));
});

test("an object on another service is refused", async () => {
  const summary = expect.stringContaining("the state names https://other as the service") as string;
  await expect(load(stored({ service: "https://other" }))).rejects.toMatchObject({ diagnostics: [{ summary }] });
});

test("an object is refused that differs on the service, that the service deletes, or that is gone", async () => {
  const other = { clusterName: "x", providerType: "capvs", providerConfigID: "vsphere" };
  lives([{ ...other, controlplaneNodesCount: 5 }]);
  await expect(load()).rejects.toMatchObject(refusal("controlPlane.count is 5, declared is 3", "ADOPT_MISMATCH"));
  lives([{ ...other, phase: "Deleting" }]);
  await expect(load()).rejects.toMatchObject(refusal("the service is deleting it", "OBJECT_MISSING"));
  lives([]);
  await expect(load(stored(), { gone: true })).rejects.toMatchObject(
    refusal("it is not on the service any more", "OBJECT_MISSING"),
  );
});

test("hooks may adopt the declared objects that the state had, also after an apply that ended early", async () => {
  await load();
  const planned = await planReady(ready({ objects: { [x]: "7", [y]: "8" } }));
  expect(planned).toMatchObject({ id: "1", objects: {}, endpoints: {}, phases: {}, handed_over: [x] });
  expect(await planReady(planned)).toEqual(planned);
  // A cluster that leaves the code is not adopted if it comes back.
  expect(await planReady(planned, { code: {} })).toMatchObject({ handed_over: [] });
});

test("a new state has nothing that hooks may adopt", async () => {
  expect(await planReady(null)).toMatchObject({ id: UNKNOWN, handed_over: [] });
});

test.each<[string, ObjectValue | null]>([
  ["another object", ready({ objects: { [y]: "8" } })],
  ["nothing", null],
])("an object that no apply has completed is refused in either order, if the state waits for %s", async (_, prior) => {
  const summary = "because no apply has succeeded since Terraform has it";
  const refused = expect.objectContaining({
    diagnostics: [expect.objectContaining({ summary: expect.stringContaining(summary) })],
  });
  await load();
  await expect(planReady(prior)).rejects.toEqual(refused);

  ledger = new Ledger();
  await planReady(prior);
  await expect(load()).rejects.toEqual(refused);
});

test("an object at another address is not deleted", async () => {
  const call = { configured: sessionOf(), report: () => {} } as unknown as Call<Session>;
  const plan = objectResource(kind, ledger, new Redactor()).plan!;
  await expect(plan({ prior: stored(), proposed: null, config: null }, call)).rejects.toMatchObject(
    refusal("the plan deletes cluster x before it has moved to an engine with hooks", "INVALID_SETTING"),
  );
});

test("the provider takes back what it has handed over", async () => {
  const call = { configured: sessionOf({ code: null }), report: () => {} } as unknown as Call<Session>;
  const prior = ready({ objects: {}, handed_over: [x, y], wait_for: null });
  const proposed = { ...prior, objects: { [y]: "8" } };
  ledger.record(ofY, {});
  const { planned } = await readyResource(ledger).plan!({ prior, proposed, config: proposed }, call);
  expect(planned).toMatchObject({ objects: { [y]: "8" }, handed_over: null });
});
