import { type Simulator, startSimulator } from "../../src/simulator";
import { goldens } from "../goldens";
import { clusterBody, CLUSTERS, NEW_CLUSTER, NEW_PROVIDER, providerBody, PROVIDERS } from "./bodies";
import { call, callRaw, Clock } from "./call";

let simulator: Simulator;
let clock: Clock;
beforeEach(async () => {
  clock = new Clock();
  simulator = await startSimulator({ token: "s3cret", now: clock.now });
});
afterEach(() => simulator.close());

async function refusal(method: string, path: string, body?: unknown) {
  const { status, json } = await call(simulator, method, path, body);
  const { code, message, details } = (json as { error: { code: string; message: string; details?: unknown } }).error;
  return { status, code, message, details };
}

describe("authorization", () => {
  test.each([
    ["GET", PROVIDERS],
    ["POST", NEW_PROVIDER],
    ["DELETE", `${NEW_PROVIDER}/eu`],
    ["POST", NEW_CLUSTER],
    ["GET", CLUSTERS],
    ["DELETE", `${CLUSTERS}/prod`],
    ["GET", "/nowhere"],
    ["GET", "/_simulator/log"],
    ["POST", "/_simulator/faults"],
  ])("is required for %s %s", async (method, path) => {
    for (const token of ["", "other", "s3cret2", "s3cre"]) {
      const { status, headers, json } = await call(simulator, method, path, undefined, token);
      expect({ status, json }).toEqual({
        status: 401,
        json: { error: { code: "UNAUTHORIZED", message: "the request has no bearer token, or a wrong one" } },
      });
      expect(headers.get("www-authenticate")).toBe("Bearer");
    }
  });

  test("takes the scheme's name in any case, but no other scheme", async () => {
    const status = async (authorization: string) =>
      (await fetch(simulator.url + CLUSTERS, { headers: { authorization } })).status;
    expect(await status("bearer s3cret")).toBe(200);
    expect(await status("s3cret")).toBe(401);
    expect(await status("Basic s3cret")).toBe(401);
  });

  test("follows a rotated token", async () => {
    simulator.token = "next";
    expect((await call(simulator, "GET", CLUSTERS, undefined, "s3cret")).status).toBe(401);
    expect((await call(simulator, "GET", CLUSTERS, undefined, "next")).status).toBe(200);
    expect(simulator.requests.map(({ authorized }) => authorized)).toEqual([false, true]);
  });
});

describe("paths and methods", () => {
  test.each(["/", "/api/v1", "/api/v2/clusters", `${CLUSTERS}/`, `${CLUSTERS}/a/b`, "/_simulator", "/_simulator/nothing"])(
    "there is nothing at %s",
    async (path) => {
      expect(await refusal("GET", path)).toMatchObject({
        status: 404,
        code: "NOT_FOUND",
        message: `there is nothing at ${path}`,
      });
    },
  );

  test.each([
    ["POST", PROVIDERS, "GET"],
    ["GET", NEW_PROVIDER, "POST"],
    ["PUT", `${NEW_PROVIDER}/eu`, "DELETE"],
    ["DELETE", NEW_CLUSTER, "POST"],
    ["DELETE", CLUSTERS, "GET"],
    ["PATCH", `${CLUSTERS}/prod`, "DELETE"],
    ["PUT", "/_simulator/log", "GET"],
    ["PUT", "/_simulator/faults", "GET, POST, DELETE"],
  ])("%s is not for %s", async (method, path, allowed) => {
    const { status, headers, json } = await call(simulator, method, path);
    expect({ status, json }).toMatchObject({ status: 405, json: { error: { code: "METHOD_NOT_ALLOWED" } } });
    expect(headers.get("allow")).toBe(allowed);
  });

  test.each(["capxx", "toString", "__proto__"])("there is no provider type %s", async (type) => {
    const known = "only capvs, capov, capbd, capos, capsmv2, capyc, capcd";
    const message = `there is no provider type '${type}', ${known}`;
    expect(await refusal("POST", `${PROVIDERS}/${type}`, {})).toMatchObject({ status: 404, message });
    expect(await refusal("POST", `${PROVIDERS}/clusters/${type}`, {})).toMatchObject({ status: 404, message });
    expect(await refusal("DELETE", `${PROVIDERS}/${type}/eu`)).toMatchObject({ status: 404, message });
  });

  test("are decoded", async () => {
    simulator.timing.deleteSeconds = 0;
    for (const name of ["a b", "ü/é", "100%", "?#", "..."]) {
      simulator.add("clusters", "capvs", clusterBody(name));
      simulator.add("providers", "capvs", providerBody(name));
      expect(await callRaw(simulator, "DELETE", `${CLUSTERS}/${encodeURIComponent(name)}`)).toBe(204);
      expect(await callRaw(simulator, "DELETE", `${NEW_PROVIDER}/${encodeURIComponent(name)}`)).toBe(204);
    }
    expect([...simulator.clusters, ...simulator.providers]).toEqual([]);
  });

  test("are not resolved above the interface", async () => {
    simulator.add("clusters", "capvs", clusterBody("prod"));
    for (const path of [`${CLUSTERS}/x/../prod%2f..`, `${CLUSTERS}/%2e%2e/clusters/prod%00`, `${CLUSTERS}/%ZZ`]) {
      expect(await callRaw(simulator, "DELETE", path)).toBe(404);
    }
    expect(simulator.clusters).toHaveLength(1);
  });
});

