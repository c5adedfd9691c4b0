import { literalPieces } from "../../src/constructs/hook-engine/pieces";
import { expectRefusal, packed, settings, snapshot } from "../bad-input/hook";
import { prod, HookFixture } from "./hook-fixture";

/** The deletion guard's refusals before anything is deleted. test/terraform/protection.test.ts tests protection. */

let fixture: HookFixture;
beforeEach(async () => (fixture = await HookFixture.open()));
afterEach(() => fixture.close());

const state = ["capvs/clusters/prod", "capvs/providers/vsphere"];
const declared = snapshot(...state);
/** The code has what the state has. */
const unchanged = {
  CLUSTER_PLATFORM_HOOK_BEFORE_0: declared,
  CLUSTER_PLATFORM_HOOK_AFTER_0: packed({
    objects: Object.fromEntries(state.map((id) => [id, ""])),
    needs: { secrets: {}, providers: [], withTokens: [] },
    engine: "null_resource",
  }),
};
/** The hook of `protection`. */
const destroy = (env: NodeJS.ProcessEnv) => fixture.run("destroy-guard", { ...unchanged, ...env });
const ofCodeOnly = { CLUSTER_PLATFORM_HOOK_BEFORE_0: packed({ objects: {} }) };

test.each([
  ["names the construct of an edited object", undefined, "[PROTECTED] stack/prod: "],
  ["refuses all the same if the stack cannot be read", "{ broken", "[PROTECTED] capvs/clusters/prod is protected"],
])("%s", async (_, entry, end) => {
  fixture.writeStack(entry);
  const digest = (of: string) => packed({ objects: { "capvs/clusters/prod": of } });
  const edited = {
    CLUSTER_PLATFORM_HOOK_SETTINGS: settings(fixture.url, { deletionProtection: true }),
    CLUSTER_PLATFORM_HOOK_BEFORE_0: digest("aaaaaa"),
    CLUSTER_PLATFORM_HOOK_AFTER_0: digest("bbbbbb"),
  };
  fixture.clusters = [prod];
  expectRefusal(await fixture.run("deletion-guard", edited), 1, "PROTECTED", [end]);
});

test("names no construct if only one of the refused objects is in the code", async () => {
  fixture.writeStack();
  const objects = { "capvs/clusters/gone": "aaaaaa", "capvs/clusters/prod": "aaaaaa" };
  fixture.clusters = [prod, { ...prod, clusterName: "gone" }];
  const run = await fixture.run("deletion-guard", {
    CLUSTER_PLATFORM_HOOK_SETTINGS: settings(fixture.url, { deletionProtection: true }),
    CLUSTER_PLATFORM_HOOK_BEFORE_0: packed({ objects }),
    CLUSTER_PLATFORM_HOOK_AFTER_0: packed({ objects: { "capvs/clusters/prod": "bbbbbb" } }),
  });
  expectRefusal(run, 1, "PROTECTED", ["gone", "prod"]);
  expect(run.stderr).not.toContain("stack/prod");
});

