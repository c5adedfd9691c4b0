import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Answer } from "../api/service";
import type { JsonObject } from "../../src/model/provider-type";
import { entryOf, expectRefusal, ofProvider, packed } from "../bad-input/hook";
import { prod, HookFixture } from "./hook-fixture";

/** The requests of a create hook and its notes. With the notes, the next apply decides who owns an object. */

let fixture: HookFixture;
beforeEach(async () => (fixture = await HookFixture.open()));
afterEach(() => fixture.close());

const POST = "POST /api/v1/platform/providers/clusters/capvs";
const page = { body: "<html><title>Sign in</title>" };
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

/** Leaves a note whose request has an unknown outcome. */
async function interruptedCreate(): Promise<void> {
  fixture.seconds = 5;
  fixture.writes = [{ status: 500 }];
  expectRefusal(await fixture.run("create"), 1, "OUTCOME_UNKNOWN", ["the service does not list it yet"]);
  expect(fixture.notes).toBe(1);
  fixture.requests.length = 0;
  fixture.seconds = 20;
}

describe("a request without an answer", () => {
  test("is noted, and the message has the way out on another machine", async () => {
    fixture.seconds = 5;
    fixture.writes = [{ status: 500 }];
    expectRefusal(await fixture.run("create"), 1, "OUTCOME_UNKNOWN", [
      "On another machine, if the name is taken: apply once with CLUSTER_PLATFORM_ADOPT=capvs/clusters/prod",
    ]);
    expect(fixture.written).toEqual([POST]);
    expect(fixture.notes).toBe(1);
  });

  test("that was carried out is a success", async () => {
    fixture.writes = [(response) => (fixture.clusters.push(prod), response.destroy())];
    const { status, stdout } = await fixture.run("create");
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining("the answer was lost") });
    expect(fixture.written).toEqual([POST]);
  });

  test("gives no claim to an object that differs from the declaration, and stays noted", async () => {
    fixture.writes = [(response) => (fixture.clusters.push({ ...prod, providerConfigID: "other" }), response.destroy())];
    fixture.writeStack();
    expectRefusal(await fixture.run("create"), 1, "NAME_TAKEN", [
      "a capvs cluster on provider other",
      "This stack sent a request to create it at",
      ", but its provider is other, declared is vsphere",
      "[NAME_TAKEN] stack/prod: ",
    ]);
    expect(fixture.written).toEqual([POST]);
    expect(fixture.notes).toBe(1);
  });

  test("stays noted if its outcome cannot be determined", async () => {
    fixture.writes = [(response) => ((fixture.look = () => page), response.destroy())];
    expectRefusal(await fixture.run("create"), 1, "OUTCOME_UNKNOWN", [
      "the service could not be read afterwards",
      "an HTML page",
    ]);
    expect(fixture.written).toEqual([POST]);
    expect(fixture.notes).toBe(1);
  });
});

describe("a refused request gives no claim to an object that appears under the name", () => {
  test.each([400, 403, 409, 422, 429])("with %i", async (status) => {
    fixture.seconds = 5;
    fixture.writes = [{ status }];
    expect((await fixture.run("create")).status).toBe(1);
    expect(fixture.notes).toBe(0);
  });

  test("between repetitions, each of which is noted before it is sent", async () => {
    const notes: string[] = [];
    const note = (when: string) => void notes.push(`${when}: ${fixture.notes}`);
    fixture.look = () => note("looked");
    fixture.writes = [429, 429, 201].map((status) => (response) => (note(String(status)), response.writeHead(status).end()));
    expect(await fixture.run("create")).toMatchObject({ status: 0 });
    expect(notes).toEqual(["looked: 0", "429: 1", "looked: 0", "429: 1", "looked: 0", "201: 1"]);
  });

  test("that lists show some seconds after the 409", async () => {
    let looks = 0;
    fixture.look = () => void (++looks === 5 && fixture.clusters.push(prod));
    fixture.writes = [{ status: 409 }, (response) => response.destroy()];
    expectRefusal(await fixture.run("create"), 1, "NAME_TAKEN", ["the service already has cluster prod"]);
    expect(fixture.written).toEqual([POST]);
  });
});

test.each([409, 425, 429])("status %i may be temporary: the request is repeated while there is time", async (status) => {
  fixture.writes = [...Array.from({ length: 5 }, () => ({ status })), { status: 201 }];
  expect(await fixture.run("create")).toMatchObject({ status: 0 });
  expect(fixture.written).toHaveLength(6);
});

