import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { PlatformClient, type PlatformClientOptions } from "../../src/api/client";
import { credentials } from "../../src/api/credentials";
import { connection, type ConnectionLiterals } from "../../src/api/connection";

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Service {
  readonly url: string;
  readonly port: number;
  readonly requests: Received[];
  /** How many connections were opened. */
  readonly connections: () => number;
}

/** What to answer: a status and a body (text, or what becomes JSON), or whatever is done with the response. */
export type Answer =
  | { status?: number; headers?: Record<string, string>; body?: unknown }
  | ((response: ServerResponse, request: Received) => unknown);

const open: (() => Promise<void>)[] = [];

/** Ends the servers and clients of a test. */
export async function closeAll(): Promise<void> {
  for (const close of open.splice(0)) await close();
}

/** An HTTP server on loopback that gives the answers in turn, the last one for good. */
export async function serve(answers: Answer | Answer[], tls?: { key: string; cert: string }): Promise<Service> {
  const list = Array.isArray(answers) ? [...answers] : [answers];
  const requests: Received[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const listener = async (incoming: IncomingMessage, response: ServerResponse) => {
    const body = await new Response(incoming as unknown as ReadableStream).text();
    const request = { method: incoming.method!, path: incoming.url!, headers: incoming.headers, body };
    requests.push(request);
    const answer = list.length > 1 ? list.shift()! : list[0]!;
    if (typeof answer === "function") return answer(response, request);
    const { status = 200, headers = {}, body: reply = "" } = answer;
    response.writeHead(status, headers).end(typeof reply === "string" ? reply : JSON.stringify(reply));
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  server.on("connection", (socket) => {
    connections++;
    sockets.add(socket.on("close", () => sockets.delete(socket)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  open.push(async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `${tls ? "https" : "http"}://127.0.0.1:${port}`, port, requests, connections: () => connections };
}

export const TOKEN = "test-token-1";

/** A client of a service, as a hook would make it. */
export function clientOf(
  url: string,
  {
    literals = {},
    env = {},
    ...options
  }: Partial<PlatformClientOptions> & { literals?: ConnectionLiterals; env?: NodeJS.ProcessEnv } = {},
): PlatformClient {
  const client = new PlatformClient({
    connection: connection({ url, ...literals }, env),
    credentials: credentials({ CLUSTER_PLATFORM_TOKEN: TOKEN }),
    ...options,
  });
  open.push(() => client.close());
  return client;
}

/** The error that a promise is rejected with. */
export async function failureOf(promise: Promise<unknown>): Promise<Error & Record<string, unknown>> {
  try {
    await promise;
  } catch (error) {
    return error as Error & Record<string, unknown>;
  }
  throw new Error("it did not fail");
}

export const NO_CLUSTERS: Answer = { body: { items: [], count: 0 } };