describe("a service that has none of the objects in the state", () => {
  beforeEach(() => {
    fixture.clusters = [{ ...prod, providerType: "capov" }];
    fixture.providers = [];
  });

  test("is taken for a wrong one in a destroy", async () => {
    expectRefusal(await destroy({}), 1, "OBJECT_MISSING", [
      `none of the 2 objects that the state has (capvs/clusters/prod, capvs/providers/vsphere) is on the service at ${fixture.url}. Is it the right one?`,
      "Nothing was deleted",
      "Really gone: run once with CLUSTER_PLATFORM_ACCEPT_GONE=capvs/clusters/prod,capvs/providers/vsphere",
    ]);
  });

  test("is taken for a wrong one in an edit, with the command that creates everything again", async () => {
    const run = (names: readonly string[]) => {
      const of = (digest: string) => Object.fromEntries(names.map((name) => [`capvs/clusters/${name}`, digest]));
      return fixture.run("deletion-guard", {
        CLUSTER_PLATFORM_HOOK_BLOCK: undefined,
        CLUSTER_PLATFORM_HOOK_BEFORE_0: packed({ objects: { ...of("one"), "capvs/providers/old": "" } }),
        CLUSTER_PLATFORM_HOOK_AFTER_0: packed({ objects: of("two"), engine: "null_resource" }),
      });
    };
    expectRefusal(await run(["a", "b"]), 1, "OBJECT_MISSING", [
      "Nothing was deleted\nWrong URL: correct it. Really gone: create them again with CLUSTER_PLATFORM_ACCEPT_GONE=capvs/clusters/a,capvs/clusters/b,capvs/providers/old terraform apply -replace='null_resource.capvs_clusters[\"a\"]' -replace='null_resource.capvs_clusters[\"b\"]'",
    ]);
    expectRefusal(await run(Array.from({ length: 11 }, (_, index) => `c-${index}`)), 1, "OBJECT_MISSING", [
      "Really gone: create them again with terraform state rm 'null_resource.capvs_clusters', and then CLUSTER_PLATFORM_ACCEPT_GONE=capvs/clusters/c-0,… (the ids of all 12) terraform apply",
    ]);
  });

  test("is taken for a wrong one in a removal", async () => {
    expectRefusal(await fixture.run("deletion-guard"), 1, "OBJECT_MISSING", [
      `capvs/clusters/prod, the only object that the state has, is not on the service at ${fixture.url}`,
      "Really gone",
    ]);
  });

  test("is accepted if CLUSTER_PLATFORM_ACCEPT_GONE names all of them, and not if it is misspelled", async () => {
    fixture.clusters = [];
    const accepting = (ids: string) => destroy({ CLUSTER_PLATFORM_ACCEPT_GONE: ids });
    expect(await accepting(state.join(", "))).toMatchObject({ status: 0 });
    expectRefusal(await accepting(state[0]!), 1, "OBJECT_MISSING", ["capvs/providers/vsphere, the only object"]);
    expectRefusal(await accepting("capvs/clusters/prod,capvs/cluster/stage"), 2, "INVALID_SETTING", [
      `must be ids of objects such as capvs/clusters/prod, separated by commas, got "capvs/cluster/stage"; nothing was sent`,
    ]);
    expectRefusal(await accepting("1"), 2, "INVALID_SETTING", [`got "1"`]);
  });

  test("is not asked if only retained objects go, or if something is protected", async () => {
    const retained = { CLUSTER_PLATFORM_HOOK_SETTINGS: settings(fixture.url, { retain: ["prod", "vsphere"] }) };
    expect(await destroy(retained)).toMatchObject({ status: 0 });
    const guarded = { CLUSTER_PLATFORM_HOOK_SETTINGS: settings(fixture.url, { deletionProtection: true }) };
    expectRefusal(await destroy(guarded), 1, "PROTECTED", [
      "capvs/clusters/prod, capvs/providers/vsphere are protected; nothing was deleted\n" +
        "Destroy everything: write deletionProtection: false on the Platform and destroy again",
    ]);
    expect(fixture.requests).toEqual([]);
  });
});

test("a destroy is not refused for a protected object that only the code has and that does not live", async () => {
  const guarded = { CLUSTER_PLATFORM_HOOK_SETTINGS: settings(fixture.url, { deletionProtection: ["prod"] }) };
  fixture.clusters = [prod];
  expectRefusal(await destroy({ ...ofCodeOnly, ...guarded }), 1, "PROTECTED", ["capvs/clusters/prod is"]);
  fixture.clusters = [];
  expect(await destroy({ ...ofCodeOnly, ...guarded })).toMatchObject({ status: 0 });
});

