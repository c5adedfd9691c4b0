import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { digestOf } from "../../src/contract/snapshot";
import { declared, expectRefusal, ofProvider, packed, settings, snapshot } from "../bad-input/hook";
import { prod, HookFixture } from "./hook-fixture";

/** The requests of a destroy hook, and its proof that an object is gone. */

let fixture: HookFixture;
beforeEach(async () => (fixture = await HookFixture.open()));
afterEach(() => fixture.close());

const DELETE = "DELETE /api/v1/clusters/prod";
const page = { body: "<html><title>Sign in</title>" };
const accepted = { status: 202 };

describe("a cluster is gone", () => {
  test.each([
    ["a list lacks it after a DELETE that is done", { status: 204 }, 4],
    ["no list of ten seconds has it after a DELETE that is accepted", accepted, 14],
  ])("when %s", async (_, answer, expected) => {
    fixture.clusters = [prod];
    fixture.writes = [answer];
    let looks = 0;
    fixture.look = () => void (++looks === 4 && (fixture.clusters = []));
    const { status, stdout } = await fixture.run("delete");
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining("cluster prod: deleted after") });
    expect({ looks, written: fixture.written }).toEqual({ looks: expected, written: [DELETE] });
  });

  test("when it was gone before: no list of ten seconds has it, its provider is there, and nothing is sent", async () => {
    fixture.pausesAreReal = true;
    const started = Date.now();
    expect(await fixture.run("delete")).toMatchObject({ status: 0, stdout: "cluster prod: is not on the service any more\n" });
    expect(Date.now() - started).toBeGreaterThanOrEqual(10_000);
    expect(fixture.requests.at(-1)).toBe("GET /api/v1/platform/providers");
    expect(fixture.written).toEqual([]);
  });

  test.each([
    ["a page of a proxy", page],
    ["a list that is not complete", { body: { items: [], count: 1 } }],
    ["an outage", { status: 503, headers: { "retry-after": "0" } }],
  ])("not when the service accepts the deletion and then shows %s", async (_, answer) => {
    fixture.seconds = 15;
    fixture.clusters = [prod];
    fixture.writes = [(response) => ((fixture.look = () => answer), response.writeHead(202).end())];
    expectRefusal(await fixture.run("delete"), 1, "DELETE_TIMEOUT", [
      "cluster prod is still on the service",
      "the next apply continues",
    ]);
    expect(fixture.written).toEqual([DELETE]);
  });

  test("not when the connection to the service is refused for good", async () => {
    fixture.clusters = [prod];
    fixture.writes = [(response) => ((fixture.look = () => ({ status: 403 })), response.writeHead(202).end())];
    expectRefusal(await fixture.run("delete"), 1, "FORBIDDEN", ["403"]);
  });

  test.each([404, 410])("not when the service answers %i while its list has it: the request is sent again", async (status) => {
    fixture.clusters = [prod];
    fixture.writes = [{ status }, { status }, (response) => ((fixture.clusters = []), response.writeHead(202).end())];
    expect(await fixture.run("delete")).toMatchObject({ status: 0 });
    expect(fixture.written).toEqual([DELETE, DELETE, DELETE]);
  });
});

