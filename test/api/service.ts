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
  readonly connections: () => number;
}

/** A reply: status, headers and body (text, or a value to be sent as JSON), or a function that writes the response. */
export type Answer =
  | { status?: number; headers?: Record<string, string>; body?: unknown }
  | ((response: ServerResponse, request: Received) => unknown);

const open: (() => Promise<void>)[] = [];

export async function closeAll(): Promise<void> {
  for (const close of open.splice(0)) await close();
}

/** Starts an HTTP server on loopback. It gives the answers in turn and repeats the last one. */
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

/** A client with the settings of a hook. */
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

export async function failureOf(promise: Promise<unknown>): Promise<Error & Record<string, unknown>> {
  try {
    await promise;
  } catch (error) {
    return error as Error & Record<string, unknown>;
  }
  throw new Error("it did not fail");
}

export const NO_CLUSTERS: Answer = { body: { items: [], count: 0 } };
