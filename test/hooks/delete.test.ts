import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { block, expectRefusal, packed, settings } from "../bad-input/hook";
import { prod, Stage } from "./stage";

/** What a destroy hook sends, and what it takes for a proof that the object is gone. */

let stage: Stage;
beforeEach(async () => (stage = await Stage.open()));
afterEach(() => stage.close());

const DELETE = "DELETE /api/v1/clusters/prod";
const page = { body: "<html><title>Sign in</title>" };
const ofProvider = { CLUSTER_PLATFORM_HOOK_BLOCK: block("providers"), CLUSTER_PLATFORM_HOOK_NAME: "vsphere" };
const accepted = { status: 202 };

describe("a cluster is gone", () => {
  test("when a list lacks it, which is asked for until it does", async () => {
    stage.clusters = [prod];
    stage.writes = [accepted];
    let looks = 0;
    stage.look = () => void (++looks === 4 && (stage.clusters = []));
    const { status, stdout } = await stage.run("delete");
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining("cluster prod: deleted after") });
    expect({ looks, written: stage.written }).toEqual({ looks: 4, written: [DELETE] });
  });

  test("when it was before: no look of ten seconds has it, its provider is there, and nothing is sent", async () => {
    const started = Date.now();
    expect(await stage.run("delete")).toMatchObject({ status: 0, stdout: "cluster prod: is not on the service any more\n" });
    expect(Date.now() - started).toBeGreaterThanOrEqual(10_000);
    expect(stage.requests.at(-1)).toBe("GET /api/v1/platform/providers");
    expect(stage.written).toEqual([]);
  });

  test.each([
    ["a page of a proxy", page],
    ["a list that is not complete", { body: { items: [], count: 1 } }],
    ["an outage", { status: 503, headers: { "retry-after": "0" } }],
  ])("not when the service accepted the deletion and then shows %s", async (_, answer) => {
    stage.seconds = 3;
    stage.clusters = [prod];
    stage.writes = [(response) => ((stage.look = () => answer), response.writeHead(202).end())];
    expectRefusal(await stage.run("delete"), 1, "DELETE_TIMEOUT", [
      "cluster prod is still on the service",
      "the next apply goes on",
    ]);
    expect(stage.written).toEqual([DELETE]);
  });

  test("not when the connection to it is refused for good", async () => {
    stage.clusters = [prod];
    stage.writes = [(response) => ((stage.look = () => ({ status: 403 })), response.writeHead(202).end())];
    expectRefusal(await stage.run("delete"), 1, "FORBIDDEN", ["403"]);
  });

  test.each([404, 410])("not when the service answers %i while its list has it: the request is sent again", async (status) => {
    stage.clusters = [prod];
    stage.writes = [{ status }, { status }, (response) => ((stage.clusters = []), response.writeHead(202).end())];
    expect(await stage.run("delete")).toMatchObject({ status: 0 });
    expect(stage.written).toEqual([DELETE, DELETE, DELETE]);
  });

  test("not when the service answers 404 for good", async () => {
    stage.seconds = 3;
    stage.clusters = [prod];
    stage.writes = [{ status: 404 }];
    expectRefusal(await stage.run("delete"), 1, "DELETE_TIMEOUT", ["cluster prod is still on the service"]);
  });
});

test("a cluster of which the service does not say the provider is ours by its type and name", async () => {
  stage.clusters = [{ ...prod, providerConfigID: "" }];
  stage.writes = [(response) => ((stage.clusters = []), response.writeHead(202).end())];
  expect(await stage.run("delete")).toMatchObject({ status: 0 });
  expect(stage.written).toEqual([DELETE]);
});

test.each([{ providerConfigID: "other" }, { providerType: "capov" }])(
  "a cluster that is %j is somebody else's",
  async (other) => {
    stage.clusters = [{ ...prod, ...other }];
    stage.writes = [accepted];
    expectRefusal(await stage.run("delete"), 1, "NOT_OURS", ["nothing was sent"]);
    expect(stage.written).toEqual([]);
  },
);

