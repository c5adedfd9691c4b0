import { notesFolder } from "../../src/host/notes-folder";
import { systemClock } from "../../src/util/clock";
import { Journal } from "../../src/lifecycle/journal";
import type { Context, Lookup } from "../../src/lifecycle/context";
import { MISSING_MS } from "../../src/lifecycle/times";
import { idOf, type ObjectRef } from "../../src/model/object-ref";
import { Presence } from "../../src/plugin/resources/presence";
import { SharedLists } from "../../src/plugin/resources/shared-lists";
import type { Simulator } from "../../src/simulator";
import { Played } from "../lifecycle/played";

/** When a read considers an object gone. A wrong decision would plan to recreate a whole fleet. */

const provider: ObjectRef = { type: "capvs", kind: "providers", name: "vsphere" };
const cluster = (name: string): ObjectRef => ({ type: "capvs", kind: "clusters", name });
const prod = cluster("prod");

let played: Played;
let simulator: Simulator;
let url: string;

/** The id of every object in the state. */
const ID = "6dd5fa30-2f0f-4a57-a0a2-1e4a2ce0c1b1";

beforeEach(async () => {
  played = await Played.open();
  simulator = played.simulator;
  url = simulator.url;
});

afterEach(() => played.close());

interface Known {
  readonly gone?: readonly ObjectRef[];
  readonly declared?: readonly ObjectRef[];
}

function presence({ gone = [], declared = [], ...context }: Partial<Context> & Known = {}): Presence {
  return new Presence(
    { ...played.context, lookup: new SharedLists(played.context.lookup, systemClock), ...context },
    new Set(gone.map(idOf)),
    declared.map(idOf),
  );
}

async function has(...objects: readonly ObjectRef[]): Promise<void> {
  const items = objects
    .filter(({ kind }) => kind === "clusters")
    .map(({ name }) => ({ clusterName: name, providerType: "capvs" }));
  const configs = objects.filter(({ kind }) => kind === "providers").map(({ name }) => ({ name }));
  show("/api/v1/clusters", { items, count: items.length });
  show("/api/v1/platform/providers", [{ providerType: "capvs", configs }]);
}

const shown: { cancel(): void }[] = [];

function show(path: string, body: unknown, status = 200): void {
  shown.push(simulator.inject({ kind: "status", status, body, method: "GET", path }));
}

async function nowHas(...objects: readonly ObjectRef[]): Promise<void> {
  shown.splice(0).forEach((fault) => fault.cancel());
  await has(...objects);
}

const looks = () => simulator.requests.filter(({ path }) => path === "/api/v1/clusters").length;

test("one look serves all live objects, without waiting", async () => {
  await has(provider, prod, cluster("test"));
  const reads = presence();
  const found = await Promise.all([provider, prod, cluster("test")].map((object) => reads.read(object, url, ID)));
  expect(found.every((live) => live !== undefined)).toBe(true);
  expect(await reads.read(prod, url, ID)).toBeDefined();
  expect([looks(), played.clock.seconds]).toEqual([1, 0]);
});

test("an object whose live name differs in case is there, but an entry of retain that differs in case names nothing", async () => {
  await has(provider, cluster("Prod"));
  const reads = presence();
  expect(await reads.read(prod, url, ID)).toMatchObject({ name: "Prod" });
  const misspelled = ["prod", "capvs/clusters/prod"];
  expect(await reads.namingNothing([...misspelled, "Prod", "capvs/clusters/Prod", "vsphere"], [])).toEqual(misspelled);
});

test("an object is gone if no list of ten seconds has it and another object of the state is there", async () => {
  await has(provider, prod);
  const reads = presence();
  await reads.read(provider, url, ID);
  // Missing objects share one window, even if they are read after it.
  const missing = ["a", "b", "c"].map((name) => reads.read(cluster(name), url, ID));
  expect(await Promise.all(missing)).toEqual([undefined, undefined, undefined]);
  expect(await reads.read(cluster("d"), url, ID)).toBeUndefined();
  expect(played.clock.seconds).toBe(MISSING_MS / 1000);
  expect(looks()).toBe(1 + MISSING_MS / 1000);
  expect(await reads.read(prod, url, ID)).toBeDefined();
});

