import { createServer } from "node:net";
import { isAmbiguous } from "../../../src/api/client";
import { backoff, retryAfter } from "../../../src/api/http/retry";
import { type Answer, clientOf, closeAll, failureOf, NO_CLUSTERS, serve, TOKEN } from "../service";

afterEach(closeAll);

const drop: Answer = (response) => response.destroy();
const hang: Answer = () => undefined;
const drip: Answer = (response) => {
  const timer = setInterval(() => response.write(" "), 100);
  response.on("close", () => clearInterval(timer));
};
const cut: Answer = (response) => {
  response.writeHead(201, { "content-length": "100" });
  response.write('{"clusterName":', () => response.destroy());
};
const unwell = (status: number): Answer => ({ status, headers: { "retry-after": "0" } });
const page: Answer = { headers: { "content-type": "text/html" }, body: "<html><head><title>Sign in</title></head></html>" };
const garbage: Answer = { headers: { "content-type": "application/json" }, body: "}{" };

async function deadPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe("every request", () => {
  test("has the token and asks for JSON, over one kept-alive connection", async () => {
    const service = await serve([NO_CLUSTERS, NO_CLUSTERS, { status: 201, body: { clusterName: "prod" } }]);
    const client = clientOf(service.url);
    await client.listClusters();
    await client.listClusters();
    await client.createCluster("capvs", { cluster: { clusterName: "prod" } });
    expect(service.connections()).toBe(1);
    for (const { headers } of service.requests) {
      expect(headers).toMatchObject({ authorization: `Bearer ${TOKEN}`, accept: "application/json" });
    }
    expect(service.requests[2]).toMatchObject({
      method: "POST",
      path: "/api/v1/platform/providers/clusters/capvs",
      headers: { "content-type": "application/json" },
      body: '{"cluster":{"clusterName":"prod"}}',
    });
  });

  test("keeps the base path of the URL", async () => {
    const service = await serve(NO_CLUSTERS);
    await clientOf(`${service.url}/base/`).listClusters();
    expect(service.requests[0]!.path).toBe("/base/api/v1/clusters");
  });
});

describe("GET and DELETE are repeated", () => {
  test.each([408, 425, 429, 500, 502, 503, 504])("after status %i", async (status) => {
    const service = await serve([unwell(status), unwell(status), NO_CLUSTERS]);
    await clientOf(service.url).listClusters();
    expect(service.requests).toHaveLength(3);
  });

  test("after a broken connection, before the answer and within it", async () => {
    const service = await serve([drop, cut, { status: 204 }]);
    await expect(clientOf(service.url).deleteCluster("prod")).resolves.toBe("done");
    expect(service.requests.map(({ method }) => method)).toEqual(["DELETE", "DELETE", "DELETE"]);
  });

  test("after an answer that does not end, even if it arrives steadily", async () => {
    const service = await serve([drip, drip, NO_CLUSTERS]);
    await clientOf(service.url, { literals: { requestSeconds: 0.5 } }).listClusters();
    expect(service.requests).toHaveLength(3);
  });

  test("six times at most, and the last error is reported", async () => {
    const service = await serve({ status: 503, headers: { "retry-after": "0" }, body: { message: "maintenance" } });
    const error = await failureOf(clientOf(service.url).listClusters());
    expect(service.requests).toHaveLength(6);
    expect(error).toMatchObject({
      code: "SERVICE_ERROR",
      status: 503,
      ambiguous: false,
      message: "GET /api/v1/clusters: 503: maintenance",
    });
  });

  test.each([400, 403, 404, 409, 422])("but not after status %i", async (status) => {
    const service = await serve({ status });
    await expect(clientOf(service.url).listClusters()).rejects.toMatchObject({ name: "ApiError", status });
    expect(service.requests).toHaveLength(1);
  });

  test("after the time in Retry-After", async () => {
    const service = await serve([{ status: 429, headers: { "retry-after": "1" } }, NO_CLUSTERS]);
    const started = Date.now();
    await clientOf(service.url).listClusters();
    expect(Date.now() - started).toBeGreaterThanOrEqual(1000);
  });
});