test.each([400, 401, 404, 422])("status %i is final, and nothing is repeated", async (status) => {
  fixture.writes = [{ status }];
  expect(await fixture.run("create")).toMatchObject({ status: 1 });
  expect(fixture.written).toEqual([POST]);
});

describe("a cluster whose provider was registered moments ago", () => {
  const notReady = { status: 201, body: { identityName: "vsphere", ready: false } };
  const registeredAt = (at: string) =>
    fixture.changeNotes((facts) => ({ ...facts, ...(facts.registeredAt && { registeredAt: at }) }));

  async function register(answer: Answer, env: NodeJS.ProcessEnv = {}): Promise<void> {
    const { providers } = fixture;
    fixture.providers = [];
    fixture.writes = [answer];
    expect(await fixture.run("create", { ...ofProvider, ...env })).toMatchObject({ status: 0 });
    fixture.providers = providers;
    fixture.requests.length = 0;
  }

  test.each([400, 404, 412, 422])("and is not ready is created again after a refusal with %i", async (status) => {
    await register(notReady);
    fixture.writes = [{ status, body: { message: "no such identity" } }, { status }, { status: 201 }];
    const { status: exit, stdout } = await fixture.run("create");
    expect({ exit, stdout }).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(
        /no such identity.*; its provider was registered \d+s ago and may not be ready yet; the name is still/,
      ),
    });
    expect(fixture.written).toHaveLength(3);
  });

  test("and whose readiness is unknown is created again too", async () => {
    await register(
      (response) => ((fixture.providers = [{ providerType: "capvs", configs: [{ name: "vsphere" }] }]), response.destroy()),
    );
    fixture.writes = [{ status: 422 }, { status: 201 }];
    expect(await fixture.run("create")).toMatchObject({ status: 0 });
  });

  test("is not repeated longer than the time of a create", async () => {
    await register(notReady);
    fixture.seconds = 5;
    fixture.writes = [{ status: 422, body: { message: "no such identity" } }];
    expectRefusal(await fixture.run("create"), 1, "REJECTED", ["422: no such identity"]);
    expect(fixture.written.length).toBeGreaterThan(2);
  });

  test.each<[string, Answer, { env?: NodeJS.ProcessEnv; status?: number; registeredMinutesAgo?: number }]>([
    ["the reply said that the provider is ready", { status: 201, body: { ready: true } }, {}],
    ["the reply does not mention readiness, as for most types", { status: 201, body: { name: "vsphere" } }, {}],
    ["the reason is an unrelated one", notReady, { status: 403 }],
    ["another provider was registered", notReady, { env: { CLUSTER_PLATFORM_HOOK_NAME: "other" } }],
    ["the registration was two minutes ago", notReady, { registeredMinutesAgo: 2 }],
    ["the note is from the future", notReady, { registeredMinutesAgo: -60 }],
  ])("is refused at once if %s", async (_, answer, { env, status = 422, registeredMinutesAgo }) => {
    await register(answer, env);
    if (registeredMinutesAgo !== undefined) registeredAt(minutesAgo(registeredMinutesAgo));
    fixture.writes = [{ status }];
    expect(await fixture.run("create")).toMatchObject({ status: 1 });
    expect(fixture.written).toEqual([POST]);
  });

  test("leaves no note when the provider is deleted", async () => {
    await register(notReady);
    fixture.writes = [(response) => ((fixture.providers = []), response.writeHead(202).end())];
    expect(await fixture.run("delete", ofProvider)).toMatchObject({ status: 0 });
    expect(fixture.files.map((file) => readFileSync(file, "utf8"))).toEqual([expect.not.stringContaining("registeredAt")]);
  });
});

