import { request } from "node:https";
import { type Simulator, startSimulator } from "../../src/simulator";
import { localhostTls } from "../support/localhost-tls";
import { clusterBody, type ClusterListReply, CLUSTERS, NEW_CLUSTER, NEW_PROVIDER, providerBody } from "./bodies";
import { call, Clock, seconds, until } from "./call";

const { Request: originalRequest, Response: originalResponse } = globalThis;

const running: Simulator[] = [];
async function start(options: Parameters<typeof startSimulator>[0] = {}): Promise<Simulator> {
  const simulator = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0, ...options });
  running.push(simulator);
  return simulator;
}
afterEach(() => Promise.all(running.splice(0).map((simulator) => simulator.close())));

describe("the embedded service", () => {
  test("listens on a free port of the loopback address with a random token by default", async () => {
    const [one, other] = [await start(), await start()];
    expect(one.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(one.url).not.toBe(other.url);
    expect(one.token).toMatch(/^[A-Za-z0-9_-]{32}$/);
    expect(one.token).not.toBe(other.token);
    expect((await call({ url: one.url, token: other.token }, "GET", CLUSTERS)).status).toBe(401);
  });

  test.each([
    ["0.0.0.0", "127.0.0.1"],
    ["localhost", ""],
    ["::1", "[::1]"],
    ["::", "[::1]"],
  ])("listens on %s, and has a URL that this machine can reach", async (host, hostInUrl) => {
    const simulator = await start({ host });
    expect(simulator.url).toContain(`//${hostInUrl}`);
    expect((await call(simulator, "GET", CLUSTERS)).status).toBe(200);
  });

  test("reports a port in use, with the way out", async () => {
    const { url } = await start();
    const port = Number(new URL(url).port);
    await expect(startSimulator({ port })).rejects.toMatchObject({
      code: "INVALID_SETTING",
      message: `cannot listen on 127.0.0.1, port ${port}: another program uses the port; choose another port, or 0 for any free port`,
    });
  });

  test("reports an address that is not of this machine", async () => {
    await expect(startSimulator({ host: "192.0.2.1" })).rejects.toMatchObject({
      code: "INVALID_SETTING",
      message: expect.stringContaining("cannot listen on 192.0.2.1, port 0: this machine has no such address") as string,
    });
  });

  test.each<[object, string]>([
    [{ port: 65536 }, "'port' must be a whole number from 0 to 65535, got 65536"],
    [{ provisionSeconds: -1 }, "'provisionSeconds' must be a number of seconds, 0 or more, got -1"],
    [{ deleteSeconds: NaN }, "'deleteSeconds' must be a number of seconds, 0 or more, got NaN"],
    [{ keepRequests: 0.5 }, "'keepRequests' must be a whole number, 0 or more, got 0.5"],
    [{ faults: [{ kind: "explode" }] }, "fault: 'kind' must be one of"],
    [{ faults: [{ kind: "drop", path: "clusters" }] }, "fault: 'path' must begin with /, got \"clusters\""],
  ])("refuses the options %j as the command does", async (options, message) => {
    await expect(startSimulator(options)).rejects.toMatchObject({
      code: "INVALID_SETTING",
      message: expect.stringContaining(message) as string,
    });
  });

  test.each([
    ["", "got nothing"],
    ["a b", "got one with white space in it"],
    ["grün", "got one with other characters in it"],
  ])("refuses the token '%s', which no request of this package could have", async (token, got) => {
    await expect(startSimulator({ token })).rejects.toMatchObject({
      code: "INVALID_SETTING",
      message: `the token must be one line of visible ASCII characters, ${got}`,
    });
  });

  test("serves TLS with the given key and certificate", async () => {
    const simulator = await start({ tls: localhostTls });
    expect(simulator.url).toMatch(/^https:\/\/127\.0\.0\.1:/);
    const status = await new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${simulator.token}` };
      const sent = request(simulator.url + CLUSTERS, { ca: localhostTls.cert, headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      sent.on("error", reject).end();
    });
    expect(status).toBe(200);
    await expect(call(simulator, "GET", CLUSTERS)).rejects.toThrow("fetch failed");
  });
});

describe("the service records", () => {
  test("every request in the order of arrival, with its body as sent", async () => {
    const clock = new Clock();
    const simulator = await start({ now: clock.now });
    await call(simulator, "POST", NEW_PROVIDER, providerBody());
    await call(simulator, "POST", NEW_CLUSTER, "{broken");
    await call(simulator, "GET", `${CLUSTERS}?phase=Pending`);
    await call(simulator, "GET", "/nowhere", undefined, "wrong");
    expect(simulator.requests).toEqual([
      { at: clock.now(), method: "POST", path: NEW_PROVIDER, status: 201, body: providerBody(), authorized: true },
      expect.objectContaining({
        path: NEW_CLUSTER,
        status: 400,
        body: undefined,
        refusal: { code: "MALFORMED_BODY", message: "the body is not JSON" },
      }),
      expect.objectContaining({ path: `${CLUSTERS}?phase=Pending`, status: 200 }),
      expect.objectContaining({ path: "/nowhere", status: 401, authorized: false }),
    ]);
  });

  test("only the latest requests, if their number is limited", async () => {
    const simulator = await start({ keepRequests: 2 });
    for (const path of ["/1", "/2", "/3"]) await call(simulator, "GET", path);
    expect(simulator.requests.map(({ path }) => path)).toEqual(["/2", "/3"]);
  });

  test("the live objects, with their posted bodies", async () => {
    const simulator = await start();
    await call(simulator, "POST", NEW_PROVIDER, providerBody());
    await call(simulator, "POST", NEW_CLUSTER, clusterBody("prod"));
    expect(simulator.providers).toMatchObject([{ kind: "providers", type: "capvs", name: "eu", body: providerBody() }]);
    expect(simulator.clusters).toMatchObject([
      { kind: "clusters", type: "capvs", name: "prod", provider: "eu", body: clusterBody("prod") },
    ]);
  });
});

describe("a test", () => {
  test("can add a foreign object", async () => {
    const simulator = await start();
    simulator.add("clusters", "capvs", clusterBody("foreign", "elsewhere"));
    expect((await call(simulator, "GET", CLUSTERS)).json).toMatchObject({
      items: [{ clusterName: "foreign", providerConfigID: "elsewhere", phase: "Provisioned" }],
    });
    simulator.add("providers", "capvs", providerBody("elsewhere"));
    expect((await call(simulator, "POST", NEW_PROVIDER, providerBody("elsewhere"))).status).toBe(409);
    expect(simulator.events.map(({ action, name }) => [action, name])).toEqual([
      ["created", "foreign"],
      ["created", "elsewhere"],
    ]);
    expect(() => simulator.add("clusters", "capvs", { cluster: {} })).toThrow("'cluster.clusterName' must be a string");
    expect(() => simulator.add("clusters", "capvs", clusterBody("foreign"))).toThrow("a cluster 'foreign' exists already");
  });

  test("can remove an object at once, whoever uses it", async () => {
    const simulator = await start({ deleteSeconds: 3600 });
    simulator.add("providers", "capvs", providerBody());
    simulator.add("clusters", "capvs", clusterBody("prod"));
    await call(simulator, "DELETE", `${CLUSTERS}/prod`);
    simulator.remove("providers", "capvs", "eu");
    simulator.remove("clusters", "capvs", "prod");
    expect([...simulator.providers, ...simulator.clusters]).toEqual([]);
    expect(simulator.events.filter(({ action }) => action === "deleted")).toHaveLength(2);
    expect(() => simulator.remove("clusters", "capvs", "prod")).toThrow("there is no 'prod' among the capvs clusters");
    simulator.add("clusters", "capvs", clusterBody("prod"));
    expect(() => simulator.remove("clusters", "capov", "prod")).toThrow("there is no 'prod' among the capov clusters");
  });
});

test("an object that is removed during its deletion does not take its successor along", async () => {
  const clock = new Clock();
  const simulator = await start({ deleteSeconds: 10, now: clock.now });
  simulator.add("clusters", "capvs", clusterBody("prod"));
  await call(simulator, "DELETE", `${CLUSTERS}/prod`);
  simulator.remove("clusters", "capvs", "prod");
  simulator.add("clusters", "capvs", clusterBody("prod"));
  clock.pass(10);
  expect(simulator.clusters).toHaveLength(1);
  expect(simulator.events.map(({ action }) => action)).toEqual(["created", "deleted", "created"]);
});

describe("hooks", () => {
  test("let a test act before a request's work, and after it but before its answer", async () => {
    const simulator = await start();
    simulator.add("providers", "capvs", providerBody());
    const seen: unknown[] = [];
    simulator.onRequest = async ({ method, path, status }) => {
      await seconds(0.02);
      seen.push(["before", method, path, status, simulator.clusters.length]);
    };
    simulator.onResponse = async ({ status }) => {
      seen.push(["after", status, simulator.clusters.length]);
      await seconds(0.05);
      seen.push("about to answer");
    };
    await call(simulator, "POST", NEW_CLUSTER, clusterBody("prod"));
    seen.push("answered");
    expect(seen).toEqual([["before", "POST", NEW_CLUSTER, undefined, 0], ["after", 201, 1], "about to answer", "answered"]);
  });

  test("let another owner be faster", async () => {
    const simulator = await start({
      onRequest: ({ method }) => {
        if (method === "POST") simulator.add("clusters", "capvs", clusterBody("prod", "theirs"));
      },
    });
    simulator.add("providers", "capvs", providerBody());
    expect((await call(simulator, "POST", NEW_CLUSTER, clusterBody("prod"))).status).toBe(409);
    expect(simulator.clusters).toMatchObject([{ name: "prod", provider: "theirs" }]);
  });

  test("are called for a request with a fault, too", async () => {
    const statuses: unknown[] = [];
    const simulator = await start({ onResponse: ({ status, fault }) => void statuses.push([status, fault]) });
    simulator.inject({ kind: "drop", times: 1 });
    simulator.inject({ kind: "status", status: 502, times: 1 });
    await call(simulator, "GET", CLUSTERS).catch(() => {});
    await call(simulator, "GET", CLUSTERS);
    expect(statuses).toEqual([
      [undefined, "drop"],
      [502, "status"],
    ]);
  });

  test("that throw are reported to the client", async () => {
    const simulator = await start({
      onRequest: () => {
        throw new Error("the test is wrong");
      },
    });
    expect(await call(simulator, "GET", CLUSTERS)).toMatchObject({
      status: 500,
      json: { error: { code: "INTERNAL", message: "the test is wrong" } },
    });
  });
});

describe("closing", () => {
  test("cuts every connection at once, including hanging and idle ones, and handles nothing afterwards", async () => {
    const simulator = await start();
    simulator.add("providers", "capvs", providerBody());
    simulator.inject({ kind: "hang", method: "GET" });
    simulator.inject({ kind: "slow", seconds: 0.2, method: "POST" });
    const hanging = call(simulator, "GET", CLUSTERS).catch((error: Error) => error.message);
    const slow = call(simulator, "POST", NEW_CLUSTER, clusterBody("prod")).catch((error: Error) => error.message);
    await until(() => simulator.requests.length === 2);
    await simulator.close();
    expect(await hanging).toBe("fetch failed");
    expect(await slow).toBe("fetch failed");
    await seconds(0.25);
    expect(simulator.clusters).toEqual([]);
    await expect(call(simulator, "GET", CLUSTERS)).rejects.toThrow("fetch failed");
  });

  test("does not handle a request that a hook holds", async () => {
    let letGo = () => {};
    const gate = new Promise<void>((open) => (letGo = open));
    const simulator = await start({ onRequest: () => gate });
    const held = call(simulator, "POST", NEW_PROVIDER, providerBody()).catch((error: Error) => error.message);
    await until(() => simulator.requests.length === 1);
    await simulator.close();
    expect(await held).toBe("fetch failed");
    letGo();
    await seconds(0.05);
    expect(simulator.events).toEqual([]);
  });

  test("can be repeated", async () => {
    const simulator = await start();
    await Promise.all([simulator.close(), simulator.close()]);
    await simulator.close();
  });

  test("does not change the globals of the program", async () => {
    await start();
    expect(globalThis.Request).toBe(originalRequest);
    expect(globalThis.Response).toBe(originalResponse);
  });
});

test("the service continues when a client leaves in the middle of its request", async () => {
  const simulator = await start();
  const body = new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode('{"cluster": ')) });
  const client = new AbortController();
  const { signal } = client;
  const headers = { authorization: `Bearer ${simulator.token}` };
  const left = fetch(simulator.url + NEW_CLUSTER, { method: "POST", headers, body, signal, duplex: "half" } as RequestInit);
  await until(() => simulator.requests.length === 1);
  client.abort();
  await expect(left).rejects.toThrow();
  expect(simulator.requests).toMatchObject([{ method: "POST", status: undefined }]);
  const list = (await call(simulator, "GET", CLUSTERS)).json as ClusterListReply;
  expect(list).toEqual({ items: [], count: 0 });
});
