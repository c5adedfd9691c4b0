import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Answer } from "../api/service";
import { block, expectRefusal, packed } from "../bad-input/hook";
import { prod, Stage } from "./stage";

/** What a create hook sends, and what it notes of it: on that the next apply decides whose an object is. */

let stage: Stage;
beforeEach(async () => (stage = await Stage.open()));
afterEach(() => stage.close());

const POST = "POST /api/v1/platform/providers/clusters/capvs";
const page = { body: "<html><title>Sign in</title>" };
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

/** Leaves a note behind: the request was sent, and nobody knows what became of it. */
async function interruptedCreate(): Promise<void> {
  stage.seconds = 5;
  stage.writes = [{ status: 500 }];
  expectRefusal(await stage.run("create"), 1, "OUTCOME_UNKNOWN", ["the service does not list it yet"]);
  expect(stage.notes).toBe(1);
  stage.requests.length = 0;
  stage.seconds = 20;
}

describe("a request without an answer", () => {
  test("is noted, and the way out on another machine is said", async () => {
    stage.seconds = 5;
    stage.writes = [{ status: 500 }];
    expectRefusal(await stage.run("create"), 1, "OUTCOME_UNKNOWN", [
      "should it say that the name is taken, apply once with CLUSTER_PLATFORM_ADOPT=capvs/clusters/prod",
    ]);
    expect(stage.written).toEqual([POST]);
    expect(stage.notes).toBe(1);
  });

  test("that was carried out is a success, and nothing stays noted", async () => {
    stage.writes = [(response) => (stage.clusters.push(prod), response.destroy())];
    const { status, stdout } = await stage.run("create");
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining("the answer was lost") });
    expect(stage.written).toEqual([POST]);
    expect(stage.notes).toBe(0);
  });

  test("is no claim to what looks otherwise than was declared", async () => {
    stage.writes = [(response) => (stage.clusters.push({ ...prod, providerConfigID: "other" }), response.destroy())];
    expectRefusal(await stage.run("create"), 1, "NAME_TAKEN", [
      "a capvs cluster on provider other",
      "and got no answer, but its provider is other, declared is vsphere",
    ]);
    expect(stage.written).toEqual([POST]);
    expect(stage.notes).toBe(0);
  });

  test("stays noted where what became of it cannot be seen", async () => {
    stage.writes = [(response) => ((stage.look = () => page), response.destroy())];
    expectRefusal(await stage.run("create"), 1, "OUTCOME_UNKNOWN", ["cannot be seen either", "an HTML page"]);
    expect(stage.written).toEqual([POST]);
    expect(stage.notes).toBe(1);
  });
});

describe("a request that was refused leaves no claim to what appears under the name", () => {
  test.each([400, 403, 409, 422, 429])("with %i", async (status) => {
    stage.seconds = 5;
    stage.writes = [{ status }];
    expect((await stage.run("create")).status).toBe(1);
    expect(stage.notes).toBe(0);
  });

  test("as somebody else was faster", async () => {
    stage.writes = [
      (response) => {
        stage.clusters.push(prod);
        response.writeHead(409).end();
      },
    ];
    expectRefusal(await stage.run("create"), 1, "NAME_TAKEN", ["nothing shows that this stack created it"]);
    expect(stage.written).toEqual([POST]);
    expect(stage.notes).toBe(0);
  });

  test("and of which nothing more can be seen", async () => {
    stage.writes = [(response) => ((stage.look = () => page), response.writeHead(409).end())];
    expectRefusal(await stage.run("create"), 1, "CONFLICT", ["409"]);
    expect(stage.notes).toBe(0);
    stage.look = () => undefined;
    stage.clusters = [prod];
    expectRefusal(await stage.run("create"), 1, "NAME_TAKEN", ["nothing shows that this stack created it"]);
  });

  test("between its repetitions, each of which is noted before it is sent", async () => {
    const notes: string[] = [];
    const note = (when: string) => void notes.push(`${when}: ${stage.notes}`);
    stage.look = () => note("looked");
    stage.writes = [409, 409, 201].map((status) => (response) => (note(String(status)), response.writeHead(status).end()));
    expect(await stage.run("create")).toMatchObject({ status: 0 });
    expect(notes).toEqual(["looked: 0", "409: 1", "looked: 0", "409: 1", "looked: 0", "201: 1"]);
    expect(stage.notes).toBe(0);
  });
});