describe("what a destroy hook would refuse after other deletions", () => {
  const on = (clusterName: string, providerConfigID: string) => ({ ...prod, clusterName, providerConfigID });
  const before = packed({
    objects: {
      "capvs/clusters/c1": "one",
      "capvs/clusters/x1": "one",
      "capvs/providers/p1": "one",
      "capvs/providers/p2": "one",
    },
  });
  /** `c1` and `p2` are replaced. */
  const objects = {
    "capvs/clusters/c1": "two",
    "capvs/clusters/x1": "one",
    "capvs/providers/p1": "one",
    "capvs/providers/p2": "two",
  };
  const run = (after: object = { objects }, more: NodeJS.ProcessEnv = {}) =>
    fixture.run("deletion-guard", {
      CLUSTER_PLATFORM_HOOK_BEFORE_0: before,
      CLUSTER_PLATFORM_HOOK_AFTER_0: packed(after),
      ...more,
    });
  beforeEach(() => {
    fixture.clusters = [on("c1", "p1"), on("x1", "p2")];
    fixture.providers = [{ providerType: "capvs", configs: [{ name: "p1" }, { name: "p2" }] }];
  });

  test("is a provider that a cluster keeps using", async () => {
    expectRefusal(await run(), 1, "PROVIDER_IN_USE", [
      "capvs provider p2 is used by x1; nothing was deleted",
      "register the new one under another name",
    ]);
    const { "capvs/clusters/x1": _, ...without } = objects;
    const retain = { CLUSTER_PLATFORM_HOOK_SETTINGS: settings(fixture.url, { retain: ["x1"] }) };
    expectRefusal(await run({ objects: without }, retain), 1, "PROVIDER_IN_USE", ["p2 is used by x1"]);
    fixture.clusters = [on("c1", "p1"), on("theirs", "p2")];
    expectRefusal(await run({ objects: without }), 1, "PROVIDER_IN_USE", ["p2 is used by theirs"]);
  });

  test("is no provider whose users leave or are replaced", async () => {
    const { "capvs/clusters/x1": _, ...without } = objects;
    expect(await run({ objects: without })).toMatchObject({ status: 0 });
    expect(await run({ objects: { ...objects, "capvs/clusters/x1": "two" } })).toMatchObject({ status: 0 });
  });

  test("is an object with another type or spelling, or one that is said to be gone", async () => {
    const { "capvs/providers/p2": _, ...without } = objects;
    fixture.clusters = [{ ...on("c1", "p1"), providerType: "capov" }];
    expectRefusal(await run({ objects: without }), 1, "NOT_OURS", ["the object with this name is a capov cluster"]);
    fixture.clusters = [on("C1", "p1")];
    expectRefusal(await run({ objects: without }), 1, "NOT_OURS", [
      "the service has no object of this name, but one that is called C1",
    ]);
    fixture.clusters = [on("c1", "p1")];
    const gone = { CLUSTER_PLATFORM_ACCEPT_GONE: "capvs/clusters/c1" };
    expectRefusal(await run({ objects: without }, gone), 1, "NOT_GONE", ["is on the service, although"]);
  });
});

test("a refusal of a removal says that a new name is a new cluster", async () => {
  const guarded = { CLUSTER_PLATFORM_HOOK_SETTINGS: settings(fixture.url, { deletionProtection: ["prod"] }) };
  const renamed = { ...unchanged, ...guarded, CLUSTER_PLATFORM_HOOK_AFTER_0: snapshot("capvs/clusters/prod-2", state[1]!) };
  expectRefusal(await fixture.run("deletion-guard", renamed), 1, "PROTECTED", [
    "If prod-2 is a new name for prod: a new name is a new cluster, which is created empty",
  ]);
});

test("CLUSTER_PLATFORM_ACCEPT_GONE lets a destroy pass for protected objects that do not live", async () => {
  const gone = { CLUSTER_PLATFORM_ACCEPT_GONE: "capvs/clusters/prod" };
  const guarded = { CLUSTER_PLATFORM_HOOK_SETTINGS: settings(fixture.url, { deletionProtection: ["prod"] }) };
  fixture.clusters = [];
  expectRefusal(await destroy(guarded), 1, "PROTECTED", ["capvs/clusters/prod is"]);
  expect(await destroy({ ...guarded, ...gone })).toMatchObject({ status: 0 });
  fixture.clusters = [prod];
  expectRefusal(await destroy({ ...guarded, ...gone }), 1, "PROTECTED", ["capvs/clusters/prod is"]);
});

