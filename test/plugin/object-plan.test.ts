import { thisMachine } from "../../src/host/machine";
import { fromJson } from "../../src/declarations/terraform/json";
import type { LifecycleError } from "../../src/lifecycle/lifecycle-error";
import { inWords } from "../../src/lifecycle/remedy-words";
import type { ObjectRef } from "../../src/model/object-ref";
import type { JsonObject } from "../../src/model/provider-type";
import { Redactor } from "../../src/util/redaction";
import { Ledger } from "../../src/plugin/resources/ledger";
import { ObjectKind } from "../../src/plugin/resources/object-kind";
import type { ObjectMemory } from "../../src/plugin/resources/object-memory";
import { planObject } from "../../src/plugin/resources/object-plan";
import type { Explained } from "../../src/plugin/resources/failures";
import { objectResource } from "../../src/plugin/resources/object-resource";
import { readProviderSettings } from "../../src/contract/provider-settings";
import { Session } from "../../src/plugin/resources/session";
import type { InjectedFault } from "../../src/simulator";
import type { Diagnostic } from "../../src/terraform/diagnostic";
import { Unknown, UNKNOWN, type ObjectValue } from "../../src/terraform/value";
import { goldens } from "../goldens";
import { providerBody } from "../simulator/bodies";
import { clusterDeclaration, size } from "./cluster-declaration";
import { Played } from "../lifecycle/played";

/** Plans of one object, and their refusals, without Terraform. */

const kind = new ObjectKind("capvs", "clusters");
const declaration = clusterDeclaration("prod");

let played: Played;
let ledger: Ledger;
let warnings: Diagnostic[];
let shown: InjectedFault | undefined;

beforeEach(async () => {
  shown = undefined;
  played = await Played.open();
  played.simulator.add("providers", "capvs", providerBody("vsphere"));
  ledger = new Ledger();
  warnings = [];
  lives([]);
});

afterEach(() => played.close());

function lives(items: readonly JsonObject[]): void {
  shown?.cancel();
  const body = { items, count: items.length };
  shown = played.simulator.inject({ kind: "status", status: 200, body, method: "GET", path: "/api/v1/clusters" });
}

const prod: ObjectRef = { type: "capvs", kind: "clusters", name: "prod" };
const live = { clusterName: "prod", providerType: "capvs", providerConfigID: "vsphere", controlplaneNodesCount: 3 };

const declared = (changes: JsonObject = {}): ObjectValue => kind.valueOf({ ...declaration, ...changes });
const stored = (changes: JsonObject = {}, more: ObjectValue = {}): ObjectValue => ({
  ...declared(changes),
  id: "capvs/clusters/prod",
  uid: "7",
  service: played.simulator.url,
  ...more,
});

interface Question {
  readonly prior?: ObjectValue | null;
  readonly proposed: ObjectValue | null;
  readonly memory?: ObjectMemory;
  /** Whether the lists ten seconds later lack the object. @default - they show what the plan remembers */
  readonly isGoneLater?: boolean;
  readonly settings?: ObjectValue;
  readonly adoptions?: readonly string[];
  readonly gone?: readonly string[];
  /** Of Terraform. */
  readonly arguments?: string;
}

type SessionOptions = Pick<Question, "adoptions" | "gone" | "arguments">;

function sessionOf(settings: ObjectValue, { adoptions = [], gone = [], arguments: given = "" }: SessionOptions = {}): Session {
  const run = {
    env: { TF_CLI_ARGS_plan: given },
    adoptions: new Set(adoptions),
    gone: new Set(gone),
  };
  return new Session(readProviderSettings(settings), played.context, new Redactor(), thisMachine(), run);
}

/** The live values ten seconds later. @default - what the service shows */
let mockLater: ObjectMemory["live"];

jest.mock("../../src/plugin/resources/accepted-live", () => {
  const actual: typeof import("../../src/plugin/resources/accepted-live") = jest.requireActual(
    "../../src/plugin/resources/accepted-live",
  );
  const confirmedLive: typeof actual.confirmedLive = async (...given) => mockLater ?? actual.confirmedLive(...given);
  return { ...actual, confirmedLive };
});

const planning = (of: ObjectKind, session: Session) => ({
  kind: of,
  ledger,
  session,
  report: (warning: Diagnostic) => void warnings.push(warning),
});

async function plan({ prior = null, proposed, memory, isGoneLater, settings = {}, ...options }: Question) {
  const session = sessionOf(settings, options);
  mockLater = isGoneLater ? undefined : memory?.live;
  const filled =
    proposed && prior ? { ...proposed, id: prior.id!, uid: prior.uid!, service: prior.service!, drift: prior.drift! } : proposed;
  return planObject(planning(kind, session), { prior, proposed: filled, config: proposed, private: memory });
}

/** In a new run. */
function planAnew(question: Question, recorded: readonly ObjectRef[] = []) {
  ledger = new Ledger();
  for (const object of recorded) ledger.record(object, { provider_name: "vsphere", service: played.simulator.url });
  return plan(question);
}