test.each([409, 425, 429])("status %i may pass: the request is repeated while there is time", async (status) => {
  stage.writes = [...Array.from({ length: 5 }, () => ({ status })), { status: 201 }];
  expect(await stage.run("create")).toMatchObject({ status: 0 });
  expect(stage.written).toHaveLength(6);
  expect(stage.notes).toBe(0);
});

test.each([400, 401, 404, 422])("status %i does not pass, and nothing is repeated", async (status) => {
  stage.writes = [{ status }];
  expect(await stage.run("create")).toMatchObject({ status: 1 });
  expect(stage.written).toEqual([POST]);
});

describe("a cluster whose provider was registered moments ago", () => {
  const vsphere = { CLUSTER_PLATFORM_HOOK_BLOCK: block("providers"), CLUSTER_PLATFORM_HOOK_NAME: "vsphere" };
  const registrations = () => join(stage.folder, ".cluster-platform/registrations");

  /** Has a provider registered, and the service answer to it. */
  async function register(answer: Answer, env: NodeJS.ProcessEnv = {}): Promise<void> {
    const { providers } = stage;
    stage.providers = [];
    stage.writes = [answer];
    expect(await stage.run("create", { ...vsphere, ...env })).toMatchObject({ status: 0 });
    stage.providers = providers;
    stage.requests.length = 0;
  }

  test.each([400, 404, 412, 422])("and is not ready is asked for again when it is refused with %i", async (status) => {
    await register({ status: 201, body: { identityName: "vsphere", ready: false } });
    stage.writes = [{ status, body: { message: "no such identity" } }, { status }, { status: 201 }];
    const { status: exit, stdout } = await stage.run("create");
    expect({ exit, stdout }).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(
        /no such identity.*; its provider was registered \d+s ago and may not be ready yet; the name is still/,
      ),
    });
    expect(stage.written).toHaveLength(3);
    expect(stage.notes).toBe(0);
  });

  test("and nobody knows whether it is ready is asked for again as well", async () => {
    await register(
      (response) => ((stage.providers = [{ providerType: "capvs", configs: [{ name: "vsphere" }] }]), response.destroy()),
    );
    stage.writes = [{ status: 422 }, { status: 201 }];
    expect(await stage.run("create")).toMatchObject({ status: 0 });
  });

  test("is asked for again no longer than a create may take", async () => {
    await register({ status: 201, body: { ready: false } });
    stage.seconds = 5;
    stage.writes = [{ status: 422, body: { message: "no such identity" } }];
    expectRefusal(await stage.run("create"), 1, "REJECTED", ["422: no such identity"]);
    expect(stage.written.length).toBeGreaterThan(2);
  });

  const isRefusedAtOnce = async (status = 422) => {
    stage.writes = [{ status }];
    expect(await stage.run("create")).toMatchObject({ status: 1 });
    expect(stage.written).toEqual([POST]);
  };

  test("is refused at once where the reply said that it is ready", async () => {
    await register({ status: 201, body: { ready: true } });
    await isRefusedAtOnce();
  });

  test("is refused at once where the reply says nothing of it, as of most types", async () => {
    await register({ status: 201, body: { name: "vsphere" } });
    await isRefusedAtOnce();
  });

  test("is refused at once for what has nothing to do with it", async () => {
    await register({ status: 201, body: { ready: false } });
    await isRefusedAtOnce(403);
  });

  test("is refused at once where that was another one", async () => {
    await register({ status: 201, body: { ready: false } }, { CLUSTER_PLATFORM_HOOK_NAME: "other" });
    await isRefusedAtOnce();
  });

  test("is refused at once when two minutes have passed", async () => {
    await register({ status: 201, body: { ready: false } });
    const [name] = readdirSync(registrations());
    const file = join(registrations(), name!);
    writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, "utf8")) as object), at: minutesAgo(2) }));
    await isRefusedAtOnce();
  });

  test("is refused at once where the note is of a time to come", async () => {
    await register({ status: 201, body: { ready: false } });
    const [name] = readdirSync(registrations());
    const file = join(registrations(), name!);
    writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, "utf8")) as object), at: minutesAgo(-60) }));
    await isRefusedAtOnce();
  });

  test("is forgotten together with it", async () => {
    await register({ status: 201, body: { ready: false } });
    stage.writes = [(response) => ((stage.providers = []), response.writeHead(202).end())];
    expect(await stage.run("delete", vsphere)).toMatchObject({ status: 0 });
    expect(readdirSync(registrations())).toEqual([]);
  });

  test("needs no note: a registration that cannot be noted is one all the same", async () => {
    mkdirSync(join(stage.folder, ".cluster-platform"));
    writeFileSync(registrations(), "in the way");
    await register({ status: 201, body: { ready: false } });
    await isRefusedAtOnce();
  });
});