test.each([
  ["the state has", {}, "Really gone: run once"],
  ["the state has or the code declares", ofCodeOnly, "Really gone, or never created: run once"],
])("a destroy compares the service with what %s", async (owner, env, wayOut) => {
  [fixture.clusters, fixture.providers] = [[], []];
  expectRefusal(await destroy(env), 1, "OBJECT_MISSING", [`none of the 2 objects that ${owner}`, wayOut]);
});

test.each([
  ["a destroy", (env: NodeJS.ProcessEnv) => destroy(env)],
  ["a destroy of what only the code has", (env: NodeJS.ProcessEnv) => destroy({ ...ofCodeOnly, ...env })],
  ["a removal", (env: NodeJS.ProcessEnv) => fixture.run("deletion-guard", env)],
])("%s is refused while an entry of retain names nothing in the code and nothing on the service", async (_, run) => {
  const retaining = (...names: string[]) => {
    return run({ CLUSTER_PLATFORM_HOOK_SETTINGS: settings(fixture.url, { retain: names }) });
  };
  fixture.clusters = [prod, { ...prod, clusterName: "released" }];
  expectRefusal(await retaining("prdo", "capvs/providers/other", "released"), 2, "INVALID_SETTING", [
    "cluster prod",
    "neither deleted nor replaced, because the Platform's retain has prdo, capvs/providers/other, which name nothing in the code and nothing on the service; nothing was deleted",
    "Remove it from retain, or correct it",
  ]);
  expect(await retaining("released", "vsphere")).toMatchObject({ status: 0 });
});

test("a destroy passes if an entry of retain names an object of the code that does not live", async () => {
  fixture.clusters = [prod];
  const objects = packed({ objects: Object.fromEntries([...state, "capvs/clusters/lost"].map((id) => [id, ""])) });
  const retain = { CLUSTER_PLATFORM_HOOK_SETTINGS: settings(fixture.url, { retain: ["lost"] }) };
  for (const before of [objects, declared]) {
    const env = { CLUSTER_PLATFORM_HOOK_BEFORE_0: before, CLUSTER_PLATFORM_HOOK_AFTER_0: objects, ...retain };
    expect(await destroy(env)).toMatchObject({ status: 0 });
  }
});

test("the service is not asked if nothing declared changes, as with -replace or another value of a token", async () => {
  const guarded = { CLUSTER_PLATFORM_HOOK_SETTINGS: settings(fixture.url, { deletionProtection: true }) };
  expect(await fixture.run("deletion-guard", { ...unchanged, ...guarded })).toMatchObject({ status: 0, stdout: "" });
  expect(fixture.requests).toEqual([]);
});

describe("a destroy with an edit that was not applied", () => {
  const guarded = (name: string) => ({ CLUSTER_PLATFORM_HOOK_SETTINGS: settings(fixture.url, { deletionProtection: [name] }) });

  test("is refused for a protected object that only the state has, also if it does not live", async () => {
    const left = { CLUSTER_PLATFORM_HOOK_AFTER_0: snapshot("capvs/providers/vsphere"), ...guarded("prod") };
    for (const clusters of [[prod], []]) {
      fixture.clusters = clusters;
      expectRefusal(await destroy(left), 1, "PROTECTED", ["capvs/clusters/prod is protected; nothing was deleted"]);
    }
  });

  test("passes if an earlier apply of this machine has deleted that object", async () => {
    fixture.clusters = [prod];
    fixture.writes = [(response) => ((fixture.clusters = []), response.writeHead(202).end())];
    expect(await fixture.run("delete")).toMatchObject({ status: 0 });
    expect(
      await destroy({ CLUSTER_PLATFORM_HOOK_AFTER_0: snapshot("capvs/providers/vsphere"), ...guarded("prod") }),
    ).toMatchObject({
      status: 0,
    });
  });

  test("is refused for what the hook of ready would refuse, before protection has left the state", async () => {
    fixture.clusters = [prod];
    const secrets = { "capvs/clusters/prod": [{ path: ["password"], reference: { $secret: { env: "NOT_SET" } } }] };
    const objects = (digest: string) => ({ "capvs/clusters/prod": digest, "capvs/providers/vsphere": "" });
    const needs = { secrets, providers: [], withTokens: [] };
    const edited = {
      CLUSTER_PLATFORM_HOOK_BEFORE_0: packed({ objects: objects("one") }),
      CLUSTER_PLATFORM_HOOK_AFTER_0: packed({ objects: objects("two"), needs, engine: "null_resource" }),
    };
    const refused = "a secret cannot be resolved; nothing was deleted";
    const undo = "Destroy everything: undo the change of the code that was not applied, and destroy again";
    expectRefusal(await fixture.run("deletion-guard", edited), 2, "MISSING_SECRET", [refused]);
    expectRefusal(await destroy(edited), 2, "MISSING_SECRET", [refused, undo]);
  });
});