test("an unknown value replaces the object, and is shown as unknown", async () => {
  const workers = { default: { ...((declared().workers as ObjectValue).default as ObjectValue), count: UNKNOWN } };
  const { planned, requiresReplace } = await plan({ prior: stored(), proposed: { ...declared(), workers } });
  expect(requiresReplace).toEqual([["workers", { key: "default" }, "count"]]);
  expect(planned).toMatchObject({ id: "capvs/clusters/prod", uid: expect.any(Unknown) });
  const protectedToo = plan({ prior: stored({}, { deletion_protection: true }), proposed: { ...declared(), workers: UNKNOWN } });
  await expect(protectedToo).rejects.toMatchObject({ code: "PROTECTED" });
  // A protection in the change itself refuses it too.
  const both = plan({ prior: stored(), proposed: { ...declared(), workers: UNKNOWN, deletion_protection: true } });
  await expect(both).rejects.toMatchObject({ code: "PROTECTED" });
  // An unknown name cannot be looked up, so it cannot be taken.
  lives([live]);
  expect((await plan({ proposed: { ...declared(), name: UNKNOWN } })).planned).toMatchObject({ drift: null });
});

test("all changed fields are named with both values, and long values are shortened", async () => {
  const proposed = declared({
    productVersion: `3.0.0-${"x".repeat(100)}`,
    ingress: "apps.example.com",
    workers: [{ group: "gpu", count: 1, ...size }],
  });
  const refused = plan({ prior: stored({}, { deletion_protection: true }), proposed });
  await expect(refused).rejects.toThrow(
    /ingress changes from not set to apps\.example\.com, product_version changes from 2\.5\.0 to 3\.0\.0-x+…, workers\["default"\]\.count changes from 2 to not set/,
  );
  const { requiresReplace } = await plan({ prior: stored(), proposed });
  expect(requiresReplace).toContainEqual(["workers", { key: "gpu" }, "count"]);
});

test("a default, a path, a protection or the live value changes only the state", async () => {
  const prior = stored(
    {},
    { declared_at: "stack/prod", drift: { "control_plane.count": "declared 3, live 5", secure: "declared true, live false" } },
  );
  const moved = await plan({ prior, proposed: { ...declared(), declared_at: "stack/elsewhere/prod" } });
  expect(moved.planned).toBe(prior);
  const memory = { live: { "controlPlane.count": "5", secure: "false" } };
  const proposed = { ...declared({ ingress: "", controlPlane: { count: 5, ...size } }), deletion_protection: true };
  const recorded = await plan({ prior, proposed, memory });
  expect(recorded).toMatchObject({
    planned: { drift: { secure: "declared true, live false" } },
    private: { live: { secure: "false" } },
  });
  expect(recorded.requiresReplace).toBeUndefined();
  // A value that differs from the live one too still replaces.
  const other = await plan({ prior, proposed: declared({ controlPlane: { count: 4, ...size } }), memory });
  expect(other.requiresReplace).toEqual([["control_plane", "count"]]);
});

test("a declaration may take over whatever the warning of a difference shows", async () => {
  const group = { group: "gpu", count: 2, ...size };
  const [withGroup, without] = [{ workers: [...(declaration.workers as JsonObject[]), group] }, {}];
  const added = { prior: stored(without), proposed: declared(withGroup), memory: { live: { "workers.gpu.count": "2" } } };
  expect(await plan(added)).toMatchObject({ planned: { drift: null }, private: {} });
  expect(warnings).toMatchObject([
    {
      summary:
        'the declaration of cluster prod takes over live values; 3 fields could not be checked: workers["gpu"].cpus, workers["gpu"].disk_gib, workers["gpu"].memory_mib',
      detail: "Make sure that the declaration has the live values.",
    },
  ]);
  warnings = [];
  const removed = { prior: stored(withGroup), proposed: declared(without), memory: { live: { "workers.gpu.count": "0" } } };
  // The service shows an address with its port, and the default of secure.
  const shown = { live: { apiEndpoint: "10.0.0.9", secure: "true" } };
  const address = { prior: stored({ secure: false }), proposed: declared({ apiEndpoint: "10.0.0.9" }), memory: shown };
  for (const question of [removed, address]) expect((await plan(question)).requiresReplace).toBeUndefined();
  expect(warnings).toEqual([]);

  // Another number of nodes, a field of a group that stays, and an unknown value are no live values.
  const live = { "workers.gpu.count": "3" };
  expect((await plan({ ...added, memory: { live } })).requiresReplace).toContainEqual(["workers", { key: "gpu" }, "cpus"]);
  const larger = declared({ workers: [{ group: "default", count: 5, ...size, cpus: 8 }] });
  expect(
    (await plan({ prior: stored(), proposed: larger, memory: { live: { "workers.default.count": "5" } } })).requiresReplace,
  ).toEqual([["workers", { key: "default" }, "cpus"]]);
  const workers = declared(withGroup).workers as ObjectValue;
  const open = { ...declared(), workers: { ...workers, gpu: { ...(workers.gpu as ObjectValue), cpus: UNKNOWN } } };
  expect((await plan({ ...added, proposed: open })).requiresReplace).toEqual([["workers", { key: "gpu" }, "cpus"]]);
});

test("the values of another object are not taken over", async () => {
  lives([{ ...live, providerConfigID: "other" }]);
  const proposed = declared({ provider: "other" });
  const question = { prior: stored(), proposed, memory: { live: { provider: "other" } } };
  await expect(plan(question)).rejects.toMatchObject({ code: "NOT_OURS" });
  expect(await plan({ ...question, proposed: { ...proposed, adopt: true }, settings: { retain: ["prod"] } })).toMatchObject({
    planned: { provider_name: "other" },
  });
});

test("live values are not taken over if a list ten seconds later lacks the object", async () => {
  const proposed = declared({ controlPlane: { count: 5, ...size } });
  const question = { prior: stored(), proposed, memory: { live: { "controlPlane.count": "5" } } };
  expect((await plan(question)).requiresReplace).toBeUndefined();
  await expect(plan({ ...question, isGoneLater: true })).rejects.toMatchObject({
    code: "OBJECT_MISSING",
    message: expect.stringContaining("a list ten seconds later lacks it. Nothing was changed"),
  });
});

