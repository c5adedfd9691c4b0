import { startSimulator } from "../../src/simulator";
import { inRest } from "../terraform/test-on-backends";
import { cluster, controlPlane, programs, provider, ready, testOnProgramsInRest } from "./plugin-fixture";

/** How a plan shows live objects: differences, missing objects, and lists that prove nothing. */

testOnProgramsInRest(
  "a plan warns of a manual change among 10,000 clusters, accepts its declaration, and replaces nothing for it",
  async (stack) => {
    stack.write([provider(), cluster("prod", { deletion_protection: "true" }), ready(["prod"])]);
    await stack.applied();
    const writes = stack.writes().length;

    const headers = { authorization: `Bearer ${stack.simulator.token}` };
    const list = (await (await fetch(`${stack.simulator.url}/api/v1/clusters`, { headers })).json()) as {
      items: { workersGroups: object[] }[];
    };
    const others = Array.from({ length: 10_000 }, (_, index) => ({ ...list.items[0], clusterName: `other-${index}` }));
    const gpu = { groupName: "gpu", workersScale: null, workersCount: 2 };
    const workersGroups = [...list.items[0]!.workersGroups, gpu];
    const changed = { ...list.items[0], controlplaneNodesCount: 5, secure: false, workersGroups };
    const body = { ...list, items: [...others, changed], count: others.length + 1 };
    stack.simulator.inject({ kind: "status", status: 200, body, method: "GET", path: "/api/v1/clusters" });
    const before = stack.simulator.requests.length;
    const drifted = await stack.plan();
    expect(drifted.changes).toEqual([]);
    const looks = stack.simulator.requests.slice(before).map(({ method, path }) => `${method} ${path}`);
    expect(looks.sort()).toEqual(["GET /api/v1/clusters", "GET /api/v1/platform/providers"]);
    expect(drifted.output).toContain(
      "Warning: cluster prod differs from its declaration: control_plane.count is 5, declared is 3; " +
        'workers["gpu"].count is 2, declared is 0; secure is false, declared is true',
    );
    await stack.applied({ args: ["-refresh-only"] });
    expect(stack.attributes("clusterplatform_capvs_cluster.prod").drift).toEqual({
      "control_plane.count": "declared 3, live 5",
      'workers["gpu"].count': "declared 0, live 2",
      secure: "declared true, live false",
    });

    // Declaring the live values changes no object, protected or not.
    const size = "cpus = 4, memory_mib = 8192, disk_gib = 60";
    const workers = `{ default = { count = 2, ${size} }, gpu = { count = 2, ${size} } }`;
    stack.write([provider(), cluster("prod", { control_plane: controlPlane(5), workers }), ready(["prod"])]);
    const accepted = await stack.plan();
    expect(accepted.changes.map(({ address, actions }) => `${actions.join()} ${address}`)).toEqual([
      "update clusterplatform_capvs_cluster.prod",
    ]);
    await stack.applied();
    expect(stack.attributes("clusterplatform_capvs_cluster.prod").drift).toEqual({ secure: "declared true, live false" });
    expect(stack.writes()).toHaveLength(writes);
  },
);