describe("a live object under the name when a create begins", () => {
  test("belongs to an earlier apply that noted it, and no longer once a waiter has run", async () => {
    await interruptedCreate();
    fixture.clusters = [{ ...prod, conditions: [{ type: "Ready", status: "True", lastTransitionTime: minutesAgo(4) }] }];
    const { status, stdout } = await fixture.run("create");
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining("created by an earlier apply") });
    await fixture.waiter();
    expectRefusal(await fixture.run("create"), 1, "NAME_TAKEN", ["the service already has cluster prod"]);
    expect(fixture.written).toEqual([]);
  });

  test("belongs to somebody else if an event preceded the note", async () => {
    await interruptedCreate();
    fixture.clusters = [{ ...prod, conditions: [{ type: "Ready", status: "True", lastTransitionTime: minutesAgo(6) }] }];
    expectRefusal(await fixture.run("create"), 1, "NAME_TAKEN", [
      "This stack sent a request to create it at",
      "it was already Ready at",
    ]);
    expect(fixture.written).toEqual([]);
  });

  test("is not touched if the declaration has changed since, and is recognized when the change is taken back", async () => {
    fixture.writes = [{ status: 500 }];
    const declared = (changes: JsonObject) => ({
      CLUSTER_PLATFORM_HOOK_ENTRY_0: entryOf("clusters", { bodyOverrides: { token: "zq7-in-no-note" }, ...changes }),
    });
    await fixture.run("create", declared({}));
    fixture.requests.length = 0;
    fixture.clusters = [prod];
    expectRefusal(await fixture.run("create", declared({ productVersion: "2.6.0", ingressVip: "10.0.0.9" })), 1, "NAME_TAKEN", [
      "but since then ingressVip, productVersion changed in the code",
      "From that request: declare what was sent then, apply, and change it afterwards. From an apply on another machine: adopt it there",
    ]);
    expect(fixture.files.map((file) => readFileSync(file, "utf8"))).toEqual([expect.not.stringContaining("zq7-in-no-note")]);
    expect(await fixture.run("create", declared({}))).toMatchObject({ status: 0 });
    expect(fixture.written).toEqual([]);
  });

  test("is recognized if a clock jumped between the lookup and a lost answer", async () => {
    const conditions = [{ type: "Ready", status: "True", lastTransitionTime: minutesAgo(60) }];
    fixture.writes = [(response) => (fixture.clusters.push({ ...prod, conditions }), response.destroy())];
    expect(await fixture.run("create")).toMatchObject({ status: 0, stdout: expect.stringContaining("the answer was lost") });
  });

  test("is a registration with the credentials of the interrupted apply", async () => {
    const { providers } = fixture;
    fixture.providers = [];
    fixture.seconds = 5;
    fixture.writes = [{ status: 500 }];
    await fixture.run("create", ofProvider);
    fixture.providers = providers;
    expect(await fixture.run("create", ofProvider)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("continuing with it, with the credentials that were sent then"),
    });
  });

  test("belongs to somebody else if it matches the declaration without a note", async () => {
    fixture.clusters = [prod];
    expectRefusal(await fixture.run("create"), 1, "NAME_TAKEN", ["CLUSTER_PLATFORM_ADOPT=capvs/clusters/prod"]);
    expect(fixture.written).toEqual([]);
  });

  test.each(["capvs/providers/prod", "capov/clusters/prod", "capvs/clusters/prod-2"])(
    "is not adopted because of %s",
    async (CLUSTER_PLATFORM_ADOPT) => {
      fixture.clusters = [prod];
      expectRefusal(await fixture.run("create", { CLUSTER_PLATFORM_ADOPT }), 1, "NAME_TAKEN", []);
    },
  );
});

test("a failed wait removes the note of an answered create, because the state has the object", async () => {
  fixture.seconds = 3;
  fixture.writes = [(response) => (fixture.clusters.push({ ...prod, phase: "Pending" }), response.writeHead(201).end())];
  expect(await fixture.run("create")).toMatchObject({ status: 0 });
  expect(fixture.notes).toBe(1);
  const blocks = [{ type: "capvs", kind: "clusters", address: "null_resource.capvs_clusters", ready: ["prod"], present: [] }];
  expectRefusal(await fixture.run("wait", { CLUSTER_PLATFORM_HOOK_EXPECTED_0: packed(blocks) }), 1, "READY_TIMEOUT", []);
  expect(fixture.notes).toBe(0);
});

test("a wait refuses what Terraform has recorded before a create refused it, until the note is removed", async () => {
  await interruptedCreate();
  fixture.changeNotes((facts) => ({ ...facts, contradictedIn: facts.creates[0]!.workspace }));
  const [file] = fixture.files;
  fixture.clusters = [{ ...prod, phase: "Provisioned" }];
  expectRefusal(await fixture.run("wait"), 1, "ADOPT_MISMATCH", [
    `If another machine has created it since, the state is right: remove the note .cluster-platform/objects/${basename(file!)} and apply again`,
    "terraform apply -replace=",
  ]);
  rmSync(file!);
  expect(await fixture.run("wait")).toMatchObject({ status: 0 });
});

test("a failed wait keeps the note of a create without an answer, and a removal polls for its object", async () => {
  fixture.seconds = 3;
  fixture.writes = [{ status: 500 }];
  expect(await fixture.run("create")).toMatchObject({ status: 1 });
  expectRefusal(await fixture.run("wait"), 1, "OBJECT_MISSING", ["cluster prod is in Terraform's state"]);
  const { status, stdout } = await fixture.run("delete");
  expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining("may still be carried out") });
});