describe("a cluster whose provider the list does not show", () => {
  const unnamed = { ...prod, providerConfigID: "" };
  beforeEach(() => {
    fixture.clusters = [unnamed];
    fixture.writes = [(response) => ((fixture.clusters = []), response.writeHead(202).end())];
  });

  test("may be somebody else's, and is not deleted", async () => {
    expectRefusal(await fixture.run("delete"), 1, "PROVIDER_UNKNOWN", [
      "cluster prod may be somebody else's, because the service's list has not shown on which provider it is for 1m00s; nothing was sent",
      "Apply again when cluster-platform get clusters shows the provider",
    ]);
    expect(fixture.written).toEqual([]);
  });

  test("is deleted as soon as the list shows the recorded one, and not if it shows another one", async () => {
    fixture.look = () => void (fixture.requests.length === 20 && (fixture.clusters = [{ ...prod, providerConfigID: "other" }]));
    expectRefusal(await fixture.run("delete"), 1, "NOT_OURS", ["a capvs cluster on provider other"]);
    expect(fixture.written).toEqual([]);
    fixture.clusters = [unnamed];
    fixture.requests.length = 0;
    fixture.look = () => void (fixture.requests.length === 20 && (fixture.clusters = [prod]));
    expect(await fixture.run("delete")).toMatchObject({ status: 0 });
    expect(fixture.written).toEqual([DELETE]);
  });

  test("may use the provider that is to be deleted", async () => {
    expectRefusal(await fixture.run("delete", ofProvider), 1, "PROVIDER_UNKNOWN", [
      "capvs provider vsphere may be used by prod, because the service's list has not shown on which provider it is",
    ]);
    expect(fixture.written).toEqual([]);
  });
});

test("nothing is deleted if the note cannot be written, because its replacement could not be created", async () => {
  fixture.clusters = [prod];
  fixture.writes = [accepted];
  writeFileSync(join(fixture.folder, ".cluster-platform"), "in the way");
  expectRefusal(await fixture.run("delete"), 2, "INVALID_SETTING", [
    "capvs/clusters/prod: cannot write the note of its deletion to .cluster-platform/objects/",
    "nothing was sent",
    "Make the folder that Terraform runs in writable and apply again",
  ]);
  expect(fixture.written).toEqual([]);
});

test("an instance at another key of its block deletes nothing, and its object can be adopted where the code declares it", async () => {
  fixture.clusters = [prod];
  const moved = {
    CLUSTER_PLATFORM_HOOK_KEY: "old",
    CLUSTER_PLATFORM_HOOK_DECLARED_0: packed(declared({ digests: { prod: "1" } })),
  };
  expectRefusal(await fixture.run("delete", moved), 1, "MISPLACED", [
    "as after 'terraform state mv', and the code declares it",
    "Remove the instance, which does not touch the service: terraform state rm '",
    '["old"]',
    "CLUSTER_PLATFORM_ADOPT=capvs/clusters/prod",
  ]);
  expect(fixture.written).toEqual([]);
});

describe("a name that differs in case only", () => {
  const removed = { CLUSTER_PLATFORM_HOOK_NAME: "Prod" };
  beforeEach(() => {
    fixture.clusters = [prod];
    fixture.writes = [accepted];
  });

  test("is a present object, and the state keeps its own", async () => {
    expectRefusal(await fixture.run("delete", removed), 1, "NOT_OURS", [
      "cluster Prod: the service has no object of this name, but one that is called prod; nothing was sent",
      'Not yours, or to keep: write retain: ["capvs/clusters/Prod"] on the Platform for one apply',
      "declare its live values, the name prod included, and apply once with CLUSTER_PLATFORM_ADOPT=capvs/clusters/prod",
    ]);
    fixture.providers = [{ providerType: "capvs", configs: [{ name: "VSphere" }] }];
    expectRefusal(await fixture.run("delete", ofProvider), 1, "NOT_OURS", ["one that is called VSphere"]);
    expect(fixture.written).toEqual([]);
  });

  test("is another object if a list has the name itself", async () => {
    fixture.clusters = [prod, { ...prod, clusterName: "Prod" }];
    fixture.writes = [(response) => ((fixture.clusters = [prod]), response.writeHead(202).end())];
    expect(await fixture.run("delete", removed)).toMatchObject({ status: 0 });
    expect(fixture.written).toEqual(["DELETE /api/v1/clusters/Prod"]);
  });
});

test.each([{ providerConfigID: "other" }, { providerType: "capov" }])(
  "a cluster that is %j belongs to somebody else",
  async (other) => {
    fixture.clusters = [{ ...prod, ...other }];
    fixture.writes = [accepted];
    expectRefusal(await fixture.run("delete"), 1, "NOT_OURS", ["nothing was sent"]);
    expect(fixture.written).toEqual([]);
  },
);