test.each([0.5, 5, 9.5])("an object is not gone if a lagging list shows it after %d seconds", async (seconds) => {
  await has(provider);
  played.clock.at(seconds, () => nowHas(provider, prod));
  // The list lags behind again.
  played.clock.at(seconds + 1, () => nowHas(provider));
  const reads = presence();
  await reads.read(provider, url, ID);
  expect(await reads.read(prod, url, ID)).toMatchObject({ name: "prod" });
  expect(await reads.read(cluster("test"), url, ID)).toBeUndefined();
});

test("an object that only a later list shows proves that another one is gone", async () => {
  await has();
  played.clock.at(5, () => nowHas(prod));
  const reads = presence();
  expect(await reads.read(prod, url, ID)).toMatchObject({ name: "prod" });
  expect(await reads.read(cluster("test"), url, ID)).toBeUndefined();
});

test("a service without any object of the state proves nothing, even at the URL of the state", async () => {
  await has(cluster("of-somebody-else"));
  const reads = presence();
  const refused = {
    code: "OBJECT_MISSING",
    message: expect.stringContaining("nothing that Terraform has read before it proves"),
  };
  await expect(reads.read(provider, url, ID)).rejects.toMatchObject(refused);
  await expect(reads.read(prod, url, ID)).rejects.toMatchObject({
    failure: { remedies: [{ code: "CORRECT_URL" }, { code: "ACCEPT_GONE", objects: [prod] }] },
  });
});

test("the remedy for a missing object names all that are gone, so that the next run refuses none of them", async () => {
  await has(cluster("of-somebody-else"), cluster("here"));
  const reads = presence({ gone: [provider], declared: [prod, cluster("here"), cluster("test")] });
  expect(await reads.read(provider, url, ID)).toBeUndefined();
  await expect(reads.read(prod, url, ID)).rejects.toMatchObject({
    failure: {
      remedies: [
        { code: "CORRECT_URL" },
        { code: "ACCEPT_GONE", objects: [prod, provider, cluster("test")], orNeverCreated: true },
      ],
    },
  });
});

test("a service other than the one in the state proves nothing, whatever else is there", async () => {
  await has(provider, cluster("test"));
  const reads = presence();
  await reads.read(provider, url, ID);
  await expect(reads.read(prod, "https://other.example.com", ID)).rejects.toMatchObject({
    code: "OBJECT_MISSING",
    message: expect.stringContaining(
      `not on the service at ${url}, and the state names https://other.example.com as its service`,
    ),
  });
  // It fails at once, because ten seconds of lists would prove nothing.
  expect(played.clock.seconds).toBe(0);
  // An object that the state names another service for proves nothing about this one.
  const others = presence();
  await others.read(provider, "https://other.example.com", ID);
  await expect(others.read(prod, url, ID)).rejects.toMatchObject({ code: "OBJECT_MISSING" });
});

test("the object itself, or an object of another type with its name, seen before, proves nothing", async () => {
  await has(provider, prod);
  const reads = presence();
  await reads.read(prod, url, ID);
  reads.changed();
  await nowHas(cluster("of-somebody-else"));
  await expect(reads.read(prod, url, ID)).rejects.toMatchObject({ code: "OBJECT_MISSING" });

  const others = presence();
  show("/api/v1/clusters", { items: [{ clusterName: "prod", providerType: "capov" }], count: 1 });
  shown.splice(0, 2).forEach((fault) => fault.cancel());
  expect(await others.read(prod, url, ID)).toMatchObject({ type: "capov" });
  await expect(others.read(cluster("test"), url, ID)).rejects.toMatchObject({ code: "OBJECT_MISSING" });
});

test.each<[string, unknown, number, string]>([
  ["holds fewer items than it counts", { items: [], count: 3 }, 200, "CONTRACT"],
  ["is a proxy's page", "<html>hello</html>", 200, "CONTRACT"],
  ["has an item without a name", { items: [{ providerType: "capvs" }], count: 1 }, 200, "CONTRACT"],
  ["is refused", {}, 403, "FORBIDDEN"],
])("a list that %s proves nothing, at once or within the ten seconds", async (_, body, status, code) => {
  await has(provider);
  const reads = presence();
  await reads.read(provider, url, ID);
  played.clock.at(4, () => {
    shown.splice(0).forEach((fault) => fault.cancel());
    show("/api/v1/clusters", body, status);
  });
  await expect(reads.read(prod, url, ID)).rejects.toMatchObject({ code });
  await expect(presence().read(prod, url, ID)).rejects.toMatchObject({ code });
});

