import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { createServer, type AddressInfo, type Socket } from "node:net";
import type { Connection } from "../../../src/api/connection";
import { Transport } from "../../../src/api/http/transport";
import { closeAll, failureOf, NO_CLUSTERS, serve } from "../service";

const cleanups: (() => unknown)[] = [closeAll];
afterEach(async () => {
  for (const cleanup of [...cleanups.splice(1), closeAll]) await cleanup();
});

function transportTo(connection: Partial<Connection> & { url: string }): Transport {
  const transport = new Transport({ insecureSkipVerify: false, requestSeconds: 60, warnings: [], ...connection });
  cleanups.push(() => transport.close());
  return transport;
}

const get = { method: "GET", path: "/api/v1/clusters", headers: {} } as const;

async function silentProxy() {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket.on("error", () => undefined)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(() => {
    sockets.forEach((socket) => socket.destroy());
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("a request that was aborted or timed out is not sent, even if a connection is open", async () => {
  const service = await serve(NO_CLUSTERS);
  const transport = transportTo(service);
  await transport.send(get);
  expect(await failureOf(transport.send({ ...get, signal: AbortSignal.abort() }))).toMatchObject({
    reason: "interrupted",
    sent: false,
  });
  expect(await failureOf(transport.send({ ...get, limitMs: 0 }))).toMatchObject({ reason: "deadline", sent: false });
  await transport.send(get);
  expect(service.requests).toHaveLength(2);
});

test("a connection attempt that does not succeed is given up, and nothing is sent", async () => {
  const transport = transportTo({ url: "https://platform.test", proxy: await silentProxy(), requestSeconds: 0.4 });
  const started = Date.now();
  const error = await failureOf(transport.send(get));
  expect(error).toMatchObject({ reason: "failed", sent: false, cause: { code: "UND_ERR_CONNECT_TIMEOUT" } });
  expect(Date.now() - started).toBeLessThan(5_000);
});

describe("an answer that arrives byte by byte", () => {
  /** Sends one byte at a time until the connection closes. */
  const drip = (status: number, closed?: () => void) => (response: ServerResponse) => {
    response.writeHead(status);
    const timer = setInterval(() => response.write("["), 100);
    response.on("close", () => {
      clearInterval(timer);
      closed?.();
    });
  };

  test("is given up on timeout, and its connection is closed", async () => {
    let close = () => {};
    const closed = new Promise<void>((resolve) => (close = resolve));
    const service = await serve([drip(200, close), NO_CLUSTERS]);
    const transport = transportTo({ url: service.url, requestSeconds: 0.5 });
    const started = Date.now();
    const error = await failureOf(transport.send(get));
    expect(error).toMatchObject({ reason: "failed", sent: true, status: 200, cause: { code: "REQUEST_TIMEOUT" } });
    expect(Date.now() - started).toBeGreaterThanOrEqual(490);
    expect(Date.now() - started).toBeLessThan(1_500);
    await closed;
    expect(await transport.send(get)).toMatchObject({ status: 200 });
  });

  test("is a refusal if its status is, even if its body is truncated", async () => {
    const service = await serve(drip(409));
    const reply = await transportTo({ url: service.url, requestSeconds: 0.5 }).send(get);
    expect(reply).toMatchObject({ status: 409, text: "" });
  });
});

test("a request may take weeks", async () => {
  expect(await transportTo({ ...(await serve(NO_CLUSTERS)), requestSeconds: 1e9 }).send(get)).toMatchObject({ status: 200 });
});

test("an answer in pieces is joined before it is decoded", async () => {
  const bytes = Buffer.from('{"name":"käse🧀"}');
  const service = await serve(async (response) => {
    for (const byte of bytes) {
      response.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  });
  expect((await transportTo(service).send(get)).text).toBe(bytes.toString());
});
