import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import type { Connection } from "../connection";

/** One request on the wire. */
export interface WireRequest {
  readonly method: "GET" | "POST" | "DELETE";
  /** Below the URL of the service. */
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** When to give up, in milliseconds since the epoch. */
  readonly deadline?: number;
}

export interface WireReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** No reply came. */
export class TransportFailure extends Error {
  constructor(
    readonly reason: "failed" | "interrupted" | "deadline",
    /** Whether a byte of the request may have left. */
    readonly sent: boolean,
    /** The status, where the reply broke off after it. */
    readonly status: number | undefined,
    override readonly cause: unknown,
  ) {
    super("no reply", { cause });
    this.name = "TransportFailure";
  }
}

/** How long it may take at most to be connected, the proxy's tunnel and TLS included, in milliseconds. */
const CONNECT_LIMIT_MS = 10_000;
/** How long one address of a host is tried before the next; node's 250 ms are too short between continents. */
const ADDRESS_ATTEMPT_MS = 1_000;
/** Far above any list; what is larger is not one. */
const REPLY_LIMIT_BYTES = 256 * 1024 * 1024;
/** The longest that a timer of node waits. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Carries requests to the service over kept-alive connections, each once, and never where a reply redirects to. */
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
    // Undici takes the connection back a turn of the event loop later; a request before that would open another.
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
        // A refusal is one even when its words are lost.
        if (head && head.status >= 400) reply("");
        else fail("failed", error);
        controller?.abort(error);
      };

      const left = (request.deadline ?? Infinity) - Date.now();
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
          // Called when a connection stands and the first byte is about to leave.
          onRequestStart(started) {
            if (settled) return started.abort(new Error("given up before it was sent"));
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

  /** Ends every connection at once. */
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

/** Silence alone would not end an answer that comes without end, a byte at a time. */
class RequestTimeout extends Error {
  readonly code = "REQUEST_TIMEOUT";
}

/**
 * Of undici only the modules that are used are loaded, and the proxy's only where there is one. Its index would take a
 * hook 20 ms more, and 5 ms by its size in the bundle even where it is not run.
 */
async function openDispatcher(connection: Connection, origin: string): Promise<Dispatcher> {
  const { default: Pool } = await import("undici/lib/dispatcher/pool.js");
  spareParserOptimization(await import("node:v8"));
  // No time-outs of undici's own: each limits a part of a request.
  const limits = { headersTimeout: 0, bodyTimeout: 0, maxResponseSize: REPLY_LIMIT_BYTES };
  const reaching = {
    timeout: connectLimitMs(connection),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
  };
  const trusting = await trust(connection);
  // Said even where it is node's default: NODE_TLS_REJECT_UNAUTHORIZED=0 is not how verification is switched off here.
  const verifying = { ...reaching, ...trusting, rejectUnauthorized: !connection.insecureSkipVerify };
  if (connection.proxy === undefined) return new Pool(origin, { ...limits, connect: verifying });

  const { default: ProxyAgent } = await import("undici/lib/dispatcher/proxy-agent.js");
  const { default: connect } = await import("undici/lib/api/api-connect.js");
  return new ProxyAgent({
    uri: connection.proxy,
    // Plain HTTP is asked of the proxy in full, as other programs do; many proxies open tunnels for TLS alone.
    proxyTunnel: false,
    requestTls: verifying,
    proxyTls: { ...reaching, ...trusting, rejectUnauthorized: true },
    // The method that opens tunnels is one that undici's index adds.
    clientFactory: (uri, options) => Object.assign(new Pool(uri, { ...options, ...limits }), { connect }),
    factory: (uri, options) => new Pool(uri, { ...options, ...limits }),
  });
}

/** What node trusts by itself, and the additional authorities. */
async function trust({ caCertificates }: Connection) {
  if (caCertificates === undefined) return {};
  const { createSecureContext } = await import("node:tls");
  const secureContext = createSecureContext();
  // The option `ca` would replace what node trusts by itself, and to repeat all that in it takes 16 ms.
  secureContext.context.addCACert(caCertificates);
  return { secureContext };
}

/**
 * V8 before version 12 counts its way to optimizing undici's HTTP parser, which is WebAssembly, by the size of the code
 * that is looped through, not by its work: it does so after the first bytes, and a process cannot end before it is done,
 * which is 55 of the 110 ms of processor time that a process with one request takes. No reply reaches this budget.
 */
function spareParserOptimization(v8: typeof import("node:v8")): void {
  if (Number.parseInt(process.versions.v8, 10) < 12) v8.setFlagsFromString("--wasm-tiering-budget=2000000000");
}