test("what the service refuses as busy is asked for again while there is time, and a refusal for good is not", async () => {
  stage.clusters = [prod];
  stage.writes = [{ status: 409 }, { status: 409 }, (response) => ((stage.clusters = []), response.writeHead(202).end())];
  expect(await stage.run("delete")).toMatchObject({ status: 0 });
  expect(stage.written).toHaveLength(3);
  stage.seconds = 3;
  stage.clusters = [prod];
  stage.writes = [{ status: 409, body: { message: "busy" } }];
  expectRefusal(await stage.run("delete"), 1, "DELETE_TIMEOUT", ["409: busy", "the next apply goes on"]);
  stage.requests.length = 0;
  stage.writes = [{ status: 403 }];
  expectRefusal(await stage.run("delete"), 1, "FORBIDDEN", []);
  expect(stage.written).toEqual([DELETE]);
});

describe("nothing is asked for, and nothing sent", () => {
  test.each([
    ["all is protected", { deletionProtection: true as const }],
    ["its pattern is protected", { deletionProtection: ["x", "p*"] }],
    ["another one may be deleted", { deletionProtection: ["prod"], allowDeletion: ["capvs/providers/prod"] }],
  ])("where %s", async (_, more) => {
    stage.clusters = [prod];
    const env = { CLUSTER_PLATFORM_HOOK_SETTINGS: settings(stage.url, more) };
    expectRefusal(await stage.run("delete", env), 1, "PROTECTED", [
      "nothing was sent",
      "allowDeletion: [name]",
      "retain: [name]",
    ]);
    expect(stage.requests).toEqual([]);
  });

  test("where it is retained, protected or not", async () => {
    stage.clusters = [prod];
    const env = { CLUSTER_PLATFORM_HOOK_SETTINGS: settings(stage.url, { deletionProtection: true, retain: ["stage", "prod"] }) };
    expect(await stage.run("delete", env)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("left on the service (retain)"),
    });
    expect(stage.requests).toEqual([]);
  });
});

describe("a provider", () => {
  const on = (providerConfigID: string, providerType = "capvs") => ({ ...prod, providerConfigID, providerType });

  test("goes when no cluster is on it, whatever is on others", async () => {
    stage.clusters = [on("other"), { ...on("vsphere", "capov"), clusterName: "theirs" }];
    stage.writes = [(response) => ((stage.providers = []), response.writeHead(202).end())];
    expect(await stage.run("delete", ofProvider)).toMatchObject({ status: 0 });
    expect(stage.written).toEqual(["DELETE /api/v1/platform/providers/capvs/vsphere"]);
  });

  test("does not go while a cluster is on it, and one look is enough", async () => {
    stage.clusters = [on("other"), { ...on("vsphere"), clusterName: "theirs" }];
    expectRefusal(await stage.run("delete", ofProvider), 1, "PROVIDER_IN_USE", [
      "capvs provider vsphere is used by theirs; nothing was sent",
      "list this name in the Platform's retain: it stays on the service",
      "declare it again if the code lacks it, apply once with CLUSTER_PLATFORM_ADOPT=capvs/clusters/theirs, and remove it then",
    ]);
    expect(stage.requests).toEqual(["GET /api/v1/platform/providers", "GET /api/v1/clusters"]);
  });

  test("is not asked for again when a cluster came upon it meanwhile", async () => {
    stage.seconds = 3;
    stage.writes = [(response) => ((stage.clusters = [on("vsphere")]), response.writeHead(409).end())];
    expectRefusal(await stage.run("delete", ofProvider), 1, "PROVIDER_IN_USE", ["is used by prod"]);
    expect(stage.written).toHaveLength(1);
  });

  test("does not go while it cannot be seen who uses it", async () => {
    stage.look = ({ path }) => (path === "/api/v1/clusters" ? { body: { items: [], count: 1 } } : undefined);
    expectRefusal(await stage.run("delete", ofProvider), 1, "CONTRACT", ["'count' must be the number of items"]);
    expect(stage.written).toEqual([]);
  });
});