test("a deletion that is refused as busy is repeated while there is time, and one that is refused for good is not", async () => {
  fixture.clusters = [prod];
  fixture.writes = [{ status: 409 }, { status: 409 }, (response) => ((fixture.clusters = []), response.writeHead(202).end())];
  expect(await fixture.run("delete")).toMatchObject({ status: 0 });
  expect(fixture.written).toHaveLength(3);
  fixture.seconds = 15;
  fixture.clusters = [prod];
  fixture.writes = [{ status: 409, body: { message: "busy" } }];
  expectRefusal(await fixture.run("delete"), 1, "DELETE_TIMEOUT", ["409: busy", "the next apply continues"]);
  fixture.requests.length = 0;
  fixture.writes = [{ status: 403 }];
  expectRefusal(await fixture.run("delete"), 1, "FORBIDDEN", []);
  expect(fixture.written).toEqual([DELETE]);
});

describe("an object that this run was told is gone", () => {
  const gone = { CLUSTER_PLATFORM_ACCEPT_GONE: "capvs/clusters/other,capvs/clusters/prod" };
  beforeEach(() => (fixture.writes = [accepted]));

  test("is not deleted if it lives, also if a list lacks it for a while", async () => {
    for (const missing of [0, 9]) {
      fixture.requests.length = 0;
      fixture.clusters = missing === 0 ? [prod] : [];
      fixture.look = () => void (fixture.requests.length === missing && (fixture.clusters = [prod]));
      expectRefusal(await fixture.run("delete", gone), 1, "NOT_GONE", [
        "cluster prod is on the service, although CLUSTER_PLATFORM_ACCEPT_GONE says that it is gone; nothing was sent",
        "Apply again without this variable and without -replace",
      ]);
    }
    expect(fixture.written).toEqual([]);
  });

  test("leaves the state if no list of ten seconds has it, also if nothing else is there", async () => {
    fixture.providers = [];
    expect(await fixture.run("delete", gone)).toMatchObject({ status: 0 });
    expect(fixture.requests.length).toBeGreaterThan(10);
    expectRefusal(await fixture.run("delete", { CLUSTER_PLATFORM_ACCEPT_GONE: "capvs/clusters/other" }), 1, "OBJECT_MISSING", []);
  });
});

describe("a protected object", () => {
  const protecting = { CLUSTER_PLATFORM_HOOK_SETTINGS: "" };
  beforeEach(() => {
    protecting.CLUSTER_PLATFORM_HOOK_SETTINGS = settings(fixture.url, {
      deleteSeconds: 60,
      deletionProtection: ["*/clusters/*"],
      allowDeletion: ["other"],
    });
  });

  test.each([
    ["by all", { deletionProtection: true as const }, 'allowDeletion: ["capvs/clusters/prod"] on the Platform'],
    [
      "while another one may be deleted",
      { deletionProtection: ["x", "p*"], allowDeletion: ["capvs/providers/prod"], platform: "eu" },
      'allowDeletion: ["capvs/providers/prod", "capvs/clusters/prod"] on the Platform eu',
    ],
  ])("%s is refused if it lives, with the line that allows it", async (_, more, line) => {
    fixture.clusters = [prod];
    const env = { CLUSTER_PLATFORM_HOOK_SETTINGS: settings(fixture.url, more) };
    expectRefusal(await fixture.run("delete", env), 1, "PROTECTED", [
      "cluster prod is protected; nothing was sent. The deletion guard did not stop the whole apply. Check the log above",
      `Delete it: write ${line}. `,
      'retain: ["capvs/clusters/prod"]',
    ]);
    expect(fixture.requests).toEqual(["GET /api/v1/clusters"]);
  });

  test("that no list of ten seconds has needs no protection: Terraform may forget it", async () => {
    expect(await fixture.run("delete", protecting)).toMatchObject({ status: 0, stdout: expect.stringContaining("not on the") });
    expect(fixture.requests.filter((request) => request === "GET /api/v1/clusters").length).toBeGreaterThan(10);
    // The user cannot claim that the object is gone if the last list shows it.
    fixture.requests.length = 0;
    fixture.look = () => void (fixture.requests.length === 10 && (fixture.clusters = [prod]));
    const accepted = { ...protecting, CLUSTER_PLATFORM_ACCEPT_GONE: "capvs/clusters/prod" };
    expectRefusal(await fixture.run("delete", accepted), 1, "NOT_GONE", ["nothing was sent"]);
    expect(fixture.written).toEqual([]);
  });

  test("is not gone because a service without any object of the stack lacks it", async () => {
    fixture.providers = [];
    expectRefusal(await fixture.run("delete", protecting), 1, "OBJECT_MISSING", ["Is it the right one?"]);
  });

  test("in retain is neither deleted nor refused", async () => {
    fixture.clusters = [prod];
    const env = {
      CLUSTER_PLATFORM_HOOK_SETTINGS: settings(fixture.url, { deletionProtection: true, retain: ["fixture", "prod"] }),
    };
    expect(await fixture.run("delete", env)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("left on the service (retain)"),
    });
    expect(fixture.requests).toEqual([]);
  });
});