test("a destroy with an edit is refused for a used provider before protection has left the state, with the way out", async () => {
  fixture.clusters = [prod];
  const objects = (digest: string) => ({ "capvs/clusters/prod": "one", "capvs/providers/vsphere": digest });
  const edited = {
    CLUSTER_PLATFORM_HOOK_BEFORE_0: packed({ objects: objects("one") }),
    CLUSTER_PLATFORM_HOOK_AFTER_0: packed({ objects: objects("two") }),
  };
  expectRefusal(await destroy(edited), 1, "PROVIDER_IN_USE", [
    "capvs provider vsphere is used by prod; nothing was deleted",
    "Destroy everything: undo the change of the code that was not applied, and destroy again",
  ]);
  // Both judgements share one look.
  expect(fixture.requests).toHaveLength(2);
});

describe("a provider of a destroy is used", () => {
  const provider = { CLUSTER_PLATFORM_HOOK_BEFORE_0: snapshot("capvs/providers/vsphere") };

  test("by somebody else's cluster, although the code declares one of its name", async () => {
    fixture.clusters = [prod];
    expectRefusal(await fixture.run("create"), 1, "NAME_TAKEN", ["the service already has cluster prod"]);
    expectRefusal(await destroy(provider), 1, "PROVIDER_IN_USE", ["vsphere is used by prod; nothing was deleted"]);
  });

  test("by a cluster that somebody has created some days after the stack deleted one of its name", async () => {
    fixture.clusters = [prod];
    fixture.writes = [(response) => ((fixture.clusters = []), response.writeHead(204).end())];
    expect(await fixture.run("delete")).toMatchObject({ status: 0 });
    const left = { ...provider, CLUSTER_PLATFORM_HOOK_AFTER_0: snapshot("capvs/providers/vsphere") };
    fixture.clusters = [prod];
    // A list may still show the deleted one.
    expect(await destroy(left)).toMatchObject({ status: 0 });
    const earlier = new Date(Date.now() - 3 * 86_400_000).toISOString();
    fixture.changeNotes(({ deletion, ...facts }) => ({ ...facts, deletion: { ...deletion!, at: earlier, listedAt: earlier } }));
    expectRefusal(await destroy(left), 1, "PROVIDER_IN_USE", ["vsphere is used by prod; nothing was deleted"]);
  });
});

test("a destroy is refused if a provider has a user that neither the state nor the code has", async () => {
  fixture.clusters = [prod, { ...prod, clusterName: "theirs" }];
  expectRefusal(await destroy({}), 1, "PROVIDER_IN_USE", ["capvs provider vsphere is used by theirs; nothing was deleted"]);
});

test("the service is not asked if objects are only created", async () => {
  const addition = { ...unchanged, CLUSTER_PLATFORM_HOOK_AFTER_0: snapshot(...state, "capvs/clusters/next") };
  expect(await fixture.run("deletion-guard", addition)).toMatchObject({ status: 0, stdout: "" });
  expect(fixture.requests).toEqual([]);
});

test("one live object is enough, even if it stays", async () => {
  const removal = { ...unchanged, CLUSTER_PLATFORM_HOOK_AFTER_0: snapshot("capvs/providers/vsphere") };
  expect(await fixture.run("deletion-guard", removal)).toMatchObject({ status: 0, stdout: "" });
});