describe("what lives under the name when a create begins", () => {
  test("is of an earlier apply that noted it, and is its own no more once that is settled", async () => {
    await interruptedCreate();
    stage.clusters = [{ ...prod, conditions: [{ type: "Ready", status: "True", lastTransitionTime: minutesAgo(4) }] }];
    const { status, stdout } = await stage.run("create");
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining("created by an earlier apply") });
    expectRefusal(await stage.run("create"), 1, "NAME_TAKEN", ["nothing shows that this stack created it"]);
    expect(stage.written).toEqual([]);
  });

  test("is somebody else's where something happened to it before it was noted", async () => {
    await interruptedCreate();
    stage.clusters = [{ ...prod, conditions: [{ type: "Ready", status: "True", lastTransitionTime: minutesAgo(6) }] }];
    expectRefusal(await stage.run("create"), 1, "NAME_TAKEN", ["This stack was creating it at", "it was Ready at"]);
    expect(stage.written).toEqual([]);
  });

  test("is left alone where the declaration has changed since, and taken for its own when that is taken back", async () => {
    stage.writes = [{ status: 500 }];
    const triggers = { name: "prod", provider: "vsphere", productVersion: "2.5.0", "bodyOverrides.token": "zq7" };
    const declared = (changes: object) => ({
      CLUSTER_PLATFORM_HOOK_ENTRY_0: packed({ path: "stack/prod", triggers: { ...triggers, ...changes }, body: {} }),
    });
    await stage.run("create", declared({}));
    stage.requests.length = 0;
    stage.clusters = [prod];
    expectRefusal(await stage.run("create", declared({ productVersion: "2.6.0", ingressVip: "10.0.0.9" })), 1, "NAME_TAKEN", [
      "got no answer, but since then ingressVip, productVersion changed in the code",
      "If what lives is what was sent then, declare that, apply, and change it afterwards",
    ]);
    const folder = join(stage.folder, ".cluster-platform/intents");
    expect(readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"))).toEqual([
      expect.not.stringContaining("zq7"),
    ]);
    expect(await stage.run("create", declared({}))).toMatchObject({ status: 0 });
    expect(stage.written).toEqual([]);
  });

  test("is its own where a clock went wrong between the look and a lost answer", async () => {
    const conditions = [{ type: "Ready", status: "True", lastTransitionTime: minutesAgo(60) }];
    stage.writes = [(response) => (stage.clusters.push({ ...prod, conditions }), response.destroy())];
    expect(await stage.run("create")).toMatchObject({ status: 0, stdout: expect.stringContaining("the answer was lost") });
  });

  test("is a registration with the credentials of then", async () => {
    const env = { CLUSTER_PLATFORM_HOOK_BLOCK: block("providers"), CLUSTER_PLATFORM_HOOK_NAME: "vsphere" };
    const { providers } = stage;
    stage.providers = [];
    stage.seconds = 5;
    stage.writes = [{ status: 500 }];
    await stage.run("create", env);
    stage.providers = providers;
    expect(await stage.run("create", env)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("going on with it, with the credentials that were sent then"),
    });
  });

  test("is somebody else's to another workspace", async () => {
    await interruptedCreate();
    stage.clusters = [prod];
    const env = { CLUSTER_PLATFORM_HOOK_WORKSPACE: "other" };
    expectRefusal(await stage.run("create", env), 1, "NAME_TAKEN", ["nothing shows that this stack created it"]);
    expect(stage.written).toEqual([]);
  });

  test("is somebody else's on another service", async () => {
    await interruptedCreate();
    const other = await Stage.open();
    other.clusters = [prod];
    stage.url = other.url;
    expectRefusal(await stage.run("create"), 1, "NAME_TAKEN", ["nothing shows that this stack created it"]);
    expect(other.written).toEqual([]);
    await other.close();
  });

  test("is somebody else's where it looks as declared but nothing is noted", async () => {
    stage.clusters = [prod];
    expectRefusal(await stage.run("create"), 1, "NAME_TAKEN", ["CLUSTER_PLATFORM_ADOPT=capvs/clusters/prod"]);
    expect(stage.written).toEqual([]);
  });

  test.each(["capvs/providers/prod", "capov/clusters/prod", "capvs/clusters/prod-2"])(
    "is not taken over for the sake of %s",
    async (CLUSTER_PLATFORM_ADOPT) => {
      stage.clusters = [prod];
      expectRefusal(await stage.run("create", { CLUSTER_PLATFORM_ADOPT }), 1, "NAME_TAKEN", []);
    },
  );
});

