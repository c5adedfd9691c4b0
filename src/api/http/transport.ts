import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import type { Connection } from "../connection";

export interface WireRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** Time limit, in milliseconds. @default - none */
  readonly limitMs?: number;
}

export interface WireReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export class TransportFailure extends Error {
  constructor(
    readonly reason: "failed" | "interrupted" | "deadline",
    /** Whether part of the request may have been sent. */
    readonly sent: boolean,
    /** The status of a reply that broke off after it. */
    readonly status: number | undefined,
    override readonly cause: unknown,
  ) {
    super("no reply", { cause });
    this.name = "TransportFailure";
  }
}

/** Time limit of a connection, including the tunnel of a proxy and TLS, in milliseconds. */
const CONNECT_LIMIT_MS = 10_000;
/** Time for one address of a host before the next is tried. Node's 250 ms are too short between continents. */
const ADDRESS_ATTEMPT_MS = 1_000;
/** Far above the size of any list of the service. */
const REPLY_LIMIT_BYTES = 256 * 1024 * 1024;
/** The longest delay of a Node timer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Sends requests to the service over kept-alive connections. It neither repeats a request nor follows redirects. */
export class Transport {
  readonly #origin: string;
  readonly #basePath: string;
  #dispatcher: Promise<Dispatcher> | undefined;

  constructor(private readonly connection: Connection) {
    const { origin, pathname } = new URL(connection.url);
    this.#origin = origin;
    this.#basePath = pathname.replace(/\/$/, "");
  }

  /** @throws TransportFailure */
  async send(request: WireRequest): Promise<WireReply> {
    this.#dispatcher ??= openDispatcher(this.connection, this.#origin);
    const reply = await this.#dispatch(await this.#dispatcher, request);
    // Undici can reuse the connection one turn of the event loop later. A request before that would open a second connection.
    await new Promise((resolve) => setImmediate(resolve));
    return reply;
  }

  #dispatch(dispatcher: Dispatcher, request: WireRequest): Promise<WireReply> {
    return new Promise((resolve, reject) => {
      let controller: Dispatcher.DispatchController | undefined;
      let settled = false;
      let head: Omit<WireReply, "text"> | undefined;
      const chunks: Buffer[] = [];

      const settle = (conclude: () => void) => {
        if (settled) return;
        settled = true;
        clearTimeout(connecting);
        clearTimeout(lasting);
        clearTimeout(expiring);
        request.signal?.removeEventListener("abort", interrupt);
        conclude();
      };
      const fail = (reason: TransportFailure["reason"], cause: unknown) =>
        settle(() => {
          reject(new TransportFailure(reason, controller !== undefined, head?.status, cause));
          controller?.abort(cause instanceof Error ? cause : new Error(reason));
        });
      const interrupt = () => fail("interrupted", request.signal!.reason);
      const reply = (text: string) => settle(() => resolve({ ...head!, text }));
      const lose = (error: Error) => {
        // A 4xx or 5xx counts even if its body was truncated.
        if (head && head.status >= 400) reply("");
        else fail("failed", error);
        controller?.abort(error);
      };

      const left = request.limitMs ?? Infinity;
      const expiring = left < LONGEST_TIMER_MS ? setTimeout(() => fail("deadline", undefined), left) : undefined;
      const lastMs = Math.min(this.connection.requestSeconds * 1000, LONGEST_TIMER_MS);
      const connecting = setTimeout(() => fail("failed", new ConnectTimeout()), connectLimitMs(this.connection));
      const lasting = setTimeout(() => lose(new RequestTimeout()), lastMs);
      if (request.signal?.aborted) return interrupt();
      if (left <= 0) return fail("deadline", undefined);
      request.signal?.addEventListener("abort", interrupt);

      dispatcher.dispatch(
        {
          origin: this.#origin,
          path: this.#basePath + request.path,
          method: request.method,
          headers: request.headers,
          body: request.body,
        },
        {
          // Called when the connection is open and the first byte is about to be sent.
          onRequestStart(started) {
            if (settled) return started.abort(new Error("aborted before it was sent"));
            controller = started;
            clearTimeout(connecting);
          },
          onResponseStart(_, status, headers) {
            if (status >= 200) head = { status, headers };
          },
          onResponseData(_, chunk) {
            chunks.push(chunk);
          },
          onResponseEnd() {
            reply(Buffer.concat(chunks).toString("utf8"));
          },
          onResponseError(_, error) {
            lose(error);
          },
        },
      );
    });
  }

  async close(): Promise<void> {
    await (await this.#dispatcher)?.destroy();
  }
}

export function connectLimitMs({ requestSeconds }: Connection): number {
  return Math.min(CONNECT_LIMIT_MS, requestSeconds * 1000);
}

class ConnectTimeout extends Error {
  readonly code = "UND_ERR_CONNECT_TIMEOUT";
}

/** A time limit on silence would not end a reply that arrives one byte at a time. */
class RequestTimeout extends Error {
  readonly code = "REQUEST_TIMEOUT";
}

/** Loads only the modules of undici that are used. Undici's index takes a hook 20 ms more, and its size in the bundle 5 ms. */
async function openDispatcher(connection: Connection, origin: string): Promise<Dispatcher> {
  const { default: Pool } = await import("undici/lib/dispatcher/pool.js");
  spareParserOptimization(await import("node:v8"));
  // Undici's own time-outs are off, because each limits only a part of a request.
  const limits = { headersTimeout: 0, bodyTimeout: 0, maxResponseSize: REPLY_LIMIT_BYTES };
  const reaching = {
    timeout: connectLimitMs(connection),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
  };
  const trusting = await trust(connection);
  // Always set, so that NODE_TLS_REJECT_UNAUTHORIZED=0 does not switch verification off.
  const verifying = { ...reaching, ...trusting, rejectUnauthorized: !connection.insecureSkipVerify };
  if (connection.proxy === undefined) return new Pool(origin, { ...limits, connect: verifying });

  const { default: ProxyAgent } = await import("undici/lib/dispatcher/proxy-agent.js");
  const { default: connect } = await import("undici/lib/api/api-connect.js");
  return new ProxyAgent({
    uri: connection.proxy,
    // Plain HTTP goes through the proxy without a tunnel, as in other programs. Many proxies open tunnels only for TLS.
    proxyTunnel: false,
    requestTls: verifying,
    proxyTls: { ...reaching, ...trusting, rejectUnauthorized: true },
    // Undici's index would add the method that opens tunnels.
    clientFactory: (uri, options) => Object.assign(new Pool(uri, { ...options, ...limits }), { connect }),
    factory: (uri, options) => new Pool(uri, { ...options, ...limits }),
  });
}

async function trust({ caCertificates }: Connection) {
  if (caCertificates === undefined) return {};
  const { createSecureContext } = await import("node:tls");
  const secureContext = createSecureContext();
  // The option `ca` would replace the authorities of Node. To repeat them there takes 16 ms.
  secureContext.context.addCACert(caCertificates);
  return { secureContext };
}

/**
 * Keeps V8 from optimizing undici's HTTP parser, which is WebAssembly. Node 20 starts that after the first reply, and later versions
 * after a long list. The process cannot end before it is done, which takes half of the processor time of a process with few requests.
 * No reply is long enough to reach this budget.
 */
function spareParserOptimization(v8: typeof import("node:v8")): void {
  v8.setFlagsFromString("--wasm-tiering-budget=2000000000");
}
