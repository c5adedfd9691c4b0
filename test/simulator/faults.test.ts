import { type Fault, parseFault, type Simulator, startSimulator } from "../../src/simulator";
import { clusterBody, CLUSTERS, NEW_CLUSTER, providerBody, PROVIDERS } from "./bodies";
import { call } from "./call";

let simulator: Simulator;
beforeEach(async () => {
  simulator = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0 });
  simulator.add("providers", "capvs", providerBody());
});
afterEach(() => simulator.close());

const list = () => call(simulator, "GET", CLUSTERS);
const create = () => call(simulator, "POST", NEW_CLUSTER, clusterBody("prod"));
const created = () => simulator.clusters.map(({ name }) => name);

describe("the effect of a fault", () => {
  test("status: answers with this status, and does not handle the request", async () => {
    simulator.inject({ kind: "status", status: 503, retryAfterSeconds: 7, headers: { "X-Proxy": "p1" } });
    const { status, headers, json } = await create();
    expect(status).toBe(503);
    expect([headers.get("retry-after"), headers.get("x-proxy")]).toEqual(["7", "p1"]);
    expect(json).toEqual({ error: { code: "REHEARSED", message: "a rehearsed failure with status 503" } });
    expect(created()).toEqual([]);
    expect(simulator.requests.at(-1)).toMatchObject({ status: 503, fault: "status" });
  });

  test("status: answers with a given body", async () => {
    simulator.inject({ kind: "status", status: 200, body: { items: [], count: 0 } });
    expect(await list()).toMatchObject({ status: 200, json: { items: [], count: 0 } });
  });

  test("status: 204 has no body", async () => {
    simulator.inject({ kind: "status", status: 204 });
    expect(await create()).toMatchObject({ status: 204, text: "" });
  });

  test("status after: handles the request and denies it", async () => {
    simulator.inject({ kind: "status", status: 504, when: "after" });
    expect((await create()).status).toBe(504);
    expect(created()).toEqual(["prod"]);
  });

  test("drop: sends no answer, and does not handle the request", async () => {
    simulator.inject({ kind: "drop" });
    await expect(create()).rejects.toThrow("fetch failed");
    expect(created()).toEqual([]);
    expect(simulator.requests.at(-1)).toMatchObject({ method: "POST", status: undefined, fault: "drop" });
  });

  test("drop after: sends no answer, and handles the request", async () => {
    simulator.inject({ kind: "drop", when: "after" });
    await expect(create()).rejects.toThrow("fetch failed");
    expect(created()).toEqual(["prod"]);
  });

  test("cut: sends half an answer, and handles the request", async () => {
    simulator.inject({ kind: "cut" });
    const response = await fetch(simulator.url + NEW_CLUSTER, {
      method: "POST",
      headers: { authorization: `Bearer ${simulator.token}` },
      body: JSON.stringify(clusterBody("prod")),
    });
    expect(response.status).toBe(201);
    await expect(response.text()).rejects.toThrow("terminated");
    expect(created()).toEqual(["prod"]);
    expect(simulator.requests.at(-1)!.status).toBeUndefined();
  });

  test("hang: sends no answer until the client gives up, and others are served meanwhile", async () => {
    simulator.inject({ kind: "hang", method: "POST" });
    const signal = AbortSignal.timeout(200);
    const headers = { authorization: `Bearer ${simulator.token}` };
    const hanging = fetch(simulator.url + NEW_CLUSTER, { method: "POST", headers, body: "{}", signal });
    expect((await list()).status).toBe(200);
    await expect(hanging).rejects.toThrow("aborted due to timeout");
    expect(created()).toEqual([]);
  });

  test("hang after: handles the request", async () => {
    simulator.inject({ kind: "hang", when: "after" });
    const headers = { authorization: `Bearer ${simulator.token}` };
    const body = JSON.stringify(clusterBody("prod"));
    const client = new AbortController();
    simulator.onResponse = () => client.abort();
    await expect(fetch(simulator.url + NEW_CLUSTER, { method: "POST", headers, body, signal: client.signal })).rejects.toThrow(
      "aborted",
    );
    expect(created()).toEqual(["prod"]);
  });

  test("slow: sends the real answer later", async () => {
    simulator.inject({ kind: "slow", seconds: 0.2 });
    expect((await create()).status).toBe(201);
    expect(simulator.events.at(-1)!.at - simulator.requests.at(-1)!.at).toBeGreaterThanOrEqual(195);
  });

  test("slow after: handles the request at once", async () => {
    simulator.inject({ kind: "slow", seconds: 0.2, when: "after" });
    expect((await create()).status).toBe(201);
    expect(Date.now() - simulator.events.at(-1)!.at).toBeGreaterThanOrEqual(195);
  });

  test("garbage: sends 200 and a body that is not JSON", async () => {
    simulator.inject({ kind: "garbage" });
    const { status, headers, text } = await list();
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/json");
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
  });

  test("truncated: sends the first half of the real answer as a complete body", async () => {
    const { text: whole } = await list();
    simulator.inject({ kind: "truncated" });
    const { status, text } = await list();
    expect(status).toBe(200);
    expect(whole.startsWith(text)).toBe(true);
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
  });

  test.each([undefined, 200, 404, 502] as const)("html with status %p: sends the page of a proxy", async (status) => {
    simulator.inject({ kind: "html", status });
    const answer = await create();
    expect(answer.status).toBe(status ?? 200);
    expect(answer.headers.get("content-type")).toMatch(/^text\/html/);
    expect(answer.text).toMatch(/^<!DOCTYPE html>/);
    expect(created()).toEqual([]);
  });

  test.each([0, 1, 2, 5])("partial-list of %d: sends fewer items than the count", async (count) => {
    for (let index = 0; index < count; index++) simulator.add("clusters", "capvs", clusterBody(`c${index}`));
    simulator.inject({ kind: "partial-list" });
    const { items, count: counted } = (await list()).json as { items: unknown[]; count: number };
    expect(items.length).toBeLessThan(counted);
    expect(counted).toBe(Math.max(count, 1));
  });

  test("partial-list: does not change other answers", async () => {
    simulator.inject({ kind: "partial-list" });
    expect(await create()).toMatchObject({ status: 201, json: { id: "prod" } });
    expect(await call(simulator, "DELETE", `${CLUSTERS}/prod`)).toMatchObject({ status: 204, text: "" });
    expect(await call(simulator, "DELETE", `${CLUSTERS}/prod`)).toMatchObject({ status: 404 });
    expect((await call(simulator, "GET", PROVIDERS)).json).toHaveLength(7);
  });

  test("a fault before the request also comes before the authorization, as with a proxy", async () => {
    simulator.inject({ kind: "status", status: 429 });
    expect((await call(simulator, "GET", CLUSTERS, undefined, "wrong")).status).toBe(429);
  });
});