describe("bodies", () => {
  test.each([
    ["{", "the body is not JSON"],
    ["", "the body is empty, but must be JSON"],
  ])("refuses %j", async (body, message) => {
    expect(await refusal("POST", NEW_PROVIDER, body)).toMatchObject({ status: 400, code: "MALFORMED_BODY", message });
    expect(await refusal("POST", NEW_CLUSTER, body)).toMatchObject({ status: 400, code: "MALFORMED_BODY", message });
  });

  test.each([
    [null, "but is null"],
    [[], "but is an array"],
    ["text", "but is a string"],
  ])("refuses %j as a whole", async (body, nature) => {
    expect(await refusal("POST", NEW_PROVIDER, JSON.stringify(body))).toMatchObject({
      status: 400,
      message: `the body is not valid for a capvs provider: must be an object, ${nature}`,
    });
  });

  test("are refused with all wrong fields and reasons, and without values", async () => {
    const body = providerBody("eu", { datacenter: 5, template: [{ key: "a" }], extra: "hunter2", allowEditCSI: "no" });
    delete body.folder;
    const { status, code, message, details } = await refusal("POST", NEW_PROVIDER, body);
    expect({ status, code }).toEqual({ status: 400, code: "INVALID_BODY" });
    expect(new Set(details as unknown[])).toEqual(
      new Set([
        { field: "datacenter", message: "must be a string, but is a number" },
        { field: "folder", message: "must be a string, but is missing" },
        { field: "template[0].value", message: "must be a string, but is missing" },
        { field: "allowEditCSI", message: "must be true or false, but is a string" },
        { field: "extra", message: "is not a field of the interface" },
      ]),
    );
    expect(message).toContain("the body is not valid for a capvs provider: ");
    expect(message).toContain("'folder' must be a string, but is missing");
    expect(message).not.toContain("hunter2");
  });

  test.each([
    [{ controlPlaneNodesCount: 1.5 }, "cluster.controlPlaneNodesCount", "must be a whole number, but has a fraction"],
    [{ secure: "true" }, "cluster.secure", "must be true or false, but is a string"],
    [{ podSubnet: null }, "cluster.podSubnet", "must be a string, but is null"],
    [{ enabledServices: "all" }, "cluster.enabledServices", "must be an array, but is a string"],
    [{ enabledServices: undefined }, "cluster.enabledServices", "must be sent if 'cluster.disabledServices' is not"],
    [{ disabledServices: ["all"] }, "cluster.disabledServices", "must not be sent together with 'cluster.enabledServices'"],
    [{ clusterName: "" }, "cluster.clusterName", "must not be empty"],
    [{ controlPlaneNodesCount: -5 }, "cluster.controlPlaneNodesCount", "must be a whole number of nodes, at least 0"],
    [{ podSubnet: "banana" }, "cluster.podSubnet", "must be a network in CIDR notation, as in 10.96.0.0/12"],
    [{ serviceSubnet: "10.0.0.0" }, "cluster.serviceSubnet", "must be a network in CIDR notation, as in 10.96.0.0/12"],
    [{ apiEndpoint: "not an ip" }, "cluster.apiEndpoint", "must be an IP address"],
    [{ ingressvip: "vip" }, "cluster.ingressvip", "must be an IP address, or empty"],
    [{ kubernetesVersion: "latest" }, "cluster.kubernetesVersion", "must be a Kubernetes version, as in v1.28.3 or 1.28.3"],
    [
      { productVersion: "2" },
      "cluster.productVersion",
      "must be a version of the form <major>.<minor>.<patch>, as in 1.28.3, or empty",
    ],
    [
      { enabledServices: ["nonsense"] },
      "cluster.enabledServices[0]",
      "must be the name of a platform service, which begins with product-",
    ],
    [
      { enabledServices: undefined, disabledServices: ["none"] },
      "cluster.disabledServices[0]",
      "must be all, or the name of a platform service",
    ],
    [{ workersCount: 1 }, "cluster.workersCount", "is not a field of the interface"],
  ])("refuses a cluster with %j", async (fields, field, message) => {
    simulator.add("providers", "capvs", providerBody());
    expect(await refusal("POST", NEW_CLUSTER, clusterBody("prod", "eu", fields))).toEqual({
      status: 400,
      code: "INVALID_BODY",
      message: `the body is not valid for a capvs cluster: '${field}' ${message}`,
      details: [{ field, message }],
    });
  });

  test.each([
    ["capvs", "identityName"],
    ["capov", "name"],
  ] as const)("refuses a %s provider without a name", async (type, field) => {
    const body = { ...goldens[type].provider.minimal.body, [field]: "" };
    expect(await refusal("POST", `${PROVIDERS}/${type}`, body)).toMatchObject({
      status: 400,
      details: [{ field, message: "must not be empty" }],
    });
  });

  test.each([
    [
      "capvs",
      { connectInfo: { url: "https://vcenter", user: "u", passwd: "p" } },
      "connectInfo.url",
      "must be host:port, without",
    ],
    ["capos", { nodeCIDR: "10.6.0.0" }, "nodeCIDR", "must be a network in CIDR notation"],
    [
      "capsmv2",
      { hosts: [{ address: "host", labelsSelector: {}, credentials: null }] },
      "hosts[0].address",
      "must be an IP address",
    ],
    [
      "capyc",
      { templates: [{ template: "a", kubeVersion: "1.28.3" }] },
      "templates[0].kubeVersion",
      "must be a Kubernetes version",
    ],
  ] as const)("refuses a %s provider with %j", async (type, fields, field, message) => {
    const body = { ...goldens[type].provider.minimal.body, ...fields };
    const { status, details } = await refusal("POST", `${PROVIDERS}/${type}`, body);
    expect({ status, details }).toEqual({ status: 400, details: [{ field, message: expect.stringContaining(message) }] });
  });

  test("refuses a body of one type at the path of another", async () => {
    const { status, details } = await refusal("POST", NEW_CLUSTER, goldens.capyc.cluster.minimal.body);
    expect(status).toBe(400);
    expect(details).toContainEqual({ field: "provider.providerName", message: "is not a field of the interface" });
  });

  test("may have 5 MiB, and larger ones are refused however they are sent", async () => {
    const limit = 5 * 1024 * 1024;
    const ofLength = (length: number) => {
      const empty = JSON.stringify(providerBody("big", { datacenter: "" })).length;
      return JSON.stringify(providerBody("big", { datacenter: "x".repeat(length - empty) }));
    };
    expect((await call(simulator, "POST", NEW_PROVIDER, ofLength(limit))).status).toBe(201);
    const tooLarge = {
      status: 413,
      code: "BODY_TOO_LARGE",
      message: `the body has ${limit + 1} bytes, but at most ${limit} are allowed`,
    };
    expect(await refusal("POST", NEW_PROVIDER, ofLength(limit + 1))).toMatchObject(tooLarge);

    const chunked = await fetch(simulator.url + NEW_PROVIDER, {
      method: "POST",
      headers: { authorization: "Bearer s3cret" },
      body: new Blob([ofLength(limit + 1)]).stream(),
      duplex: "half",
    } as RequestInit);
    expect(chunked.status).toBe(413);
    expect(simulator.providers).toHaveLength(1);
  });
});