test("an object to adopt is not touched if it differs, and gets no request if it matches", async () => {
  const env = { CLUSTER_PLATFORM_ADOPT: "capvs/clusters/prod" };
  fixture.clusters = [{ ...prod, providerConfigID: "other" }];
  expectRefusal(await fixture.run("create", env), 1, "ADOPT_MISMATCH", [
    "cluster prod cannot be adopted, because it differs from its declaration: provider is other, declared is vsphere",
    "nothing was changed",
    "Keep it: declare the live values",
  ]);
  fixture.clusters = [prod];
  expect(await fixture.run("create", env)).toMatchObject({ status: 0, stdout: expect.stringContaining("adopted") });
  expect(fixture.written).toEqual([]);
});

test("text of the service cannot write lines of its own, or change the terminal", async () => {
  fixture.clusters = [{ ...prod, providerConfigID: "red\u001b[31m\nError: forged" }];
  const shown = "red\\u{1b}[31m\\nError: forged";
  const adopted = await fixture.run("create", { CLUSTER_PLATFORM_ADOPT: "capvs/clusters/prod" });
  expect(adopted.stderr).toContain(`provider is ${shown}, declared is vsphere`);
  expect((await fixture.run("create")).stderr).toContain(`a capvs cluster on provider ${shown}, phase`);
  expect((await fixture.run("delete")).stderr).toContain(`a capvs cluster on provider ${shown}, but this stack`);
});

test("nothing is sent if the note cannot be written", async () => {
  writeFileSync(join(fixture.folder, ".cluster-platform"), "in the way");
  fixture.writes = [{ status: 201 }];
  expectRefusal(await fixture.run("create"), 2, "INVALID_SETTING", [
    "capvs/clusters/prod: cannot write the note of its create to .cluster-platform/objects/",
    "nothing was sent",
    "Make the folder that Terraform runs in writable and apply again",
  ]);
  expect(fixture.written).toEqual([]);
});

test("an adoption needs no note", async () => {
  writeFileSync(join(fixture.folder, ".cluster-platform"), "in the way");
  fixture.clusters = [prod];
  expect(await fixture.run("create", { CLUSTER_PLATFORM_ADOPT: "capvs/clusters/prod" })).toMatchObject({ status: 0 });
  expect(fixture.written).toEqual([]);
});

test("a name that differs in case only is taken, also for an adoption and after a lost answer", async () => {
  const named = { CLUSTER_PLATFORM_HOOK_NAME: "Prod" };
  fixture.clusters = [prod];
  for (const more of [{}, { CLUSTER_PLATFORM_ADOPT: "capvs/clusters/Prod" }]) {
    expectRefusal(await fixture.run("create", { ...named, ...more }), 1, "NAME_TAKEN", [
      "the service already has prod, a capvs cluster on provider vsphere",
      "declare its live values, the name prod included, and apply once with CLUSTER_PLATFORM_ADOPT=capvs/clusters/prod",
    ]);
  }
  fixture.clusters = [];
  fixture.writes = [(response) => (fixture.clusters.push(prod), response.destroy())];
  expectRefusal(await fixture.run("create", named), 1, "NAME_TAKEN", ["but its name is prod"]);
  expect(fixture.written).toEqual([POST]);
});

describe("a cluster that the service is deleting", () => {
  const leaving = { ...prod, phase: "Deleting" };
  const adopting = { CLUSTER_PLATFORM_ADOPT: "capvs/clusters/prod" };
  beforeEach(() => {
    fixture.clusters = [leaving];
    fixture.writes = [(response) => ((fixture.clusters = [prod]), response.writeHead(201).end("{}"))];
  });

  test.each([{}, adopting])("is waited for and not adopted, with %j", async (env) => {
    fixture.look = () => void (fixture.requests.length === 5 && (fixture.clusters = []));
    const { status, stdout } = await fixture.run("create", env);
    expect({ status, stdout }).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("the service is deleting a capvs cluster of this name; waiting for its end, 1m00s at most"),
    });
    expect(fixture.written).toEqual([POST]);
  });

  test("does not make its name taken if the request is refused because of it", async () => {
    fixture.clusters = [];
    fixture.writes = [
      (response) => ((fixture.clusters = [leaving]), response.writeHead(409).end()),
      (response) => ((fixture.clusters = [prod]), response.writeHead(201).end("{}")),
    ];
    expect(await fixture.run("create")).toMatchObject({ status: 0 });
    expect(fixture.written).toEqual([POST, POST]);
  });
});