describe("the requests that a fault applies to", () => {
  const meets = async (fault: Partial<Fault>, method: string, path: string) => {
    const injected = simulator.inject({ kind: "status", status: 418, ...fault } as Fault);
    const { status } = await call(simulator, method, path);
    injected.cancel();
    return status === 418;
  };

  test("are all by default", async () => {
    expect(await meets({}, "GET", CLUSTERS)).toBe(true);
    expect(await meets({}, "PUT", "/nowhere")).toBe(true);
  });

  test("are those of its method", async () => {
    expect(await meets({ method: "DELETE" }, "DELETE", `${CLUSTERS}/prod`)).toBe(true);
    expect(await meets({ method: "DELETE" }, "GET", CLUSTERS)).toBe(false);
  });

  test("are those whose path begins like its own, or matches its expression", async () => {
    expect(await meets({ path: CLUSTERS }, "DELETE", `${CLUSTERS}/prod`)).toBe(true);
    expect(await meets({ path: `${CLUSTERS}/` }, "GET", CLUSTERS)).toBe(false);
    expect(await meets({ path: "/clusters" }, "GET", CLUSTERS)).toBe(false);
    const path = /\/clusters$/g;
    expect(await meets({ path }, "GET", CLUSTERS)).toBe(true);
    expect(await meets({ path }, "GET", CLUSTERS)).toBe(true);
    expect(await meets({ path }, "DELETE", `${CLUSTERS}/prod`)).toBe(false);
  });

  test("are never those to the control endpoints", async () => {
    expect(await meets({}, "GET", "/_simulator/log")).toBe(false);
  });

  test("are those after the skipped ones, as many times as it says", async () => {
    const fault = simulator.inject({ kind: "status", status: 500, method: "GET", skip: 2, times: 2 });
    const statuses: number[] = [];
    for (let index = 0; index < 6; index++) {
      statuses.push((await list()).status);
      if (index === 0) expect((await create()).status).toBe(201);
    }
    expect(statuses).toEqual([200, 200, 500, 500, 200, 200]);
    expect(fault.remaining).toBe(0);
  });

  test("get the fault that was injected first, then the next one", async () => {
    simulator.inject({ kind: "status", status: 500, times: 1 });
    simulator.inject({ kind: "status", status: 503, skip: 1, times: 1 });
    expect([(await list()).status, (await list()).status, (await list()).status, (await list()).status]).toEqual([
      500, 200, 503, 200,
    ]);
  });

  test("are matched until it is cancelled or healed", async () => {
    const first = simulator.inject({ kind: "status", status: 500 });
    const second = simulator.inject({ kind: "status", status: 502 });
    expect(first.remaining).toBe(Infinity);
    expect((await list()).status).toBe(500);
    first.cancel();
    expect(first.remaining).toBe(0);
    expect((await list()).status).toBe(502);
    simulator.heal();
    expect(second.remaining).toBe(0);
    expect((await list()).status).toBe(200);
  });
});