describe("state", () => {
  beforeEach(() => {
    simulator.add("providers", "capvs", providerBody());
  });

  test("a provider's name is taken within its type", async () => {
    expect(await refusal("POST", NEW_PROVIDER, providerBody())).toMatchObject({
      status: 409,
      code: "NAME_TAKEN",
      message: "a capvs provider 'eu' exists already",
    });
    const sameName = { ...goldens.capov.provider.minimal.body, name: "eu" };
    expect((await call(simulator, "POST", `${PROVIDERS}/capov`, sameName)).status).toBe(201);
  });

  test("a cluster's name is taken for all types", async () => {
    simulator.add("providers", "capov", goldens.capov.provider.minimal.body);
    await call(simulator, "POST", NEW_CLUSTER, clusterBody("prod"));
    const { cluster, provider } = goldens.capov.cluster.minimal.body;
    const sameName = { cluster: { ...(cluster as object), clusterName: "prod" }, provider };
    expect(await refusal("POST", `${PROVIDERS}/clusters/capov`, sameName)).toMatchObject({
      status: 409,
      code: "NAME_TAKEN",
      message: "a cluster 'prod' exists already",
    });
  });

  test("one of fifty simultaneous requests for a name gets it", async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => call(simulator, "POST", NEW_CLUSTER, clusterBody("prod"))),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(49);
    expect(simulator.events.filter(({ kind, action }) => kind === "clusters" && action === "created")).toHaveLength(1);
  });

  test("a name is taken until its deletion is complete", async () => {
    simulator.timing.deleteSeconds = 20;
    await call(simulator, "POST", NEW_CLUSTER, clusterBody("prod"));
    await call(simulator, "DELETE", `${CLUSTERS}/prod`);
    expect(await refusal("POST", NEW_CLUSTER, clusterBody("prod"))).toMatchObject({
      status: 409,
      code: "DELETION_UNDER_WAY",
      message: "a cluster 'prod' is still being deleted",
    });
    clock.pass(20);
    expect((await call(simulator, "POST", NEW_CLUSTER, clusterBody("prod"))).status).toBe(201);
  });

  test("a cluster needs a provider of its own type that is not being deleted", async () => {
    expect(await refusal("POST", NEW_CLUSTER, clusterBody("prod", "us"))).toMatchObject({
      status: 400,
      code: "UNKNOWN_PROVIDER",
      message: "there is no capvs provider 'us' to create the cluster on",
    });
    simulator.add("providers", "capov", { ...goldens.capov.provider.minimal.body, name: "us" });
    expect(await refusal("POST", NEW_CLUSTER, clusterBody("prod", "us"))).toMatchObject({
      status: 400,
      message: "there is no capvs provider 'us' to create the cluster on; 'us' is a provider of type capov",
    });
    await call(simulator, "DELETE", `${NEW_PROVIDER}/eu`);
    expect(await refusal("POST", NEW_CLUSTER, clusterBody("prod"))).toMatchObject({
      status: 409,
      code: "DELETION_UNDER_WAY",
      message: "the capvs provider 'eu' is being deleted",
    });
    expect(simulator.clusters).toEqual([]);
  });

  test("a provider stays as long as clusters use it, including those that are being deleted", async () => {
    simulator.timing.deleteSeconds = 20;
    simulator.add("clusters", "capvs", clusterBody("prod"));
    simulator.add("clusters", "capvs", clusterBody("test"));
    simulator.add("clusters", "capvs", clusterBody("other", "elsewhere"));
    const inUse = { status: 409, code: "PROVIDER_IN_USE" };
    expect(await refusal("DELETE", `${NEW_PROVIDER}/eu`)).toMatchObject({
      ...inUse,
      message: "the capvs provider 'eu' is in use by clusters 'prod', 'test'",
    });
    await call(simulator, "DELETE", `${CLUSTERS}/prod`);
    clock.pass(20);
    await call(simulator, "DELETE", `${CLUSTERS}/test`);
    expect(await refusal("DELETE", `${NEW_PROVIDER}/eu`)).toMatchObject({
      ...inUse,
      message: "the capvs provider 'eu' is in use by cluster 'test'",
    });
    clock.pass(20);
    expect((await call(simulator, "DELETE", `${NEW_PROVIDER}/eu`)).status).toBe(202);
  });

  test("a refusal names ten of many clusters and counts the rest", async () => {
    for (let index = 1; index <= 12; index++) simulator.add("clusters", "capvs", clusterBody(`c${index}`));
    const { message } = await refusal("DELETE", `${NEW_PROVIDER}/eu`);
    expect(message).toMatch(/in use by clusters 'c1', .*'c10' and 2 more$/);
  });

  test("a missing object cannot be deleted", async () => {
    expect(await refusal("DELETE", `${CLUSTERS}/prod`)).toMatchObject({ status: 404, message: "there is no cluster 'prod'" });
    expect(await refusal("DELETE", `${NEW_PROVIDER}/us`)).toMatchObject({
      status: 404,
      message: "there is no capvs provider 'us'",
    });
    expect(await refusal("DELETE", `${PROVIDERS}/capov/eu`)).toMatchObject({
      status: 404,
      message: "there is no capov provider 'eu'",
    });
  });

  test("a capvs provider refuses clusters until it is ready", async () => {
    simulator.timing.providerReadySeconds = 20;
    expect(await refusal("POST", NEW_CLUSTER, clusterBody("prod"))).toMatchObject({
      status: 409,
      code: "PROVIDER_NOT_READY",
      message: "provider not ready: the capvs provider 'eu' was registered moments ago",
    });
    simulator.add("providers", "capov", goldens.capov.provider.minimal.body);
    expect((await call(simulator, "POST", `${PROVIDERS}/clusters/capov`, goldens.capov.cluster.minimal.body)).status).toBe(201);
    clock.pass(20);
    expect((await call(simulator, "POST", NEW_CLUSTER, clusterBody("prod"))).status).toBe(201);
  });
});