test("a live object that no apply deletes has no -replace among its remedies, and each difference has a name", async () => {
  const resource = objectResource(kind, ledger, new Redactor());
  const report = (diagnostic: Diagnostic) => void warnings.push(diagnostic);
  const read = async (changes: JsonObject) => {
    warnings = [];
    lives([{ ...live, ...changes }]);
    const { state } = await resource.read({ state: stored() }, { configured: sessionOf({}), report } as never);
    return { drift: state!.drift, codes: (warnings as Explained[])[0]!.remedies.map(({ code }) => code) };
  };
  expect(await read({ providerType: "capcd" })).toEqual({
    drift: { type: "declared capvs, live capcd" },
    codes: ["RETAIN", "DECIDE"],
  });
  expect(await read({ providerConfigID: "other" })).toEqual({
    drift: { provider_name: "declared vsphere, live other" },
    codes: ["RETAIN"],
  });
  expect((await read({ controlplaneNodesCount: 5 })).codes).toEqual(["DECLARE_LIVE", "REPLACE"]);
});

test("a provider may take over live versions and the removal of its address pool", async () => {
  const providers = new ObjectKind("capvs", "providers");
  const { declaration: minimal } = goldens.capvs.provider.minimal;
  const templates = (...versions: string[]) =>
    versions.map((kubernetesVersion) => ({
      template: `ubuntu-${kubernetesVersion}`,
      kubernetesVersion: `v${kubernetesVersion}`,
    }));
  const values = providers.valueOf({ ...minimal, templates: templates("1.28.3", "1.27.1"), ipAddressPoolName: "pool" });
  const prior = { ...values, service: played.simulator.url };
  const proposed = providers.valueOf({ ...minimal, templates: templates("1.28.3", "1.29.0") });
  const memory = { live: { templates: "1.28.3, 1.29.0", ipAddressPoolName: "none" } };
  mockLater = memory.live;
  const { requiresReplace, private: rest } = await planObject(planning(providers, sessionOf({})), {
    prior,
    proposed,
    config: proposed,
    private: memory,
  });
  expect([requiresReplace, rest, warnings]).toEqual([undefined, {}, []]);
});

test("a name that moves to another address is refused, in whichever order Terraform asks", async () => {
  const refused = {
    code: "MISPLACED",
    message: expect.stringContaining("two addresses"),
  };
  await plan({ prior: stored(), proposed: null });
  await expect(plan({ proposed: declared() })).rejects.toMatchObject(refused);

  ledger = new Ledger();
  await plan({ proposed: declared() });
  await expect(plan({ prior: stored(), proposed: null })).rejects.toMatchObject(refused);

  // Terraform may load the state before it plans the new address. The creation then looks like that of -replace.
  ledger = new Ledger();
  ledger.record(prod, stored());
  await plan({ proposed: declared() });
  await expect(plan({ prior: stored(), proposed: null })).rejects.toMatchObject(refused);

  // With another name for the object, the result is the same.
  ledger = new Ledger();
  await plan({ prior: stored(), proposed: declared({ name: "other" }) });
  await expect(plan({ proposed: declared() })).rejects.toMatchObject(refused);

  ledger = new Ledger();
  await plan({ prior: stored(), proposed: declared() });
  await expect(plan({ prior: stored(), proposed: null })).rejects.toMatchObject({
    message: expect.stringContaining("two addresses"),
  });
});

test("a part of the code deletes no object that the code declares at another address", async () => {
  const settings = { declared: ["capvs/clusters/prod"] };
  const removed = (given: string) => planAnew({ prior: stored(), proposed: null, settings, arguments: given });
  const renamed = planAnew({ prior: stored(), proposed: declared({ name: "other" }), settings, arguments: "-target=a.b" });
  const refused = { code: "MISPLACED", message: expect.stringContaining("two addresses") };
  await expect(renamed).rejects.toMatchObject(refused);
  for (const given of ["-target=a.b", "-refresh=false -exclude=a.b"]) await expect(removed(given)).rejects.toMatchObject(refused);
  for (const given of ["", "-destroy -target=a.b"]) expect(await removed(given)).toMatchObject({ planned: null });
  expect(await planAnew({ prior: stored(), proposed: null, arguments: "-target=a.b" })).toMatchObject({ planned: null });
});

test("a taken name is refused, unless a note or the user explains it", async () => {
  lives([live]);
  await expect(planAnew({ proposed: declared(), settings: { platform: "eu" } })).rejects.toMatchObject({
    code: "NAME_TAKEN",
    failure: { remedies: expect.arrayContaining([{ code: "ADOPT", objects: [prod], isRenamed: false }]) },
  });
  expect(await planAnew({ proposed: { ...declared(), adopt: true } })).toBeDefined();
  expect(await planAnew({ proposed: declared(), adoptions: ["capvs/clusters/prod"] })).toBeDefined();
  const mismatch = planAnew({ proposed: { ...declared({ controlPlane: { count: 5, ...size } }), adopt: true } });
  await expect(mismatch).rejects.toMatchObject({
    code: "ADOPT_MISMATCH",
    message: expect.stringContaining("control_plane.count is 3, declared is 5"),
  });
  // An unknown value is no difference.
  lives([{ ...live, secure: false }]);
  expect(await planAnew({ proposed: { ...declared(), secure: UNKNOWN, adopt: true } })).toBeDefined();

  lives([live]);
  played.journal("default", "an earlier run").createSent(prod, { declared: kind.declaredOf(declared()) });
  expect(await planAnew({ proposed: declared() })).toBeDefined();
  const changed = { ...declared(), product_version: "2.6.0" };
  await expect(planAnew({ proposed: changed })).rejects.toMatchObject({
    code: "NAME_TAKEN",
    failure: { changed: ["productVersion"], remedies: expect.arrayContaining([expect.objectContaining({ code: "DECIDE" })]) },
  });
  await expect(planAnew({ proposed: { ...changed, adopt: true } })).rejects.toMatchObject({ code: "ADOPT_MISMATCH" });
  // What the apply sends is not known yet.
  expect(await planAnew({ proposed: { ...changed, product_version: UNKNOWN } })).toBeDefined();
});