describe("when Terraform is gone", () => {
  const goes = () => process.kill(stage.pid, "SIGHUP");

  test("before the request, it is sent all the same, as Terraform may have noted the object as created", async () => {
    stage.look = () => void (stage.written.length === 0 && goes());
    stage.writes = [{ status: 201 }];
    expect(await stage.run("create")).toMatchObject({ status: 0 });
    expect(stage.written).toEqual([POST]);
  });

  test("the note stays, by which the next apply knows the object, though Terraform's state does not", async () => {
    stage.writes = [(response) => (goes(), setTimeout(() => (stage.clusters.push(prod), response.writeHead(201).end()), 300))];
    expect(await stage.run("create")).toMatchObject({ status: 0 });
    expect(stage.notes).toBe(1);
    const { status, stdout } = await stage.run("create");
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining("created by an earlier apply") });
    expect(stage.notes).toBe(0);
    expect(stage.written).toEqual([POST]);
  });
});

test("what is to be taken over is left alone where it differs, and where it does not it is asked for nothing", async () => {
  const env = { CLUSTER_PLATFORM_ADOPT: "capvs/clusters/prod" };
  stage.clusters = [{ ...prod, providerConfigID: "other" }];
  expectRefusal(await stage.run("create", env), 1, "ADOPT_MISMATCH", [
    "cluster prod lives on the service and differs from the declaration; nothing was touched",
    "provider: declared vsphere, live other",
    "Declare what is live and apply again",
  ]);
  stage.clusters = [prod];
  expect(await stage.run("create", env)).toMatchObject({ status: 0, stdout: expect.stringContaining("adopted") });
  expect(stage.written).toEqual([]);
});

test("nothing is sent where it cannot be noted before", async () => {
  writeFileSync(join(stage.folder, ".cluster-platform"), "in the way");
  stage.writes = [{ status: 201 }];
  expectRefusal(await stage.run("create"), 1, "INVALID_SETTING", [
    "capvs/clusters/prod: cannot note in .cluster-platform/intents/",
    "nothing was sent",
    "Make the folder that Terraform runs in writable and apply again",
  ]);
  expect(stage.written).toEqual([]);
});

test("what is taken over needs no note", async () => {
  writeFileSync(join(stage.folder, ".cluster-platform"), "in the way");
  stage.clusters = [prod];
  expect(await stage.run("create", { CLUSTER_PLATFORM_ADOPT: "capvs/clusters/prod" })).toMatchObject({ status: 0 });
  expect(stage.written).toEqual([]);
});