test("a cluster is not deleted while an entry of retain names nothing on the service either", async () => {
  const retaining = (...retained: string[]) =>
    fixture.run("delete", { CLUSTER_PLATFORM_HOOK_DECLARED_0: packed(declared({ retained })) });
  fixture.clusters = [prod];
  expectRefusal(await retaining("vsphere", "prdo"), 2, "INVALID_SETTING", [
    "cluster prod is neither deleted nor replaced, because the Platform's retain has prdo, which names nothing in the code and nothing on the service; nothing was sent",
    "If that is a typing error, the object that it should keep could be deleted now\nRemove it from retain, or correct it",
  ]);
  expect(fixture.written).toEqual([]);
  fixture.writes = [(response) => ((fixture.clusters = []), response.writeHead(204).end())];
  expect(await retaining("vsphere")).toMatchObject({ status: 0 });
  expect(fixture.written).toEqual([DELETE]);
});

describe("a provider", () => {
  const on = (providerConfigID: string, providerType = "capvs") => ({ ...prod, providerConfigID, providerType });

  test("is deleted when no cluster uses it, whatever uses others", async () => {
    fixture.clusters = [on("other"), { ...on("vsphere", "capov"), clusterName: "theirs" }];
    fixture.writes = [(response) => ((fixture.providers = []), response.writeHead(202).end())];
    expect(await fixture.run("delete", ofProvider)).toMatchObject({ status: 0 });
    expect(fixture.written).toEqual(["DELETE /api/v1/platform/providers/capvs/vsphere"]);
  });

  test("is not deleted while a cluster uses it, and one look is enough", async () => {
    fixture.clusters = [on("other"), { ...on("vsphere"), clusterName: "theirs" }];
    expectRefusal(await fixture.run("delete", ofProvider), 1, "PROVIDER_IN_USE", [
      "capvs provider vsphere is used by theirs; nothing was sent",
      'to keep: write retain: ["capvs/providers/vsphere"] on the Platform for one apply, in which Terraform forgets it',
      "Yours: declare it if the code does not, apply once with CLUSTER_PLATFORM_ADOPT=capvs/clusters/theirs, then remove it.",
    ]);
    expect(fixture.requests).toEqual(["GET /api/v1/platform/providers", "GET /api/v1/clusters"]);
    const protecting = settings(fixture.url, { deletionProtection: ["*/clusters/*"] });
    const env = { ...ofProvider, CLUSTER_PLATFORM_HOOK_SETTINGS: protecting };
    expectRefusal(await fixture.run("delete", env), 1, "PROVIDER_IN_USE", [
      'then remove it with allowDeletion: ["capvs/clusters/theirs"] on the Platform',
    ]);
  });

  test("is not deleted again after a cluster was created on it meanwhile", async () => {
    fixture.writes = [(response) => ((fixture.clusters = [on("vsphere")]), response.writeHead(409).end())];
    expectRefusal(await fixture.run("delete", ofProvider), 1, "PROVIDER_IN_USE", ["is used by prod"]);
    expect(fixture.written).toHaveLength(1);
  });

  test("is not deleted while its users cannot be determined", async () => {
    fixture.look = ({ path }) => (path === "/api/v1/clusters" ? { body: { items: [], count: 1 } } : undefined);
    expectRefusal(await fixture.run("delete", ofProvider), 1, "CONTRACT", ["'count' must be the number of items"]);
    expect(fixture.written).toEqual([]);
  });
});