describe("POST is never repeated once it was sent", () => {
  const cases: [string, Answer, { code: string; ambiguous: boolean }][] = [
    ["a dropped connection", drop, { code: "UNREACHABLE", ambiguous: true }],
    ["an answer that breaks off", cut, { code: "UNREACHABLE", ambiguous: true }],
    ["a 500", { status: 500 }, { code: "SERVICE_ERROR", ambiguous: true }],
    ["a 503 with Retry-After", unwell(503), { code: "SERVICE_ERROR", ambiguous: true }],
    ["a proxy's page with 200", page, { code: "CONTRACT", ambiguous: true }],
    ["a proxy's page with 502", { status: 502, body: "<html>" }, { code: "SERVICE_ERROR", ambiguous: true }],
    ["a garbled 200", garbage, { code: "CONTRACT", ambiguous: true }],
    ["a redirect", { status: 302, headers: { location: "/login" } }, { code: "REDIRECTED", ambiguous: true }],
    ["a 400", { status: 400 }, { code: "REJECTED", ambiguous: false }],
    ["a 401 without another token", { status: 401 }, { code: "UNAUTHORIZED", ambiguous: false }],
    ["a proxy's page with 404", { status: 404, body: "<html>" }, { code: "NOT_FOUND", ambiguous: true }],
    ["a proxy's page with 401", { status: 401, body: "<html>" }, { code: "UNAUTHORIZED", ambiguous: false }],
    ["a 403", { status: 403 }, { code: "FORBIDDEN", ambiguous: false }],
    ["a 408", { status: 408 }, { code: "REJECTED", ambiguous: true }],
    ["a 409", { status: 409 }, { code: "CONFLICT", ambiguous: false }],
    ["a 429 with Retry-After", unwell(429), { code: "RATE_LIMITED", ambiguous: false }],
    [
      "a 409 with a truncated body",
      (response) => {
        response.writeHead(409, { "content-length": "100" });
        response.write("{", () => response.destroy());
      },
      { code: "CONFLICT", ambiguous: false },
    ],
  ];
  test.each(cases)("after %s", async (_, answer, { code, ambiguous }) => {
    const service = await serve(answer);
    const error = await failureOf(clientOf(service.url).createCluster("capvs", {}));
    expect(error).toMatchObject({ code, method: "POST", path: "/api/v1/platform/providers/clusters/capvs" });
    expect(isAmbiguous(error)).toBe(ambiguous);
    expect(service.requests).toHaveLength(1);
  });

  test.each([
    ["silence", hang, "did not answer within 0.5 seconds (requestSeconds)"],
    ["an answer that does not end", drip, "began to answer (200), but did not finish within 0.5 seconds (requestSeconds)"],
  ])("after %s", async (_, answer, said) => {
    const service = await serve(answer);
    const error = await failureOf(clientOf(service.url, { literals: { requestSeconds: 0.5 } }).createCluster("capvs", {}));
    expect(error.message).toContain(said);
    expect(isAmbiguous(error)).toBe(true);
    expect(service.requests).toHaveLength(1);
  });

  test("but is repeated, and the outcome is definite, if no byte was sent", async () => {
    const port = await deadPort();
    const lines: string[] = [];
    const client = clientOf(`http://127.0.0.1:${port}`, { log: (line) => lines.push(line) });
    const error = await failureOf(client.createCluster("capvs", {}, { limitMs: 3_000 }));
    expect(error.code).toBe("DEADLINE_EXCEEDED");
    expect(error.message).toContain(`nothing listens at http://127.0.0.1:${port} (ECONNREFUSED)`);
    expect(isAmbiguous(error)).toBe(false);
    expect(lines.length).toBeGreaterThan(1);
  });

  test("and an empty success is a success", async () => {
    const service = await serve({ status: 201 });
    await expect(clientOf(service.url).createProvider("capvs", {})).resolves.toBeUndefined();
  });
});

describe("the deadline", () => {
  test("limits all attempts together, and the error has the last failure", async () => {
    const service = await serve({ status: 503, body: { message: "not yet" } });
    const started = Date.now();
    const error = await failureOf(clientOf(service.url).listClusters({ limitMs: 1_200 }));
    expect(Date.now() - started).toBeLessThan(1_500);
    expect(error).toMatchObject({ code: "DEADLINE_EXCEEDED", ambiguous: false });
    expect(error.message).toMatch(
      /^GET \/api\/v1\/clusters: timed out after [\d.]+ seconds and [23] attempts; the last failure: 503: not yet$/,
    );
  });

  test("ends a request that hangs, and a POST may still be carried out", async () => {
    const service = await serve(hang);
    const client = clientOf(service.url);
    const error = await failureOf(client.createCluster("capvs", {}, { limitMs: 200 }));
    expect(error.code).toBe("DEADLINE_EXCEEDED");
    expect(isAmbiguous(error)).toBe(true);
  });

  test("is not waited for if the service asks for more time than is left", async () => {
    const service = await serve({ status: 429, headers: { "retry-after": "30" } });
    const started = Date.now();
    const error = await failureOf(clientOf(service.url).listClusters({ limitMs: 20_000 }));
    expect(error.code).toBe("RATE_LIMITED");
    expect(error.message).toBe("GET /api/v1/clusters: 429 (it asks to wait 30 seconds)");
    expect(Date.now() - started).toBeLessThan(1_000);
    expect(service.requests).toHaveLength(1);
  });

  test("and then a deletion that was sent before is not refused by the last answer", async () => {
    const asked = (seconds: string) => ({ "retry-after": seconds });
    const service = await serve([
      { status: 500, headers: asked("0") },
      { status: 429, headers: asked("30") },
    ]);
    const error = await failureOf(clientOf(service.url).deleteCluster("prod", { limitMs: 20_000 }));
    expect(error.code).toBe("DEADLINE_EXCEEDED");
    expect(service.requests).toHaveLength(2);
  });

  test("sends nothing if it has passed", async () => {
    const service = await serve(NO_CLUSTERS);
    const error = await failureOf(clientOf(service.url).createCluster("capvs", {}, { limitMs: 0 }));
    expect(isAmbiguous(error)).toBe(false);
    expect(service.requests).toHaveLength(0);
  });
});