test("the command of a taken name has all declared names that the service has and the state lacks", async () => {
  const names = ["prod", "lab", "own", "known", "new"];
  lives(["prod", "lab", "own", "known", "somebody-elses"].map((clusterName) => ({ ...live, clusterName })));
  const ids = names.map((name) => `capvs/clusters/${name}`);
  played.context.journal.createSent({ ...prod, name: "own" }, { declared: {}, digest: "" }, 600);
  const known = [{ ...prod, name: "known" }];
  const refusal = async (settings: ObjectValue) => {
    const error = (await planAnew({ proposed: declared(), settings }, known).catch(
      (thrown: unknown) => thrown,
    )) as LifecycleError;
    const { words } = sessionOf(settings);
    return `${error.failure.detail}. ${inWords(error.failure.remedies, () => words)}`;
  };
  const whole = await refusal({ declared: ids });
  expect(whole).toContain("Taken, too: cluster lab.");
  expect(whole).toContain(
    "Yours: declare their live values and apply once with CLUSTER_PLATFORM_ADOPT=capvs/clusters/prod,capvs/clusters/lab",
  );
  expect(whole).not.toContain("All names that are taken");
  expect(await refusal({})).toContain("All names that are taken: npx cluster-platform get clusters");
});

test("the refusal of a removal says that a new name is a new cluster", async () => {
  lives([live, { ...live, clusterName: "lab" }]);
  const settings = { deletion_protection: ["prod"], declared: ["prod-2", "lab"].map((name) => `capvs/clusters/${name}`) };
  const detail = "If prod-2 is a new name for prod: a new name is a new cluster, which is created empty";
  await expect(planAnew({ prior: stored(), proposed: null, settings })).rejects.toMatchObject({ failure: { detail } });
  const renamed = { prior: stored(), proposed: declared({ name: "prod-2" }), settings: { deletion_protection: ["prod"] } };
  await expect(planAnew(renamed)).rejects.toMatchObject({ failure: { detail } });
  const edited = { prior: stored(), proposed: declared({ secure: false }), settings };
  await expect(planAnew(edited)).rejects.toMatchObject({ failure: expect.not.objectContaining({ detail }) });
});

test("a destroy of what only the state protects is refused with the deploy that ends the protection", async () => {
  lives([live]);
  const settings = { deletion_protection: [], declared: ["capvs/clusters/prod", "capvs/clusters/new"] };
  const destroy = { prior: stored({}, { deletion_protection: true, declared_at: "stack/prod" }), proposed: null, settings };
  await expect(planAnew(destroy)).rejects.toMatchObject({
    failure: {
      summary: "cluster prod is protected, and the plan deletes it; nothing was sent",
      remedies: [{ sentence: "The code no longer protects prod, but the state does: deploy once, then destroy" }],
    },
  });
  // A destroy gives no object a new name.
  await expect(planAnew(destroy)).rejects.not.toHaveProperty("failure.detail");
  const byCode = { ...destroy, settings: { ...settings, deletion_protection: ["prod"] } };
  await expect(planAnew(byCode)).rejects.toMatchObject({
    failure: { remedies: [{ code: "ALLOW_DELETION" }, { code: "RETAIN" }] },
  });
});

test("a name that differs in case only is taken, also for an adoption", async () => {
  lives([live]);
  for (const adopt of [false, true]) {
    await expect(planAnew({ proposed: { ...declared({ name: "Prod" }), adopt } })).rejects.toMatchObject({
      code: "NAME_TAKEN",
      message: expect.stringContaining("the service already has prod, a capvs cluster on provider vsphere"),
      failure: { remedies: expect.arrayContaining([{ code: "ADOPT", objects: [prod], isRenamed: true }]) },
    });
  }
});

test("a name that differs in case from one of the state is free after an apply without that one", async () => {
  lives([live]);
  ledger.record(prod, {});
  await expect(plan({ proposed: declared({ name: "Prod" }) })).rejects.toMatchObject({
    code: "NAME_TAKEN",
    message: expect.stringContaining(
      "the name of cluster Prod is taken: the state has prod, a capvs cluster on provider vsphere",
    ),
    failure: {
      remedies: [{ code: "DECIDE", sentence: "Remove cluster prod in one apply, and declare cluster Prod in the next one" }],
    },
  });
});

test("a cluster that is being deleted takes no name, and is not adopted", async () => {
  lives([{ ...live, phase: "Deleting", controlplaneNodesCount: 5 }]);
  expect(await planAnew({ proposed: { ...declared(), adopt: true } })).toBeDefined();
  expect(warnings).toMatchObject([{ summary: "the service is deleting a capvs cluster with the name of cluster prod" }]);
});

