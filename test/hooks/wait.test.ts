import { expectRefusal, packed, settings } from "../bad-input/hook";
import { prod, HookFixture } from "./hook-fixture";

/** When a wait considers a cluster ready or missing. A single list proves neither. */

let fixture: HookFixture;
beforeEach(async () => (fixture = await HookFixture.open()));
afterEach(() => fixture.close());

const address = (kind: string) => `null_resource.capvs_${kind}`;
const expected = (ready: string[], present: string[] = [], providers: string[] = []) => ({
  CLUSTER_PLATFORM_HOOK_EXPECTED_0: packed([
    { type: "capvs", kind: "clusters", address: address("clusters"), ready, present },
    { type: "capvs", kind: "providers", address: address("providers"), ready: [], present: providers },
  ]),
});
const list = (...phases: (string | undefined)[]) => phases.map((phase) => (phase === undefined ? [] : [{ ...prod, phase }]));

/** The last list repeats. The returned function counts the polls. */
function shown(lists: object[][]): () => number {
  let looks = 0;
  fixture.look = ({ path }) => {
    if (!path.endsWith("/providers")) fixture.clusters = lists[Math.min(looks++, lists.length - 1)]!;
  };
  return () => looks;
}

test.each([
  ["at once", list("Provisioned"), 2],
  ["after a while", list("Pending", "Provisioned"), 3],
  ["after a look that found it so too early", list("Provisioned", "Pending", "Provisioned"), 4],
  ["after a phase that nobody knows", list("", "Upgrading", "provisioned", "Provisioned"), 5],
  ["after a list that lacked it", list(undefined, "Provisioned"), 3],
])("a cluster that is ready %s is looked up once more", async (_, lists, looks) => {
  const seen = shown(lists);
  const { status, stdout } = await fixture.run("wait", expected(["prod"]));
  expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining("cluster prod is ready after") });
  expect(seen()).toBe(looks);
  expect(fixture.written).toEqual([]);
});

test.each([
  ["Failed", "cluster prod: Failed"],
  ["", "cluster prod: accepted, no phase yet"],
])("a cluster whose phase stays %j is not ready", async (phase, said) => {
  shown(list(phase));
  expectRefusal(await fixture.run("wait", expected(["prod"])), 1, "READY_TIMEOUT", [
    "1 of 1 clusters not ready after 1m00s (timeouts.readySeconds)",
    said,
    "Nothing was undone. The next apply waits again",
  ]);
});

test("one of many clusters that is not ready fails the wait, and is named", async () => {
  fixture.clusters = [prod, { ...prod, clusterName: "late", phase: "Pending" }];
  const { status, stderr } = await fixture.run("wait", expected(["prod", "late"]));
  expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining("1 of 2 clusters not ready") });
  expect(stderr).toContain("cluster late: Pending");
  expect(stderr).not.toContain("cluster prod");
});