test("notes that cannot be read fail no deletion that is done", async () => {
  mkdirSync(join(stage.folder, ".cluster-platform"));
  writeFileSync(join(stage.folder, ".cluster-platform/intents"), "in the way");
  stage.clusters = [prod];
  stage.writes = [(response) => ((stage.clusters = []), response.writeHead(204).end())];
  expect(await stage.run("delete")).toMatchObject({ status: 0 });
});

describe("the note of a creation whose outcome nobody knows", () => {
  const noted = () => readdirSync(join(stage.folder, ".cluster-platform/intents")).length;

  let elsewhere: Stage;
  afterEach(() => elsewhere.close());
  beforeEach(async () => {
    stage.writes = [{ status: 500 }];
    stage.seconds = 3;
    await stage.run("create");
    await stage.run("create", { CLUSTER_PLATFORM_HOOK_NAME: "other" });
    await stage.run("create", { CLUSTER_PLATFORM_HOOK_WORKSPACE: "second" });
    elsewhere = await Stage.open();
    await stage.run("create", { CLUSTER_PLATFORM_HOOK_SETTINGS: settings(elsewhere.url) });
    expect(noted()).toBe(4);
  });

  test("stays when a removal does not find the object, which may still be created", async () => {
    const { status, stdout } = await stage.run("delete");
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining("may be carried out yet") });
    expect(noted()).toBe(4);
  });

  test("goes with the object, in all workspaces, and those of other objects and services stay", async () => {
    stage.clusters = [prod];
    stage.writes = [(response) => ((stage.clusters = []), response.writeHead(202).end())];
    expect(await stage.run("delete")).toMatchObject({ status: 0 });
    expect(noted()).toBe(2);
    stage.clusters = [prod];
    expectRefusal(await stage.run("create"), 1, "NAME_TAKEN", ["nothing shows that this stack created it"]);
  });

  test("goes when the census does not find the object, and all stay when it finds any", async () => {
    stage.seconds = 3;
    stage.clusters = [prod];
    const env = { CLUSTER_PLATFORM_HOOK_BEFORE: packed(["capvs/clusters/prod", "capvs/clusters/other"]) };
    expectRefusal(await stage.run("census", env), 1, "STILL_LIVE", [
      "removed from the code, but still on the service: capvs/clusters/prod.",
      "CLUSTER_PLATFORM_ADOPT=capvs/clusters/prod",
      'retain: ["capvs/clusters/prod"]',
      "If this run has -target, or -replace of the census, that leaves out what lives: apply without it",
    ]);
    expect(noted()).toBe(4);
    stage.clusters = [];
    expect(await stage.run("census", env)).toMatchObject({ status: 0 });
    expect(noted()).toBe(1);
  });

  test.each(["delete", "census"])(
    "goes when the object is retained, by the %s hook, which needs no token for it",
    async (hook) => {
      const env = {
        CLUSTER_PLATFORM_HOOK_SETTINGS: settings(stage.url, { retain: ["prod"] }),
        CLUSTER_PLATFORM_TOKEN: undefined,
      };
      stage.requests.length = 0;
      expect(await stage.run(hook, env)).toMatchObject({ status: 0 });
      expect(noted()).toBe(2);
      expect(stage.requests).toEqual([]);
      stage.clusters = [prod];
      expectRefusal(await stage.run("create"), 1, "NAME_TAKEN", ["nothing shows that this stack created it"]);
    },
  );
});