test("a cluster that changes its type is removed by one apply and created by the next", async () => {
  lives([{ ...live, providerType: "capcd" }]);
  ledger.record({ type: "capcd", kind: "clusters", name: "prod" }, {});
  await expect(plan({ proposed: declared() })).rejects.toMatchObject({
    code: "NAME_TAKEN",
    failure: {
      remedies: [
        { code: "DECIDE", sentence: "Remove the capcd cluster in one apply, and declare the capvs cluster in the next one" },
      ],
    },
  });
});

describe("an object whose state names another service", () => {
  const service = "https://old.example.com";
  const prior = () => stored({}, { service });
  const isRefused = {
    code: "INVALID_SETTING",
    message: expect.stringContaining(
      `the state names ${service} as the service of cluster prod, but this run uses the one at http`,
    ) as string,
    failure: expect.objectContaining({ remedies: expect.arrayContaining([{ code: "CORRECT_URL" }]) as unknown }) as unknown,
  };

  test("is never deleted or replaced, and an import of it is not confirmed", async () => {
    lives([live]);
    const adopting = { ...declared({ ingress: "apps.example.com" }), adopt: true };
    for (const question of [
      { proposed: null },
      { proposed: declared({ ingress: "apps.example.com" }) },
      { proposed: adopting, settings: { retain: ["prod"] } },
      { proposed: declared(), memory: { imported: true } },
      { proposed: declared({ controlPlane: { count: 5, ...size } }), memory: { live: { "controlPlane.count": "5" } } },
    ])
      await expect(planAnew({ prior: prior(), ...question })).rejects.toMatchObject(isRefused);
    // Terraform plans a tainted object as a creation.
    ledger = new Ledger();
    ledger.record(prod, prior());
    await expect(plan({ proposed: declared() })).rejects.toMatchObject(isRefused);
  });

  test("gets the service of the run if it is there as the state has it", async () => {
    lives([live]);
    const url = played.simulator.url;
    const updated = await plan({ prior: prior(), proposed: { ...declared(), deletion_protection: true } });
    expect(updated).toMatchObject({ planned: { uid: "7", service: url, deletion_protection: true, drift: null } });
    expect(updated.requiresReplace).toBeUndefined();
    const other = stored({ name: "stage" }, { service, id: "capvs/clusters/stage", uid: "8" });
    lives([{ ...live, clusterName: "stage" }]);
    expect(await plan({ prior: other, proposed: declared({ name: "stage" }) })).toMatchObject({ planned: { service: url } });
    expect(warnings.map(({ summary }) => summary)).toEqual([
      `the plan changes the service in the state from ${service} to ${url}`,
    ]);

    lives([]);
    await expect(planAnew({ prior: prior(), proposed: declared() })).rejects.toMatchObject({ code: "OBJECT_MISSING" });
    // Whoever says that it is gone does not get it in the state.
    const gone = planAnew({ prior: prior(), proposed: declared(), gone: ["capvs/clusters/prod"] });
    const remedies = [expect.objectContaining({ sentence: expect.stringContaining("plan without -refresh=false") })] as unknown[];
    await expect(gone).rejects.toMatchObject({
      ...isRefused,
      failure: { remedies: expect.arrayContaining(remedies) as unknown },
    });
    for (const change of [{ controlplaneNodesCount: 5 }, { providerConfigID: "other" }, { providerType: "capcd" }]) {
      lives([{ ...live, ...change }]);
      await expect(planAnew({ prior: prior(), proposed: declared() })).rejects.toMatchObject(isRefused);
    }
    // A difference that the state knows stays.
    lives([{ ...live, controlplaneNodesCount: 5 }]);
    const drift = { "control_plane.count": "declared 3, live 5" };
    const drifted = { prior: { ...prior(), drift }, proposed: declared(), memory: { live: { "controlPlane.count": "5" } } };
    expect(await planAnew(drifted)).toMatchObject({ planned: { service: url, drift }, private: drifted.memory });
  });

  test("does not get the service of the run in a plan that creates, deletes or replaces another object", async () => {
    lives([live]);
    const moved = () => plan({ prior: prior(), proposed: declared() });
    const stage = () => stored({ name: "stage" }, { id: "capvs/clusters/stage", uid: "8" });
    const replaced = declared({ name: "stage", ingress: "apps.example.com" });
    const changes = {
      creation: { proposed: declared({ name: "stage" }) },
      adoption: { proposed: { ...declared({ name: "stage" }), adopt: true } },
      "a creation with an unknown name": { proposed: { ...declared(), name: UNKNOWN } },
      removal: { prior: stage(), proposed: null },
      "another name": { prior: stage(), proposed: declared({ name: "dev" }) },
    };
    const both = {
      code: "INVALID_SETTING",
      message: expect.stringContaining(`another service, ${service}, for objects that stay`) as string,
    };
    for (const change of Object.values(changes)) {
      ledger = new Ledger();
      await moved();
      await expect(plan(change)).rejects.toMatchObject(both);
      await planAnew(change);
      await expect(moved()).rejects.toMatchObject(both);
    }
    // Terraform plans a replacement first as a change, and then as a creation.
    ledger = new Ledger();
    await moved();
    expect(await plan({ prior: stage(), proposed: replaced })).toMatchObject({ requiresReplace: [["ingress"]] });
    await expect(plan({ proposed: replaced })).rejects.toMatchObject(both);
  });

  test("can leave the code if it is gone with its service", async () => {
    const leaving = { prior: prior(), proposed: null, gone: ["capvs/clusters/prod"] };
    expect(await planAnew(leaving)).toMatchObject({ planned: null });
    lives([live]);
    await expect(planAnew(leaving)).rejects.toMatchObject({ code: "INVALID_SETTING" });
  });
});