describe("the note of a creation with an unknown outcome", () => {
  const noted = () => fixture.notes;

  let elsewhere: HookFixture;
  afterEach(() => elsewhere.close());
  beforeEach(async () => {
    fixture.writes = [{ status: 500 }];
    fixture.seconds = 3;
    await fixture.run("create");
    await fixture.run("create", { CLUSTER_PLATFORM_HOOK_NAME: "other" });
    await fixture.run("create", { CLUSTER_PLATFORM_HOOK_WORKSPACE: "second" });
    elsewhere = await HookFixture.open();
    await fixture.run("create", { CLUSTER_PLATFORM_HOOK_SETTINGS: settings(elsewhere.url) });
    expect(noted()).toBe(4);
  });

  test("stays if a removal does not find the object, which may still be created", async () => {
    const { status, stdout } = await fixture.run("delete");
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining("may still be carried out") });
    expect(noted()).toBe(4);
  });

  test("is removed with the object, in all workspaces, and notes of other objects and services stay", async () => {
    fixture.clusters = [prod];
    fixture.writes = [(response) => ((fixture.clusters = []), response.writeHead(202).end())];
    expect(await fixture.run("delete")).toMatchObject({ status: 0 });
    expect(noted()).toBe(2);
    fixture.clusters = [prod];
    expectRefusal(await fixture.run("create"), 1, "NAME_TAKEN", [
      "this stack itself has asked the service to delete cluster prod",
    ]);
  });

  test("is removed if the orphan check does not find the object, and all stay if it finds any", async () => {
    fixture.clusters = [prod];
    const env = { CLUSTER_PLATFORM_HOOK_BEFORE_0: snapshot("capvs/clusters/prod", "capvs/clusters/other") };
    expectRefusal(await fixture.run("orphan-check", env), 1, "STILL_LIVE", [
      "removed or destroyed, but still on the service: capvs/clusters/prod.",
      "CLUSTER_PLATFORM_ADOPT=capvs/clusters/prod",
      'retain: ["capvs/clusters/prod"]',
      "or this run has -target, -exclude or -replace",
    ]);
    const protecting = settings(fixture.url, { deletionProtection: ["*/clusters/*"] });
    expectRefusal(await fixture.run("orphan-check", { ...env, CLUSTER_PLATFORM_HOOK_SETTINGS: protecting }), 1, "STILL_LIVE", [
      'then remove it with allowDeletion: ["capvs/clusters/prod"] on the Platform',
    ]);
    expect(noted()).toBe(4);
    fixture.clusters = [];
    expect(await fixture.run("orphan-check", env)).toMatchObject({ status: 0 });
    expect(noted()).toBe(1);
  });

  test.each(["delete", "orphan-check"])(
    "is removed if the object is retained, by the %s hook, which needs no token for it",
    async (hook) => {
      const env = {
        CLUSTER_PLATFORM_HOOK_SETTINGS: settings(fixture.url, { retain: ["prod"] }),
        CLUSTER_PLATFORM_TOKEN: undefined,
      };
      fixture.requests.length = 0;
      expect(await fixture.run(hook, env)).toMatchObject({ status: 0 });
      expect(noted()).toBe(2);
      expect(fixture.requests).toEqual([]);
      fixture.clusters = [prod];
      expectRefusal(await fixture.run("create"), 1, "NAME_TAKEN", ["the service already has cluster prod"]);
    },
  );
});