test("an object is gone if a deletion was sent there, even if nothing else is left", async () => {
  await has();
  played.journal().deletionSent(prod, ID);
  expect(await presence().read(prod, url, ID)).toBeUndefined();
  expect(played.clock.seconds).toBe(MISSING_MS / 1000);
  await expect(presence().read(cluster("test"), url, ID)).rejects.toMatchObject({ code: "OBJECT_MISSING" });
  // Another machine has created the object again since then.
  await expect(presence().read(prod, url, "another id")).rejects.toMatchObject({ code: "OBJECT_MISSING" });
  // A note for another service proves nothing.
  const journal = new Journal(
    { notes: notesFolder("nowhere"), url: "https://other.example.com", workspace: "", run: "" },
    played.clock,
  );
  await expect(presence({ journal }).read(prod, url, ID)).rejects.toMatchObject({ code: "OBJECT_MISSING" });
});

test("an object is gone if the user says so and no list of ten seconds has it", async () => {
  await has();
  const accepting = presence({ gone: [prod, provider] });
  expect(await accepting.read(prod, "https://other.example.com", ID)).toBeUndefined();
  expect(await accepting.read(provider, url, ID)).toBeUndefined();
  expect([looks(), played.clock.seconds]).toEqual([11, 10]);
  played.clock.at(19.5, () => nowHas(prod));
  expect(await presence({ gone: [prod] }).read(prod, url, ID)).toMatchObject({ name: "prod" });
});

test("a read ends when the user stops the run", async () => {
  await has(provider);
  const reads = presence();
  await reads.read(provider, url, ID);
  played.clock.at(2, () => played.cancel.abort("Terraform has sent StopProvider"));
  await expect(reads.read(prod, url, ID)).rejects.toMatchObject({ code: "INTERRUPTED" });
});

test("the lists are requested again after a change by this process, and in a long process", async () => {
  await has(provider, prod);
  const reads = presence();
  await reads.read(prod, url, ID);
  await nowHas(provider);
  expect(await reads.find(prod)).toBeDefined();
  reads.changed();
  expect(await reads.find(prod)).toBeUndefined();
  await nowHas(provider, prod);
  await played.clock.pause(10 * 60_000, new AbortController().signal);
  expect(await reads.find(prod)).toBeDefined();
});

describe("shared lists", () => {
  test("are never older than the call that gets them", async () => {
    const { asked, lookup, answer } = slowLists();
    const lists = new SharedLists(lookup, systemClock);
    const first = [lists.listClusters({}), lists.listClusters({})];
    await until(() => asked() === 1);
    const later = [lists.listClusters({}), lists.listClusters({})];
    answer("one");
    expect(await Promise.all(first)).toEqual(["one", "one"]);
    await until(() => asked() === 2);
    answer("two");
    expect(await Promise.all(later)).toEqual(["two", "two"]);
  });

  test("give each caller its own deadline and signal, and a failure only to those who waited for it", async () => {
    const { asked, lookup, answer, fail } = slowLists();
    const lists = new SharedLists(lookup, systemClock);
    const stop = new AbortController();
    const stopped = lists.listClusters({ signal: stop.signal });
    const late = lists.listClusters({ limitMs: 20 });
    const patient = lists.listClusters({});
    await until(() => asked() === 1);
    stop.abort();
    await expect(stopped).rejects.toMatchObject({ code: "INTERRUPTED" });
    await expect(late).rejects.toMatchObject({ code: "DEADLINE_EXCEEDED" });
    fail(new Error("lost"));
    await expect(patient).rejects.toThrow("lost");
    const next = lists.listClusters({});
    await until(() => asked() === 2);
    answer("there");
    expect(await next).toBe("there");
  });
});

/** Lists that the test answers when it wants. */
function slowLists() {
  const waiting: { resolve(list: never): void; reject(error: Error): void }[] = [];
  let asked = 0;
  const list = () =>
    new Promise<never>((resolve, reject) => {
      asked++;
      waiting.push({ resolve, reject });
    });
  const lookup: Lookup = { listClusters: list, listProviders: list };
  return {
    lookup,
    asked: () => asked,
    answer: (value: string) => waiting.shift()!.resolve(value as never),
    fail: (error: Error) => waiting.shift()!.reject(error),
  };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