test("a protected object that the run was told is gone can leave the code without a refresh, unless it lives", async () => {
  const leaving = { prior: stored({}, { deletion_protection: true }), proposed: null };
  const gone = ["capvs/clusters/prod"];
  expect(await planAnew({ ...leaving, gone })).toMatchObject({ planned: null });
  await expect(planAnew(leaving)).rejects.toMatchObject({ code: "PROTECTED" });
  lives([live]);
  await expect(planAnew({ ...leaving, gone })).rejects.toMatchObject({ code: "NOT_GONE" });
});

test("a protected object that this stack has deleted can leave the code, because Terraform plans that before the refresh", async () => {
  const leaving = { prior: stored({}, { deletion_protection: true }), proposed: null };
  await expect(planAnew(leaving)).rejects.toMatchObject({ code: "PROTECTED" });
  played.journal().deletionSent({ type: "capvs", kind: "clusters", name: "prod" }, String(leaving.prior.uid));
  expect(await planAnew(leaving)).toMatchObject({ planned: null });
  lives([live]);
  await expect(planAnew(leaving)).rejects.toMatchObject({ code: "PROTECTED" });
});

test("names that this run will free are not refused during the apply", async () => {
  lives([live]);
  ledger.isApplying = true;
  expect(await plan({ proposed: declared() })).toBeDefined();
});

test("a second block for an object is refused, and the -replace of its only block is not", async () => {
  const prior = stored();
  const second = { ...declared(), adopt: true };
  lives([live]);
  await plan({ prior, proposed: declared() });
  expect(await plan({ proposed: declared() })).toBeDefined();
  const refusal = {
    code: "MISPLACED",
    message: expect.stringContaining("two addresses"),
  };
  await expect(plan({ proposed: second })).rejects.toMatchObject(refusal);
  ledger = new Ledger();
  await plan({ proposed: second });
  await expect(plan({ prior, proposed: declared() })).rejects.toMatchObject(refusal);
});

test("a plan refuses a secret that the create would refuse, and keeps only the names of the others", async () => {
  const secrets = (token: unknown, more: JsonObject = {}) => ({
    ...declared({ bodyOverrides: { token: { $secret: { value: token } }, key: { $secret: { env: "KEY" } }, ...more } }),
  });
  const key = { path: ["bodyOverrides", "key"], reference: { $secret: { env: "KEY" } } };
  const noted = { secrets: [{ where: "clusterplatform_capvs_cluster.prod", uses: [key] }] };
  const prior = stored({ ingress: "old.example.com" });
  for (const before of [null, prior]) {
    for (const token of [5, null, ""]) {
      await expect(planAnew({ prior: before, proposed: secrets(token) })).rejects.toMatchObject({
        code: "MISSING_SECRET",
        message: expect.stringContaining("bodyOverrides.token: the token of Secret.fromToken"),
      });
    }
    const { private: memory } = await planAnew({ prior: before, proposed: secrets("s3cret") });
    expect(memory).toMatchObject(noted);
    expect(JSON.stringify(memory)).not.toContain("s3cret");
    expect((await planAnew({ prior: before, proposed: secrets(UNKNOWN) })).private).toMatchObject(noted);
  }
  // An update in place sends nothing, and a removal needs no secret.
  const same = await planAnew({ prior: { ...secrets(null), uid: "7", service: played.simulator.url }, proposed: secrets(5) });
  expect(same.requiresReplace).toBeUndefined();
  const removed = await planAnew({ prior, proposed: null, memory: { ...noted, replacement: "digest", imported: true } });
  expect(removed.private).toEqual({ imported: true });
});

test("retain and adopt together correct a declaration without a replacement", async () => {
  const [settings, adopting] = [{ retain: ["prod"] }, { adopt: true }];
  const corrected = declared({ productVersion: "2.6.0" });
  const prior = stored({}, { deletion_protection: true });
  lives([live]);
  await expect(planAnew({ prior, proposed: corrected })).rejects.toMatchObject({ code: "PROTECTED" });
  await expect(planAnew({ prior, proposed: corrected, settings })).rejects.toMatchObject({
    code: "RETAINED",
    failure: { remedies: ["KEEP", "UNRETAIN"].map((code) => ({ code, objects: [prod] })) },
  });
  await expect(planAnew({ prior, proposed: { ...corrected, ...adopting } })).rejects.toMatchObject({ code: "PROTECTED" });
  for (const question of [
    { proposed: { ...corrected, ...adopting } },
    { proposed: corrected, adoptions: ["capvs/clusters/prod"] },
  ]) {
    warnings = [];
    const { planned, requiresReplace } = await planAnew({ prior, settings, ...question });
    expect([planned, requiresReplace]).toEqual([expect.objectContaining({ uid: "7", product_version: "2.6.0" }), undefined]);
    expect(warnings).toMatchObject([{ detail: expect.stringContaining("of these fields: product_version.") }]);
  }
  // A field that the lists show must have the live value.
  const mismatch = planAnew({ prior, settings, proposed: { ...declared({ controlPlane: { count: 5, ...size } }), ...adopting } });
  await expect(mismatch).rejects.toMatchObject({ code: "ADOPT_MISMATCH" });
  played
    .journal("default", "an earlier run")
    .createSent(prod, { declared: kind.declaredOf(declared({ productVersion: "3.0.0" })) });
  const noted = planAnew({ prior, settings, proposed: { ...corrected, ...adopting } });
  await expect(noted).rejects.toThrow("since then productVersion changed in the code");
  lives([]);
  await expect(planAnew({ prior, settings, proposed: { ...corrected, ...adopting } })).rejects.toMatchObject({
    code: "RETAINED",
  });
});