describe("after a creation with an unknown outcome left the code, the orphan check", () => {
  const removed = { CLUSTER_PLATFORM_HOOK_BEFORE_0: snapshot("capvs/clusters/prod") };
  beforeEach(async () => {
    fixture.seconds = 3;
    fixture.writes = [{ status: 500 }];
    await fixture.run("create");
    expect(fixture.notes).toBe(1);
    fixture.requests.length = 0;
    fixture.seconds = 20;
  });

  test("keeps polling, and fails when the object appears", async () => {
    fixture.look = () => void (fixture.requests.length === 4 && (fixture.clusters = [prod]));
    const run = await fixture.run("orphan-check", removed);
    expectRefusal(run, 1, "STILL_LIVE", ["capvs/clusters/prod"]);
    expect(run.stdout).toBe("capvs/clusters/prod: the request to create it may still be carried out; polling for 20s\n");
    expect(fixture.requests).toHaveLength(4);
    expect(fixture.notes).toBe(1);
  });

  test.each([
    [15, "15s"],
    [3, "10s"],
  ])("polls if a deletion may take %i seconds for %s, and then removes the note", async (seconds, polled) => {
    fixture.seconds = seconds;
    expect(await fixture.run("orphan-check", removed)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(`polling for ${polled}`),
    });
    expect(fixture.requests.length).toBeGreaterThan(3);
    expect(fixture.notes).toBe(0);
  });

  test("polls for lists that lag behind if the creation was long ago", async () => {
    fixture.ageNotes(150);
    expect(await fixture.run("orphan-check", removed)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("lists may lag behind; polling for 10s"),
    });
    expect(fixture.notes).toBe(0);
  });
});

describe("an instance is left alone, and nothing is looked up", () => {
  const address = `null_resource.capvs_clusters["prod"]`;
  const isLeft = async (env: NodeJS.ProcessEnv, code: string, parts: readonly string[]) => {
    fixture.clusters = [prod];
    expectRefusal(await fixture.run("delete", env), 1, code, parts);
    expect(fixture.requests).toEqual([]);
  };

  test.each(["NAME", "PROVIDER"])("if its triggers have no %s", async (trigger) => {
    const parts = [
      `${address} has no declaration in the state`,
      "nothing was sent",
      `terraform state rm '${address}'`,
      "Yours: declare its live values and apply once with CLUSTER_PLATFORM_ADOPT=capvs/clusters/prod",
    ];
    await isLeft({ [`CLUSTER_PLATFORM_HOOK_${trigger}`]: "(none)" }, "NOT_OURS", parts);
  });

  test("if its triggers have no name, and its block has no text as the key", async () => {
    const env = { CLUSTER_PLATFORM_HOOK_NAME: "(none)", CLUSTER_PLATFORM_HOOK_KEY: "" };
    await isLeft(env, "NOT_OURS", ["null_resource.capvs_clusters has no", "terraform state rm 'null_resource.capvs_clusters'"]);
  });
});

describe("a support resource without a snapshot in the state", () => {
  test.each([
    ["deletion-guard", "terraform_data.cluster_platform_ready"],
    ["destroy-guard", "terraform_data.cluster_platform_protection"],
    ["orphan-check", "terraform_data.cluster_platform_orphan_check"],
  ])("is refused by the hook %s with the way out", async (command, address) => {
    expectRefusal(await fixture.run(command, { CLUSTER_PLATFORM_HOOK_BEFORE_0: packed(null) }), 2, "INVALID_SETTING", [
      `${address} has no list of the Platform's objects in the state`,
      `terraform state rm '${address}'`,
    ]);
    expect(fixture.requests).toEqual([]);
  });
});