describe("nothing is deleted if the service", () => {
  test("cannot be reached", async () => {
    fixture.look = () => ({ body: { items: [], count: 1 } });
    expectRefusal(await destroy({}), 1, "CONTRACT", ["Check that the URL is that of the service"]);
  });

  test("does not send its lists in time", async () => {
    fixture.seconds = 1;
    const connection = { url: fixture.url, requestSeconds: 1 };
    const env = { CLUSTER_PLATFORM_HOOK_SETTINGS: settings(fixture.url, { connection }) };
    fixture.look = () => () => undefined;
    expectRefusal(await destroy(env), 1, "DELETE_TIMEOUT", [
      "cannot tell after 2s (timeouts.deleteSeconds) whether the service has capvs/clusters/prod, capvs/providers/vsphere",
      "Nothing was deleted; the next apply looks again",
    ]);
  });
});

describe("a declaration that differs", () => {
  const others = Array.from({ length: 3_000 }, (_, index) => [`capvs/clusters/c-${index}`, `digest${index}`]);
  const pieces = (name: string, digest: string, more: object = {}) =>
    literalPieces(
      `CLUSTER_PLATFORM_HOOK_${name}`,
      packed({ objects: Object.fromEntries([...others, ["capvs/clusters/prod", digest]]), ...more }),
    );
  const protecting = (name: string) => ({
    CLUSTER_PLATFORM_HOOK_SETTINGS: settings(fixture.url, { deletionProtection: [name] }),
  });

  test("is refused if it is protected, among 3,000, and looked up on the service otherwise", async () => {
    const replacement = { ...pieces("BEFORE", "one"), ...pieces("AFTER", "two") };
    fixture.clusters = [prod];
    expectRefusal(await fixture.run("deletion-guard", { ...replacement, ...protecting("prod") }), 1, "PROTECTED", [
      "capvs/clusters/prod is protected; nothing was deleted",
      "The declaration of capvs/clusters/prod has changed, so the apply would delete it and create it again, empty",
      'Replace it: write allowDeletion: ["prod"] on the Platform',
    ]);
    fixture.clusters = [];
    expectRefusal(await fixture.run("deletion-guard", { ...replacement, ...protecting("c-7") }), 1, "OBJECT_MISSING", [
      "none of the 3001 objects that the state has",
    ]);
    fixture.clusters = [prod];
    expect(await fixture.run("deletion-guard", { ...replacement, ...protecting("c-7") })).toMatchObject({ status: 0 });
  });

  test("does not exist if only the URL differs, which is checked before anything else", async () => {
    const moved = {
      ...pieces("BEFORE", "one", { url: "https://old.example.com" }),
      ...pieces("AFTER", "one", { url: fixture.url }),
    };
    for (const [command, soFar] of [
      ["orphan-check", "Nothing was created\nWrong URL: correct it. Really gone, or never created: run once"],
      ["deletion-guard", "Nothing was deleted\nWrong URL: correct it. Really gone: create them again"],
    ] as const) {
      fixture.clusters = [];
      expectRefusal(await fixture.run(command, moved), 1, "OBJECT_MISSING", [`is on the service at ${fixture.url}`, soFar]);
      fixture.clusters = [prod];
      expect(await fixture.run(command, { ...moved, ...protecting("*") })).toMatchObject({ status: 0 });
    }
  });

  test("does not stop the orphan check of a destroy without a guard, which has deleted everything", async () => {
    fixture.clusters = [prod];
    fixture.writes = [(response) => ((fixture.clusters = []), response.writeHead(202).end())];
    expect(await fixture.run("delete")).toMatchObject({ status: 0 });
    const objects = { "capvs/clusters/prod": "" };
    const moved = {
      CLUSTER_PLATFORM_HOOK_BEFORE_0: packed({ url: "https://old.example.com", objects }),
      CLUSTER_PLATFORM_HOOK_AFTER_0: packed({ url: fixture.url, objects }),
    };
    expect(await fixture.run("orphan-check", moved)).toMatchObject({ status: 0 });
  });

  test("is not recognized if the list is cut off", async () => {
    const cut = Object.fromEntries([0, 1].map((index) => [`CLUSTER_PLATFORM_HOOK_BEFORE_${index}`, "A".repeat(30 * 1024)]));
    expectRefusal(await fixture.run("deletion-guard", { ...cut, ...pieces("AFTER", "one") }), 2, "INVALID_SETTING", [
      "the list of the Platform's objects is larger than the 60 KiB that reach its hook",
    ]);
  });
});