describe("a signal", () => {
  test("ends a request at once; a POST that was sent may still be carried out", async () => {
    const abort = new AbortController();
    const service = await serve(() => abort.abort());
    const error = await failureOf(clientOf(service.url).createCluster("capvs", {}, { signal: abort.signal }));
    expect(error).toMatchObject({ code: "INTERRUPTED", ambiguous: true });
    expect(service.requests).toHaveLength(1);
  });

  test("ends the wait between two attempts", async () => {
    const abort = new AbortController();
    const service = await serve({ status: 503, headers: { "retry-after": "30" } });
    const client = clientOf(service.url, { log: () => setTimeout(() => abort.abort(), 100) });
    const error = await failureOf(client.listClusters({ signal: abort.signal }));
    expect(error).toMatchObject({ code: "INTERRUPTED", ambiguous: false });
    expect(service.requests).toHaveLength(1);
  });

  test("sends nothing if it was given before", async () => {
    const service = await serve(NO_CLUSTERS);
    const error = await failureOf(clientOf(service.url).createCluster("capvs", {}, { signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ code: "INTERRUPTED", ambiguous: false });
    expect(service.requests).toHaveLength(0);
  });

  test("has no listeners left when a request is over", async () => {
    const service = await serve(NO_CLUSTERS);
    const { signal } = new AbortController();
    let listeners = 0;
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    signal.addEventListener = (...args: Parameters<typeof add>) => (listeners++, add(...args));
    signal.removeEventListener = (...args: Parameters<typeof remove>) => (listeners--, remove(...args));
    await clientOf(service.url).listClusters({ signal });
    expect(listeners).toBe(0);
  });
});

describe("a redirect", () => {
  test.each([301, 302, 303, 307, 308])("with %i is not followed, and the token does not go where it points", async (status) => {
    const elsewhere = await serve(NO_CLUSTERS);
    const service = await serve({ status, headers: { location: `${elsewhere.url}/login?session=s3cret` } });
    const error = await failureOf(clientOf(service.url).listClusters());
    expect(error).toMatchObject({ code: "REDIRECTED", status });
    expect(error.message).toContain(`${service.url} redirects to ${elsewhere.url}, and the token is not sent there`);
    expect(error.message).not.toContain("s3cret");
    expect(elsewhere.requests).toHaveLength(0);
    expect(service.requests).toHaveLength(1);
  });
});

describe("the debug log", () => {
  test("has a line for every attempt, with method, path, status, time, attempt and redacted bodies", async () => {
    const service = await serve([
      unwell(503),
      NO_CLUSTERS,
      { status: 201, body: { identityName: "vs", provider: { passwd: "hunter2" } } },
    ]);
    const lines: string[] = [];
    const client = clientOf(service.url, { log: (line) => lines.push(line) });
    await client.listClusters();
    await client.createProvider("capvs", { identityName: "vs", connectInfo: { user: "admin", passwd: "hunter2" } });
    expect(lines).toEqual([
      expect.stringMatching(/^debug: GET \/api\/v1\/clusters: 503 after \d+ ms, attempt 1, reply empty$/),
      expect.stringMatching(/^debug: GET \/api\/v1\/clusters: 200 after \d+ ms, attempt 2, reply \{"items":\[\],"count":0\}$/),
      expect.stringMatching(/^debug: POST .*\/capvs: 201 after \d+ ms, attempt 1, body \{.*\}, reply \{.*\}$/),
    ]);
    expect(lines[2]).toContain('"connectInfo":{"user":"[hidden]","passwd":"[hidden]"}');
    expect(lines.join()).not.toMatch(/hunter2|admin|test-token/);
  });
});

describe("backoff", () => {
  test("doubles from half a second to ten seconds, with jitter", () => {
    const longest = () => 1;
    expect([1, 2, 3, 4, 5, 6, 20].map((attempt) => backoff(attempt, undefined, longest))).toEqual([
      500, 1000, 2000, 4000, 8000, 10000, 10000,
    ]);
    expect(backoff(1, undefined, () => 0)).toBe(250);
  });

  test("is never shorter than the service asks for", () => {
    expect(backoff(1, 3_000, () => 0)).toBe(3_000);
    expect(backoff(1, 3_000, () => 1)).toBe(3_300);
  });
});

describe("Retry-After", () => {
  const now = Date.parse("2026-03-01T12:00:00Z");
  test.each([
    ["7", undefined, 7_000],
    ["0", undefined, 0],
    ["86400", undefined, 60_000],
    ["Sun, 01 Mar 2026 12:00:09 GMT", undefined, 9_000],
    ["Sun, 01 Mar 2026 11:00:00 GMT", undefined, 0],
    // The service's clock is an hour behind. Only the difference between its two times counts.
    ["Sun, 01 Mar 2026 11:00:05 GMT", "Sun, 01 Mar 2026 11:00:00 GMT", 5_000],
    ["soon", undefined, undefined],
    ["", undefined, undefined],
  ])("%p at %p means %p ms", (value, date, expected) => {
    expect(retryAfter({ "retry-after": value, date }, now)).toBe(expected);
  });
});