describe("a creation whose outcome nobody knows, and which left the code, may be carried out yet: the census", () => {
  const removed = { CLUSTER_PLATFORM_HOOK_BEFORE: packed(["capvs/clusters/prod"]) };
  beforeEach(async () => {
    stage.seconds = 3;
    stage.writes = [{ status: 500 }];
    await stage.run("create");
    expect(stage.notes).toBe(1);
    stage.requests.length = 0;
    stage.seconds = 20;
  });

  test("looks on, and fails when the object appears", async () => {
    stage.look = () => void (stage.requests.length === 4 && (stage.clusters = [prod]));
    const run = await stage.run("census", removed);
    expectRefusal(run, 1, "STILL_LIVE", ["capvs/clusters/prod"]);
    expect(run.stdout).toBe("capvs/clusters/prod: the request to create it may be carried out yet; looking on for 20s\n");
    expect(stage.requests).toHaveLength(4);
    expect(stage.notes).toBe(1);
  });

  test("looks on for as long as a deletion may take, and forgets the note then", async () => {
    stage.seconds = 3;
    expect(await stage.run("census", removed)).toMatchObject({ status: 0, stdout: expect.stringContaining("looking on for 3s") });
    expect(stage.requests.length).toBeGreaterThan(3);
    expect(stage.notes).toBe(0);
  });

  test("looks once when that was long ago", async () => {
    const folder = join(stage.folder, ".cluster-platform/intents");
    const note = join(folder, readdirSync(folder)[0]!);
    const minutesAgo = new Date(Date.now() - 150_000).toISOString();
    writeFileSync(note, readFileSync(note, "utf8").replace(/"(at|sentAt)":"[^"]+"/g, `"$1":"${minutesAgo}"`));
    expect(await stage.run("census", removed)).toMatchObject({ status: 0, stdout: "" });
    expect(stage.requests).toHaveLength(1);
    expect(stage.notes).toBe(0);
  });

  test("keeps the note when it is interrupted", async () => {
    stage.look = () => void (stage.requests.length === 2 && process.kill(stage.pid, "SIGINT"));
    expectRefusal(await stage.run("census", removed), 1, "INTERRUPTED", ["The next apply looks again"]);
    expect(stage.notes).toBe(1);
  });
});

describe("the census", () => {
  const env = (...ids: string[]) => ({ CLUSTER_PLATFORM_HOOK_BEFORE: packed(ids) });

  test("does not take what is of another type for what was removed", async () => {
    stage.clusters = [{ ...prod, providerType: "capov" }];
    expect(await stage.run("census", env("capvs/clusters/prod", "capov/providers/vsphere"))).toMatchObject({ status: 0 });
  });

  test("finds a registration, too, and asks for nothing where nothing was removed", async () => {
    expectRefusal(await stage.run("census", env("capvs/providers/vsphere")), 1, "STILL_LIVE", ["capvs/providers/vsphere"]);
    stage.requests.length = 0;
    const kept = { ...env("capvs/providers/vsphere"), CLUSTER_PLATFORM_HOOK_AFTER: packed(["capvs/providers/vsphere"]) };
    expect(await stage.run("census", kept)).toMatchObject({ status: 0 });
    expect(stage.requests).toEqual([]);
  });

  test("fails where a list does not come to its end within the time of a deletion", async () => {
    stage.seconds = 3;
    stage.look = () => (response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write(" "), 100);
      response.on("close", () => clearInterval(drip));
    };
    expectRefusal(await stage.run("census", env("capvs/clusters/prod")), 1, "DELETE_TIMEOUT", [
      "whether the service has capvs/clusters/prod was not seen within 3s (timeouts.deleteSeconds)",
      "Terraform keeps in its state what to look for; the next apply looks again",
    ]);
  }, 15_000);

  test("fails where it cannot see", async () => {
    stage.look = () => ({ body: { items: [], count: 1 } });
    expectRefusal(await stage.run("census", env("capvs/clusters/prod")), 1, "CONTRACT", [
      "check that the URL is that of the service",
    ]);
  });
});