describe("a protected object with another declaration", () => {
  const ids = ["capvs/clusters/prod", "capvs/clusters/stage", "capvs/providers/stage"];
  const digests = (digest: string) => packed({ objects: Object.fromEntries(ids.map((id) => [id, digest])) });
  const replaced = { CLUSTER_PLATFORM_HOOK_BEFORE_0: digests("one"), CLUSTER_PLATFORM_HOOK_AFTER_0: digests("two") };
  const run = () =>
    fixture.run("deletion-guard", {
      ...replaced,
      CLUSTER_PLATFORM_HOOK_SETTINGS: settings(fixture.url, {
        deleteSeconds: 60,
        deletionProtection: ["*/clusters/*"],
        allowDeletion: ["nothing"],
      }),
    });
  const stage = { ...prod, clusterName: "stage" };

  test("may be created again if no list of ten seconds has it, and is refused if one has it", async () => {
    fixture.providers = [{ providerType: "capvs", configs: [{ name: "stage" }] }];
    fixture.clusters = [stage];
    const refusal = await run();
    expectRefusal(refusal, 1, "PROTECTED", [
      "capvs/clusters/stage is protected; nothing was deleted",
      // A provider has the same name.
      'write allowDeletion: ["capvs/clusters/stage"] on the Platform',
      "allowDeletion has nothing, which names nothing: is it misspelled?",
    ]);
    expect(refusal.stdout).toBe("capvs/clusters/prod: not on the service; polling for 10s\n");

    fixture.clusters = [];
    fixture.requests.length = 0;
    expect(await run()).toMatchObject({ status: 0 });
    expect(fixture.requests.length).toBeGreaterThan(10);

    fixture.requests.length = 0;
    fixture.look = () => void (fixture.requests.length === 10 && (fixture.clusters = [prod]));
    expectRefusal(await run(), 1, "PROTECTED", ["capvs/clusters/prod is protected"]);
  });

  test("is not gone if another type has its name, if the service has nothing of the stack, or if it cannot be reached", async () => {
    fixture.clusters = [{ ...prod, providerType: "capov" }, stage];
    expectRefusal(await run(), 1, "PROTECTED", ["capvs/clusters/prod, capvs/clusters/stage are protected"]);
    [fixture.clusters, fixture.providers] = [[], []];
    expectRefusal(await run(), 1, "OBJECT_MISSING", ["none of the 3 objects that the state has"]);
    fixture.look = () => ({ status: 403 });
    expectRefusal(await run(), 1, "FORBIDDEN", []);
  });
});