describe("the text form of a fault", () => {
  test.each<[string, Fault]>([
    ["drop", { kind: "drop" }],
    ["GET hang", { kind: "hang", method: "GET" }],
    [
      "POST /api/v1/platform/providers/clusters drop after times=1",
      { kind: "drop", method: "POST", path: "/api/v1/platform/providers/clusters", when: "after", times: 1 },
    ],
    [
      "  /api/v1/clusters   status=503 retry-after=1.5 skip=2 times=3 ",
      { kind: "status", status: 503, path: "/api/v1/clusters", retryAfterSeconds: 1.5, skip: 2, times: 3 },
    ],
    ["slow=0.5", { kind: "slow", seconds: 0.5 }],
    ["html", { kind: "html" }],
    ["html=502 before", { kind: "html", status: 502, when: "before" }],
    ["partial-list", { kind: "partial-list" }],
  ])("%j is parsed", (text, fault) => {
    expect(parseFault(text)).toEqual(fault);
  });

  test.each([
    ["", "'kind' must be one of status, drop, cut, hang, slow, garbage, truncated, html or partial-list"],
    ["GET", "'kind' must be one of"],
    ["explode", /'kind' must be one of .*, got "explode"; for example/],
    ["status", "'status' must be a number, but is missing"],
    ["status=42", "'status' must be a status from 200 to 599"],
    ["status=abc", "'status' must be a number, but is a string"],
    ["status=500.5", "'status' must be a whole number, but has a fraction"],
    ["times= drop", "'times' must be a number, but is a string"],
    ["slow", "'seconds' must be a number, but is missing"],
    ["slow=-1", "'seconds' must be at least 0"],
    ["html=500", "'status' must be 200, 404 or 502"],
    ["drop times=0", "'times' must be at least 1"],
    ["drop times", "'times' must be a number, but is a string"],
    ["times=2x drop", "'times' must be a number, but is a string"],
    ["drop skip=-1", "'skip' must be at least 0"],
    ["drop=1", "'drop'"],
    ["hang retry-after=1", "'retryAfterSeconds'"],
  ])("refuses %j", (text, says) => {
    expect(() => parseFault(text)).toThrow(
      expect.objectContaining({ code: "INVALID_SETTING", message: expect.stringContaining(`fault '${text}': `) as string }),
    );
    expect(() => parseFault(text)).toThrow(says);
  });
});