test("a message hides plain strings of write-only attributes, and no name of a variable", () => {
  const redactor = new Redactor();
  const reference = (secret: JsonObject) => ({ $secret: secret });
  const overrides: JsonObject = {
    proxyPassword: "plain-text",
    nested: [{ token: "token-in-a-list" }],
    key: reference({ env: "NAME_OF_VARIABLE" }),
    sites: { 0: { password: reference({ value: "given-by-value" }) } },
  };
  const config = { ...declared(), body_overrides_wo: fromJson({ cluster: overrides }) };
  void objectResource(kind, ledger, redactor).validate!(config, { report: () => {} } as never);
  expect(redactor.redact("plain-text token-in-a-list given-by-value NAME_OF_VARIABLE")).toBe(
    "[hidden] [hidden] [hidden] NAME_OF_VARIABLE",
  );
});

test("write-only values are not compared with the state, which has none", async () => {
  const hidden = (overrides: JsonObject) => ({ ...declared(), body_overrides_wo: fromJson(overrides) });
  const isReplaced = async (before: ObjectValue, proposed: ObjectValue) => {
    const prior = { ...before, body_overrides_wo: null, uid: "7", service: played.simulator.url };
    return (await plan({ prior, proposed })).requiresReplace !== undefined;
  };
  expect(await isReplaced(hidden({ folder: "plain" }), hidden({ folder: "other" }))).toBe(false);
  // A field that becomes write-only is sent as before.
  const open = { ...declared(), body_overrides: fromJson({ folder: "plain" }) };
  expect(await isReplaced(open, hidden({ folder: "plain" }))).toBe(false);
  expect(await isReplaced(open, hidden({ folder: "other" }))).toBe(true);
});

test("a change of the JSON in bodyOverrides replaces the object, and another value of a secret does not", async () => {
  const site = (secret: JsonObject, name = "http-proxy") => ({ sites: [{ name, password: { $secret: secret } }] });
  const [byName, byValue] = [{ env: "PASSWORD" }, { value: "given-by-value" }];
  const isReplaced = async (before: JsonObject, after: JsonObject) => {
    ledger = new Ledger();
    const prior = { ...stored({ bodyOverrides: before }), body_overrides_wo: null };
    return (await plan({ prior, proposed: declared({ bodyOverrides: after }) })).requiresReplace !== undefined;
  };
  expect(await isReplaced(site(byValue), site({ value: "rotated" }))).toBe(false);
  expect(await isReplaced(site(byName), site(byValue))).toBe(false);
  expect(await isReplaced(site(byValue), site(byValue, "ftp-proxy"))).toBe(true);
  expect(await isReplaced(site(byName), site(byValue, "ftp-proxy"))).toBe(true);
  expect(await isReplaced({ a: 1 }, { a: 1, ...site(byValue) })).toBe(true);
  expect(await isReplaced({ cluster: { list: [3] } }, { cluster: { list: ["3"] } })).toBe(true);
  const refused = plan({
    prior: stored({ bodyOverrides: { count: "3" } }, { deletion_protection: true }),
    proposed: declared({ bodyOverrides: { count: 3 } }),
  });
  await expect(refused).rejects.toThrow('body_overrides changes from "3" to 3');
});

/** What a run with an import has before it plans the object. */
async function imported(of: ObjectKind, name: string, settings: ObjectValue = {}) {
  const call = { configured: sessionOf(settings), report: (warning: Diagnostic) => void warnings.push(warning) } as never;
  const resource = objectResource(of, ledger, new Redactor());
  const { state, private: memory } = await resource.import!({ id: name }, call);
  const read = await resource.read({ state, private: memory }, call);
  return { state: read.state!, memory: (read.private ?? memory) as ObjectMemory };
}

test("an import shows what the lists show, so that only the other fields are new in its plan", async () => {
  const groups = { workersGroups: [{ groupName: "default", workersCount: 2 }] };
  const networks = [
    { type: "Pod CIDR", network: "10.244.0.0/16" },
    { type: "Service CIDR", network: "10.96.0.0/12" },
  ];
  const whole = { ...live, ...groups, networks, apiEndpoint: "192.168.0.1:6443", ingress: "*.apps.example.com", secure: false };
  lives([whole]);
  const { state: prior, memory } = await imported(kind, "prod");
  const proposed = declared({ ingress: "apps.example.com", secure: false });
  const { planned, private: kept } = await plan({ prior, proposed, memory });
  const [before, after] = [kind.declaredOf(prior), kind.declaredOf(planned!)];
  const sizes = (of: string) => ["cpus", "diskGib", "memoryMib"].map((field) => `${of}.${field}`);
  const unseen = [...sizes("controlPlane"), "productVersion", ...sizes("workers.default")];
  const defaults = ["group", "roles"].map((field) => `control_plane.${field}`);
  const flags = ["enable_csi", "external_api_load_balancer", "external_ingress_load_balancer", "ingress_vip", "services"];
  expect(Object.keys(after).filter((field) => !(field in before))).toEqual(expect.arrayContaining(unseen));
  expect(after).toEqual({ ...before, ...Object.fromEntries(unseen.map((field) => [field, after[field]])) });
  expect(kept).toEqual({});
  const sum = unseen.length + defaults.length + flags.length;
  expect(warnings[0]!.summary).toContain(`is imported; ${sum} fields could not be checked`);
  for (const field of [...defaults, ...flags]) expect(warnings[0]!.summary).toContain(field);

  // The live value of a prop that ignore_changes names is kept.
  ledger = new Ledger();
  await imported(kind, "prod");
  ledger.recordImportConfig(prod, { ...proposed, ingress: "old.example.com" });
  const keeping = { ...proposed, ingress: prior.ingress! };
  expect((await plan({ prior, proposed: keeping, memory })).planned).toMatchObject({ ingress: "apps.example.com" });

  // Until its plan, each read shows the lists anew. A default is as if it were not declared.
  lives([{ ...whole, controlplaneNodesCount: 5, secure: true, workersGroups: null }]);
  const { state: later } = await imported(kind, "prod");
  expect(later).toMatchObject({ control_plane: { count: 5, cpus: null }, secure: null, workers: null });
  await expect(planAnew({ prior: later, proposed, memory })).rejects.toMatchObject({ code: "ADOPT_MISMATCH" });
});

