import { type Simulator, startSimulator } from "../../src/simulator";
import { clusterBody, CLUSTERS, NEW_CLUSTER, NEW_PROVIDER, providerBody } from "./bodies";
import { call } from "./call";

let simulator: Simulator;
beforeEach(async () => {
  simulator = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0 });
});
afterEach(() => simulator.close());

const FAULTS = "/_simulator/faults";

test("faults can be switched on, listed, and switched off one by one or all", async () => {
  const fault = { kind: "status", status: 503, method: "GET", path: CLUSTERS, times: 2 };
  const { status, json } = await call(simulator, "POST", FAULTS, fault);
  expect({ status, json }).toEqual({ status: 201, json: { id: 1, ...fault, remaining: 2 } });
  expect((await call(simulator, "POST", FAULTS, { kind: "drop", method: "DELETE" })).json).toEqual({
    id: 2,
    kind: "drop",
    method: "DELETE",
    remaining: null,
  });
  simulator.inject({ kind: "drop", path: /^\/nowhere/i });

  expect((await call(simulator, "GET", CLUSTERS)).status).toBe(503);
  expect((await call(simulator, "GET", FAULTS)).json).toMatchObject([
    { id: 1, remaining: 1 },
    { id: 2 },
    { id: 3, path: "/^\\/nowhere/i" },
  ]);

  expect((await call(simulator, "DELETE", `${FAULTS}/1`)).status).toBe(204);
  expect((await call(simulator, "DELETE", `${FAULTS}/1`)).json).toMatchObject({
    error: { code: "NOT_FOUND", message: "there is no fault 1" },
  });
  expect((await call(simulator, "GET", CLUSTERS)).status).toBe(200);
  expect((await call(simulator, "DELETE", FAULTS)).status).toBe(204);
  expect((await call(simulator, "GET", FAULTS)).json).toEqual([]);
});

test("an invalid fault is refused with its errors", async () => {
  expect(
    (await call(simulator, "POST", FAULTS, { kind: "slow", seconds: "2", when: "later", method: "get" })).json,
  ).toMatchObject({
    error: {
      code: "INVALID_BODY",
      message: expect.stringContaining("the body is not valid for a fault: ") as string,
      details: expect.arrayContaining([
        { field: "method", message: "must be in capitals" },
        { field: "when", message: "must be before or after" },
        { field: "seconds", message: "must be a number, but is a string" },
      ]) as unknown,
    },
  });
  expect((await call(simulator, "GET", FAULTS)).json).toEqual([]);
});

test("the log shows what happened, in order, without bodies", async () => {
  const secret = "hunter2";
  await call(
    simulator,
    "POST",
    NEW_PROVIDER,
    providerBody("eu", { connectInfo: { url: "vc:443", user: secret, passwd: secret } }),
  );
  await call(simulator, "POST", NEW_CLUSTER, clusterBody("prod"));
  simulator.inject({ kind: "drop", times: 1 });
  await call(simulator, "GET", CLUSTERS).catch(() => {});
  await call(simulator, "DELETE", `${CLUSTERS}/test`);
  await call(simulator, "DELETE", `${CLUSTERS}/prod`, undefined, "wrong");

  const { json, text } = await call(simulator, "GET", "/_simulator/log");
  const at: unknown = expect.any(Number);
  expect(json).toEqual({
    requests: [
      { at, method: "POST", path: NEW_PROVIDER, status: 201, authorized: true },
      { at, method: "POST", path: NEW_CLUSTER, status: 201, authorized: true },
      { at, method: "GET", path: CLUSTERS, authorized: true, fault: "drop" },
      {
        at,
        method: "DELETE",
        path: `${CLUSTERS}/test`,
        status: 404,
        authorized: true,
        refusal: { code: "NOT_FOUND", message: "there is no cluster 'test'" },
      },
      {
        at,
        method: "DELETE",
        path: `${CLUSTERS}/prod`,
        status: 401,
        authorized: false,
        refusal: { code: "UNAUTHORIZED", message: "the request has no bearer token, or a wrong one" },
      },
    ],
    events: [
      { at, action: "created", kind: "providers", type: "capvs", name: "eu" },
      { at, action: "created", kind: "clusters", type: "capvs", name: "prod" },
    ],
  });
  expect(text).not.toContain(secret);
});