describe("a missing object is", () => {
  test("a cluster that no list of ten seconds has, and the wait announces it before", async () => {
    fixture.pausesAreReal = true;
    shown(list(undefined));
    const started = Date.now();
    const result = await fixture.run("wait", expected(["prod"]));
    expect(Date.now() - started).toBeGreaterThanOrEqual(10_000);
    expectRefusal(result, 1, "OBJECT_MISSING", [
      "cluster prod is in Terraform's state but not on the service",
      `terraform apply -replace='${address("clusters")}["prod"]'`,
    ]);
    expect(result.stdout).toBe("cluster prod is not on the service (yet); polling for it, 10s at most\n");
  });

  test("one that no list of ten seconds has, although the timeout is shorter", async () => {
    fixture.seconds = 5;
    const seen = shown(list(undefined));
    expectRefusal(await fixture.run("wait", expected(["prod"])), 1, "OBJECT_MISSING", ["cluster prod is in Terraform's state"]);
    expect(seen()).toBeGreaterThan(5);
  });

  test("one that was there before", async () => {
    shown(list("Pending", undefined));
    expectRefusal(await fixture.run("wait", expected(["prod"])), 1, "OBJECT_MISSING", ["cluster prod is in Terraform's state"]);
  });

  test("looked for every second, even if other polls are rarer", async () => {
    const seen = shown([...list(undefined, undefined, undefined), [prod]]);
    const rare = { CLUSTER_PLATFORM_HOOK_SETTINGS: settings(fixture.url, { readySeconds: 60, pollSeconds: 30 }) };
    expect(await fixture.run("wait", { ...expected(["prod"]), ...rare })).toMatchObject({ status: 0 });
    expect(seen()).toBe(5);
  });

  test("not one that a list shows some seconds after its creation", async () => {
    shown(list(undefined, undefined, undefined, undefined, "Pending", "Provisioned"));
    const { status, stdout } = await fixture.run("wait", expected(["prod"]));
    expect({ status, stdout }).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/\(yet\)[^]*: Pending[^]*is ready after/),
    });
    expect(stdout.match(/not on the service/g)).toHaveLength(1);
  });

  test("not one that only a single list lacks", async () => {
    const seen = shown(list("Provisioned", undefined, "Provisioned"));
    expect(await fixture.run("wait", expected(["prod"]))).toMatchObject({ status: 0 });
    expect(seen()).toBe(4);
  });

  test("not one that appears and disappears repeatedly, and it is not ready either", async () => {
    shown(Array.from({ length: 1_000 }, (_, index) => (index % 2 ? [] : [prod])));
    expectRefusal(await fixture.run("wait", expected(["prod"])), 1, "READY_TIMEOUT", ["1 of 1 clusters not ready"]);
  });

  test("one whose name a cluster of another type has, even if that is ready", async () => {
    fixture.clusters = [{ ...prod, providerType: "capov" }];
    expectRefusal(await fixture.run("wait", expected(["prod"])), 1, "OBJECT_MISSING", ["cluster prod is in Terraform's state"]);
  });

  test.each([
    ["a cluster that is not waited for", expected([], ["prod"]), "cluster prod is", "clusters", "prod"],
    ["a registration", expected([], [], ["gone"]), "capvs provider gone is", "providers", "gone"],
  ])("%s", async (_, env, what, kind, name) => {
    expectRefusal(await fixture.run("wait", env), 1, "OBJECT_MISSING", [what, `-replace='${address(kind)}["${name}"]'`]);
  });
});

test("an object that is not waited for must only exist", async () => {
  fixture.clusters = [{ ...prod, phase: "Failed" }];
  expect(await fixture.run("wait", expected([], ["prod"], ["vsphere"]))).toMatchObject({ status: 0, stdout: "" });
});

test("a missing object that then cannot be looked up is neither ready nor missing", async () => {
  let looks = 0;
  fixture.look = () => (++looks > 2 ? { body: "<html>" } : undefined);
  expectRefusal(await fixture.run("wait", expected([], ["prod"], ["vsphere"])), 1, "READY_TIMEOUT", [
    "1 of 2 objects not there or not ready after 1m00s",
    "cluster prod: not on the service",
  ]);
});

describe("a service that cannot be reached", () => {
  const page = { body: "<html>" };

  test("fails the wait at its beginning", async () => {
    fixture.look = () => page;
    expectRefusal(await fixture.run("wait", expected(["prod"])), 1, "CONTRACT", ["is an HTML page"]);
  });

  test("later and for good leaves the clusters not ready", async () => {
    let looks = 0;
    fixture.clusters = [prod];
    fixture.look = () => (++looks > 1 ? page : undefined);
    expectRefusal(await fixture.run("wait", expected(["prod"])), 1, "READY_TIMEOUT", [
      "1 of 1 clusters not ready after 1m00s",
      "cluster prod: Provisioned, in one look only",
    ]);
  });

  test("later for a while only interrupts the sequence of looks", async () => {
    let looks = 0;
    fixture.clusters = [prod];
    fixture.look = () => (++looks === 2 ? page : undefined);
    const { status, stdout } = await fixture.run("wait", expected(["prod"]));
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining("cannot read the service") });
    expect(looks).toBe(4);
  });

  test("because it refuses the token fails the wait at once", async () => {
    let looks = 0;
    fixture.clusters = [{ ...prod, phase: "Pending" }];
    fixture.look = () => (++looks > 1 ? { status: 403 } : undefined);
    expectRefusal(await fixture.run("wait", expected(["prod"])), 1, "FORBIDDEN", ["403"]);
  });
});

test("nothing is requested if nothing is expected", async () => {
  const env = { ...expected([]), CLUSTER_PLATFORM_HOOK_SETTINGS: settings(fixture.url) };
  expect(await fixture.run("wait", env)).toMatchObject({ status: 0 });
  expect(fixture.requests).toEqual([]);
});