test("an imported object is protected, and belongs to its Platform, before an apply has written its block", async () => {
  lives([live]);
  const imports = async (settings: ObjectValue) => {
    const { state: prior, memory } = await imported(kind, "prod", settings);
    return planAnew({ prior, proposed: null, memory });
  };
  const protecting = { deletion_protection: ["*/clusters/*"], allow_deletion: ["prod"] };
  await expect(imports(protecting)).rejects.toMatchObject({ code: "PROTECTED" });
  await expect(imports({ declared: ["capvs/clusters/prod"] })).rejects.toMatchObject({
    code: "MISSING_PLATFORM",
    message: expect.stringContaining(
      "the plan deletes cluster prod, and the Platform that it was imported for has left the code",
    ),
  });
  expect(await imports({})).toMatchObject({ planned: null });
});

test("an import of a provider shows the few fields of the list", async () => {
  const providers = new ObjectKind("capvs", "providers");
  const body = { ...goldens.capvs.provider.minimal.body, identityName: "edge", IPAddressPoolName: "", allowEditCSI: true };
  played.simulator.add("providers", "capvs", body);
  const { state } = await imported(providers, "edge");
  expect(providers.declaredOf(state)).toEqual({ name: "edge", allowEditCsi: "true" });
  expect(state.kubernetes_versions).toEqual([expect.stringMatching(/^v1/)]);
});

test("an import takes the fields that the lists do not show from the code, and names them", async () => {
  lives([live]);
  const prior = { ...kind.valueOf({ name: "prod", provider: "vsphere" }), service: played.simulator.url };
  const { planned, private: memory } = await plan({ prior, proposed: declared(), memory: { imported: true } });
  expect([planned!.product_version, memory]).toEqual(["2.5.0", {}]);
  expect(warnings).toMatchObject([
    { summary: expect.stringMatching(/^cluster prod is imported; \d+ fields could not be checked: .*product_version/) },
  ]);
  warnings = [];
  await plan({ prior, proposed: declared({ kubernetesVersion: "v1.27.9" }), memory: { imported: true } });
  expect(warnings).toContainEqual(
    expect.objectContaining({
      summary: expect.stringContaining(
        "cluster prod: no template of the provider vsphere offers the declared kubernetesVersion v1.27.9",
      ),
    }),
  );
  // A plan with ignore_changes and without a refresh.
  const ignoring = { ...declared(), control_plane: null, workers: null };
  await expect(plan({ prior, proposed: ignoring, memory: { imported: true } })).rejects.toThrow(
    "cluster prod cannot be imported with ignore_changes of control_plane, workers",
  );
  const foreign = plan({ prior, proposed: declared({ provider: "other" }), memory: { imported: true } });
  await expect(foreign).rejects.toThrow("provider_name is vsphere, declared is other");
});

test("without a refresh, the notes of an imported object stay until an apply has confirmed it", async () => {
  lives([live]);
  const prior = { ...stored(), service: played.simulator.url };
  ledger.recordLoaded(prod, prior);
  await plan({ prior, proposed: declared(), memory: { imported: true } });
  expect(ledger.storedObjects()).toEqual([]);
  ledger.recordStored(prod, prior);
  expect(ledger.storedObjects()).toEqual([prod]);
});

test("a replacement needs its provider on the service or in the code, and a creation warns of a missing one", async () => {
  lives([live]);
  const moved = declared({ provider: "vspere" });
  await expect(planAnew({ prior: stored(), proposed: moved })).rejects.toMatchObject({
    code: "OBJECT_MISSING",
    message: "cluster prod: there is no capvs provider vspere on the service: did you mean vsphere? Nothing was changed",
  });
  // An adoption finds nothing after the deletion.
  const adopting = planAnew({ prior: stored(), proposed: { ...moved, adopt: true } });
  await expect(adopting).rejects.toMatchObject({ code: "OBJECT_MISSING" });
  const declaredProvider = { declared: ["capvs/providers/vspere"] };
  expect(await planAnew({ prior: stored(), proposed: moved, settings: declaredProvider })).toHaveProperty("requiresReplace");
  lives([]);
  warnings = [];
  await planAnew({ proposed: moved });
  expect(warnings).toMatchObject([
    { summary: "cluster prod: there is no capvs provider vspere on the service: did you mean vsphere?" },
  ]);
  warnings = [];
  await planAnew({ proposed: { ...moved, adopt: true } });
  expect(warnings).toEqual([]);
});