describe("a create after the deletions that must fail", () => {
  const others = Array.from({ length: 3_000 }, (_, index) => `c-${index}`);
  const password = { path: ["password"], reference: { $secret: { env: "VSPHERE_PASSWORD" } } };
  const needs = {
    secrets: { "capvs/providers/edge": [password] },
    providers: [
      { type: "capvs" as const, provider: "vspere", kubernetesVersion: "v1.28.3", clusters: [...others, "prod"] },
      { type: "capvs" as const, provider: "vsphere", kubernetesVersion: "v1.29.1", clusters: ["next"] },
      { type: "capvs" as const, provider: "own", isOwn: true, clusters: ["mine"] },
    ],
    withTokens: ["capvs/clusters/prod"],
  };
  const before = Object.fromEntries([...others, "prod"].map((name) => [`capvs/clusters/${name}`, "one"]));
  const run = (after: Readonly<Record<string, string>>, more: NodeJS.ProcessEnv = {}) =>
    fixture.run("deletion-guard", {
      ...literalPieces("CLUSTER_PLATFORM_HOOK_BEFORE", packed({ objects: before })),
      ...literalPieces("CLUSTER_PLATFORM_HOOK_AFTER", packed({ objects: after, needs })),
      ...more,
    });
  /** The apply also deletes a cluster. */
  const { "capvs/clusters/c-7": _, ...without } = before;
  beforeEach(() => {
    fixture.clusters = [prod];
    fixture.providers = [{ providerType: "capvs", configs: [{ name: "vsphere", kubeVers: ["v1.28.3", "v1.28.9"] }] }];
  });

  test("is refused if a provider is misspelled, among 3,000 clusters", async () => {
    expectRefusal(await run({ ...without, "capvs/clusters/prod": "two" }), 1, "OBJECT_MISSING", [
      "cluster prod: there is no capvs provider vspere on the service: did you mean vsphere? Nothing was deleted\nCorrect the name in fromName, or register the provider first",
    ]);
  });

  test("is refused if no template of the provider offers the version", async () => {
    expectRefusal(await run({ ...without, "capvs/clusters/next": "one" }), 1, "INVALID_PROP", [
      "cluster next: no template of the provider vsphere offers the declared kubernetesVersion v1.29.1, only v1.28.3, v1.28.9. Nothing was deleted",
    ]);
  });

  test("is refused if the stack's own provider has vanished, unless the apply registers it", async () => {
    const mine = { ...without, "capvs/clusters/mine": "two" };
    const replacing = (own: string, more: NodeJS.ProcessEnv = {}) => {
      const was = packed({ objects: { ...before, "capvs/clusters/mine": "one", ...(own && { "capvs/providers/own": "one" }) } });
      const is = packed({ objects: { ...mine, "capvs/providers/own": own || "one" }, needs, engine: "terraform_data" });
      return fixture.run("deletion-guard", {
        ...literalPieces("CLUSTER_PLATFORM_HOOK_BEFORE", was),
        ...literalPieces("CLUSTER_PLATFORM_HOOK_AFTER", is),
        CLUSTER_PLATFORM_HOOK_BLOCK: undefined,
        VSPHERE_PASSWORD: "zq7",
        ...more,
      });
    };
    expectRefusal(await replacing("one"), 1, "OBJECT_MISSING", [
      "cluster mine: there is no capvs provider own on the service, although the state has it. Nothing was deleted\nCreate it again: CLUSTER_PLATFORM_ACCEPT_GONE=capvs/providers/own terraform apply -replace='terraform_data.capvs_providers[\"own\"]'",
    ]);
    expect(await replacing("one", { CLUSTER_PLATFORM_ACCEPT_GONE: "capvs/providers/own" })).toMatchObject({ status: 0 });
    expect(await replacing("two")).toMatchObject({ status: 0 });
    expect(await replacing("")).toMatchObject({ status: 0 });
  });

  test("is refused if a secret is not set", async () => {
    expectRefusal(await run({ ...without, "capvs/providers/edge": "one" }), 2, "MISSING_SECRET", [
      "capvs/providers/edge: a secret cannot be resolved; nothing was deleted:",
      "password: the environment variable VSPHERE_PASSWORD is not set",
    ]);
    expect(await run({ ...without, "capvs/providers/edge": "one" }, { VSPHERE_PASSWORD: "zq7" })).toMatchObject({ status: 0 });
  });

  test("does not matter if the cluster is adopted, or if nothing is deleted", async () => {
    const adopting = { CLUSTER_PLATFORM_ADOPT: "capvs/clusters/next" };
    expect(await run({ ...without, "capvs/clusters/next": "one" }, adopting)).toMatchObject({ status: 0 });
    const declared = { ...needs, providers: needs.providers.map((need) => ({ ...need, adopt: true })) };
    const after = packed({ objects: { ...without, "capvs/clusters/next": "one" }, needs: declared });
    expect(await run(without, literalPieces("CLUSTER_PLATFORM_HOOK_AFTER", after))).toMatchObject({ status: 0 });
    expect(await run({ ...before, "capvs/clusters/next": "one" })).toMatchObject({ status: 0 });
  });

  test("is not foreseen if a token decides, which a line says", async () => {
    fixture.providers = [{ providerType: "capvs", configs: [{ name: "vspere" }] }];
    expect(await run({ ...without, "capvs/clusters/prod": "two" })).toMatchObject({
      status: 0,
      stdout: "capvs/clusters/prod: the values of tokens in the new declaration are not checked before the deletion\n",
    });
  });
});