testOnProgramsInRest("a plan creates missing objects again, and nothing because of another service or none", async (stack) => {
  // A missing object is created again even if it is protected.
  const declared = [provider(), cluster("prod"), cluster("test", { deletion_protection: "true" }), ready(["prod", "test"])];
  stack.write(declared);
  await stack.applied();
  await stack.deleteByHand("/api/v1/clusters/test");
  // The first lists lag behind and do not show prod either.
  const none = { items: [], count: 0 };
  stack.simulator.inject({ kind: "status", status: 200, body: none, method: "GET", path: "/api/v1/clusters", times: 2 });
  const healed = await stack.applied();
  expect(healed).toContain("Warning: cluster test is not on the service any more");
  expect(healed).toContain("1 added, 1 changed, 0 destroyed");
  expect(stack.happened().slice(-2)).toEqual(["-test", "+test"]);

  const other = await startSimulator({ token: stack.simulator.token, deleteSeconds: 0 });
  try {
    const gone = ["providers/vsphere", "clusters/prod", "clusters/test"].map((id) => `capvs/${id}`).join(",");
    const missing = await stack.failed({ env: { CLUSTER_PLATFORM_URL: other.url } });
    expect(missing).toContain(
      `[OBJECT_MISSING] capvs provider vsphere is not on the service at ${other.url}, and the state names ${stack.simulator.url} as its service`,
    );
    expect(missing).toContain(
      `Wrong URL: correct it. Really gone, or never created: run once with CLUSTER_PLATFORM_ACCEPT_GONE=${gone}.`,
    );
    expect(other.requests.filter(({ method }) => method !== "GET")).toEqual([]);
    const accepted = await stack.applied({ env: { CLUSTER_PLATFORM_URL: other.url, CLUSTER_PLATFORM_ACCEPT_GONE: gone } });
    expect(accepted).toContain("3 added, 1 changed, 0 destroyed");
    expect(stack.attributes("clusterplatform_capvs_cluster.prod").service).toBe(other.url);

    // The first service has objects of the same names, but the state means those of the other one.
    stack.write([declared[0]!, declared[2]!, ready(["test"])], 'allow_deletion = ["test"]');
    for (const args of [[], ["-destroy"], ["-destroy", "-refresh=false"]])
      expect(await stack.refused(...args)).toContain(`the state names ${other.url} as the service of`);

    // Alone, the new URL is an update in place. It sends nothing.
    const writes = stack.writes();
    stack.write(declared);
    expect(await stack.applied()).toContain("0 added, 3 changed, 0 destroyed");
    expect(stack.attributes("clusterplatform_capvs_cluster.test").service).toBe(stack.simulator.url);
    expect(stack.writes()).toEqual(writes);
  } finally {
    await other.close();
  }
});

testOnProgramsInRest(
  "a plan without an answer of the service plans nothing, and says why",
  async (stack) => {
    const declared = [provider(), cluster("prod")];
    stack.write(declared);
    await stack.applied();
    const bad = async (env: NodeJS.ProcessEnv) => (await stack.failed({ env })).replace(stack.simulator.token, "TOKEN");
    expect(await bad({ CLUSTER_PLATFORM_URL: "http://127.0.0.1:9" })).toMatch(
      /Error: \[UNREACHABLE\] GET \S+: nothing listens at /,
    );
    expect(await bad({ CLUSTER_PLATFORM_TOKEN: "wrong-token-of-somebody" })).toMatch(
      /\[UNAUTHORIZED\].*the token was not accepted/,
    );
    const noToken = await bad({ CLUSTER_PLATFORM_TOKEN: "" });
    expect(noToken).toMatch(
      /Error: \[MISSING_TOKEN\] no token for the service.* with provider\["cluster-platform\.invalid\/cdktf\/clusterplatform"\], on main\.tf/,
    );
    expect(await bad({ CLUSTER_PLATFORM_URL: "ftp://platform" })).toMatch(
      /\[INVALID_URL\].*'CLUSTER_PLATFORM_URL' must.* with provider/,
    );
    expect(await bad({ CLUSTER_PLATFORM_ACCEPT_GONE: "1" })).toContain("[INVALID_SETTING]");
    const html = stack.simulator.inject({ kind: "html", path: "/api/v1/clusters" });
    const page = await bad({});
    expect(page).toContain("[CONTRACT]");
    expect(page).toContain("Check that the URL is that of the service");
    html.cancel();
    const partial = stack.simulator.inject({ kind: "partial-list" });
    expect(await bad({})).toContain("[CONTRACT]");
    partial.cancel();
    expect(await stack.changes()).toEqual([]);

    stack.write(declared, 'retain = ["*"]');
    expect(await stack.refused()).toContain("'retain' must be an exact name or type/kind/name");
  },
  { some: inRest(programs) },
);