describe("the orphan check", () => {
  const env = (...ids: string[]) => ({ CLUSTER_PLATFORM_HOOK_BEFORE_0: snapshot(...ids) });

  test("does not mistake an object of another type for the removed one", async () => {
    fixture.clusters = [{ ...prod, providerType: "capov" }];
    expect(await fixture.run("orphan-check", env("capvs/clusters/prod", "capov/providers/vsphere"))).toMatchObject({ status: 0 });
  });

  test("finds a registration too, and sends nothing if nothing was removed", async () => {
    expectRefusal(await fixture.run("orphan-check", env("capvs/providers/vsphere")), 1, "STILL_LIVE", [
      "capvs/providers/vsphere",
    ]);
    fixture.requests.length = 0;
    const kept = {
      ...env("capvs/providers/vsphere"),
      CLUSTER_PLATFORM_HOOK_AFTER_0: snapshot("capvs/providers/vsphere", "capvs/clusters/next"),
    };
    expect(await fixture.run("orphan-check", kept)).toMatchObject({ status: 0 });
    expect(fixture.requests).toEqual([]);
  });

  test("looks for everything if the code has not changed, because then everything is being destroyed", async () => {
    const same = { ...env("capvs/clusters/prod"), CLUSTER_PLATFORM_HOOK_AFTER_0: snapshot("capvs/clusters/prod") };
    expect(await fixture.run("orphan-check", same)).toMatchObject({ status: 0 });
    fixture.clusters = [prod];
    expectRefusal(await fixture.run("orphan-check", same), 1, "STILL_LIVE", ["capvs/clusters/prod"]);
  });

  test("fails if a list does not end within the time of a deletion", async () => {
    fixture.seconds = 3;
    fixture.look = () => (response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write(" "), 100);
      response.on("close", () => clearInterval(drip));
    };
    expectRefusal(await fixture.run("orphan-check", env("capvs/clusters/prod")), 1, "DELETE_TIMEOUT", [
      "(timeouts.deleteSeconds) whether the service has capvs/clusters/prod: GET /api/v1/clusters: timed out after",
      "Terraform keeps the list of objects to look for in its state; the next apply looks again",
    ]);
  });

  test("fails if it cannot reach the service", async () => {
    fixture.look = () => ({ body: { items: [], count: 1 } });
    expectRefusal(await fixture.run("orphan-check", env("capvs/clusters/prod")), 1, "CONTRACT", [
      "Check that the URL is that of the service",
    ]);
  });
});

describe("the destroy hook of a replacement, to which no guard has looked,", () => {
  const needs = {
    secrets: { "capvs/clusters/prod": [{ path: ["bodyOverrides", "key"], reference: { $secret: { env: "REGISTRY_KEY" } } }] },
    providers: [{ type: "capvs" as const, provider: "vspere", clusters: ["prod"] }],
    withTokens: [],
  };
  const triggers = { name: "prod", provider: "vsphere" };
  const declaring = (prod?: string) => ({
    CLUSTER_PLATFORM_HOOK_TRIGGERS_0: packed(triggers),
    CLUSTER_PLATFORM_HOOK_DECLARED_0: packed(declared({ digests: prod === undefined ? {} : { prod }, needs })),
  });
  const key = { REGISTRY_KEY: "zq7" };

  test("deletes nothing if the cluster cannot be created again", async () => {
    fixture.clusters = [prod];
    expectRefusal(await fixture.run("delete", declaring("other")), 2, "MISSING_SECRET", [
      "capvs/clusters/prod: a secret cannot be resolved; nothing was deleted:",
      "bodyOverrides.key: the environment variable REGISTRY_KEY is not set",
    ]);
    expectRefusal(await fixture.run("delete", { ...declaring("other"), ...key }), 1, "OBJECT_MISSING", [
      "cluster prod: there is no capvs provider vspere on the service: did you mean vsphere? Nothing was deleted",
    ]);
    expect(fixture.written).toEqual([]);
  });

  test.each([
    ["only removed", undefined],
    ["destroyed with everything", digestOf(triggers, () => false)],
    ["declared with tokens", ""],
  ])("asks for nothing if the cluster is %s", async (_, digest) => {
    fixture.clusters = [prod];
    fixture.writes = [(response) => ((fixture.clusters = []), response.writeHead(202).end())];
    expect(await fixture.run("delete", declaring(digest))).toMatchObject({ status: 0 });
  });
});
