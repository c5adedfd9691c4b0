import type { Credentials } from "../credentials";
import { ApiError, DeadlineError, InterruptedError, type RequestError, UnreachableError } from "../../model/errors";
import { systemClock, type Clock } from "../../util/clock";
import { logBody } from "./log-body";
import { Redactor } from "../../util/redaction";
import { isPage, readJson, serviceMessage } from "./reply";
import { ATTEMPTS, backoff, retryAfter } from "./retry";
import type { Connection } from "../connection";
import { Transport, TransportFailure, type WireReply, type WireRequest } from "./transport";
import { unreachable } from "./unreachable";

export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** Ends the pause before another attempt, and with it the request. @default signal */
  readonly repeating?: AbortSignal;
  /** Time limit of all attempts together, in milliseconds. @default - none */
  readonly limitMs?: number;
}

export interface ApiRequest {
  readonly method: WireRequest["method"];
  readonly path: string;
  readonly body?: unknown;
}

/** What requests travel on, and the time that they take. The simulated world replaces it. */
export interface Wire {
  readonly transport: Pick<Transport, "send" | "close">;
  readonly clock: Clock;
  /** From 0 up to 1, for the jitter of pauses. */
  random(): number;
}

export function systemWire(connection: Connection): Wire {
  return { transport: new Transport(connection), clock: systemClock, random: Math.random };
}

/** Repeats every request after a temporary failure, but a POST only if the service cannot have carried it out. */
export class Requester {
  #isClosed = false;

  constructor(
    private readonly connection: Connection,
    private readonly credentials: Credentials,
    private readonly redactor: Redactor,
    private readonly log?: (line: string) => void,
    private readonly wire = systemWire(connection),
    private readonly warn?: (line: string) => void,
  ) {
    redactor.add(decodeURIComponent(new URL(connection.proxy ?? connection.url).password));
  }

  /** Resolves to a reply with a status below 300. */
  async send(request: ApiRequest, options: RequestOptions): Promise<WireReply> {
    const retry = new RetryContext(request, options, this.wire);
    let token = await retry.within(this.#token(), WAITING_FOR_TOKEN);
    let renewed = false;
    for (;;) {
      try {
        return await this.#attempt(request, token, retry);
      } catch (error) {
        const newer =
          isRefusedToken(error) && !renewed ? await retry.within(this.#newerThan(token), WAITING_FOR_TOKEN) : undefined;
        renewed ||= isRefusedToken(error);
        if (newer !== undefined) {
          token = newer;
          continue;
        }
        if (this.#isClosed || !mayRepeat(request, error) || retry.attempts >= ATTEMPTS) throw error;
        if (retry.attempts === 1) this.warn?.(`warning: ${error.message}; trying again`);
        await retry.pause(error);
      }
    }
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.wire.transport.close();
  }

  async #token(): Promise<string> {
    const token = await this.credentials.token();
    this.redactor.add(token);
    return token;
  }

  /** Another request may have renewed the token already. */
  async #newerThan(refused: string): Promise<string | undefined> {
    const current = await this.credentials.token();
    const newer = current === refused ? await this.credentials.renew() : current;
    if (newer !== undefined) this.redactor.add(newer);
    return newer;
  }

  async #attempt({ method, path, body }: ApiRequest, token: string, retry: RetryContext): Promise<WireReply> {
    retry.attempts++;
    const { transport, clock } = this.wire;
    const started = clock.now();
    const tell = (outcome: string, reply?: WireReply) => {
      const what = `${outcome} after ${clock.now() - started} ms, attempt ${retry.attempts}`;
      this.log?.(this.#logLine({ method, path, body }, what, reply));
    };
    const headers: Record<string, string> = {
      accept: "application/json",
      authorization: `Bearer ${token}`,
      "user-agent": "cdktf-cluster-platform",
    };
    if (body !== undefined) headers["content-type"] = "application/json";
    const wire = { method, path, headers, body: body === undefined ? undefined : JSON.stringify(body), ...retry.remaining };
    let reply;
    try {
      reply = await transport.send(wire);
    } catch (error) {
      const failure = retry.failure(error, (lost) => unreachable(wire, lost, this.connection));
      tell(failure.reason);
      throw failure;
    }
    tell(String(reply.status), reply);
    if (reply.status < 300) return reply;
    const asked = retryAfter(reply.headers, clock.now());
    throw new ApiError(method, path, reply.status, this.#reasonIn(reply), asked, isPage(reply), retry.mayBeDone);
  }

  #reasonIn(reply: WireReply): string {
    if (reply.status >= 400) return serviceMessage(reply, this.redactor);
    const { origin } = new URL(this.connection.url);
    const location = reply.headers.location;
    if (location === undefined || !URL.canParse(location, origin)) {
      return "the service does not answer with this status; check that the URL is that of the service itself, not of a proxy or a cache";
    }
    // Only the origin is shown, because the rest may hold a session.
    const target = new URL(location, origin).origin;
    return (
      `${origin} redirects to ${target === origin ? "another path of its own" : target}, and the token is not sent there: ` +
      "set the URL to that of the service itself, not of a login page or a proxy"
    );
  }

  #logLine({ method, path, body }: ApiRequest, outcome: string, reply: WireReply | undefined): string {
    const sent = body === undefined ? "" : `, body ${logBody(body, this.redactor)}`;
    return this.redactor.redact(
      `debug: ${method} ${path}: ${outcome}${sent}${reply ? `, reply ${this.#replyForLog(reply)}` : ""}`,
    );
  }

  #replyForLog(reply: WireReply): string {
    if (reply.text === "") return "empty";
    const read = readJson(reply, this.redactor);
    return "json" in read ? logBody(read.json, this.redactor) : serviceMessage(reply, this.redactor);
  }
}

/** Only the command can take time; the other two sources cannot. */
const WAITING_FOR_TOKEN = "waiting for CLUSTER_PLATFORM_TOKEN_COMMAND to print the token";

function isRefusedToken(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}

function mayRepeat({ method }: ApiRequest, error: unknown): error is ApiError | UnreachableError {
  if (error instanceof ApiError) return method !== "POST" && error.retryable;
  return error instanceof UnreachableError && error.retryable && !error.ambiguous;
}

class RetryContext {
  attempts = 0;
  /** Whether the service may have carried out an earlier attempt. */
  mayBeDone = false;
  readonly #started: number;
  #last: RequestError | undefined;

  constructor(
    private readonly request: ApiRequest,
    private readonly options: RequestOptions,
    private readonly wire: Wire,
  ) {
    this.#started = wire.clock.now();
  }

  /** The options of the next attempt. */
  get remaining(): RequestOptions {
    const { signal } = this.options;
    return { signal, limitMs: this.#left };
  }

  get #left(): number {
    return (this.options.limitMs ?? Infinity) - (this.wire.clock.now() - this.#started);
  }

  failure(error: unknown, explain: (failure: TransportFailure) => UnreachableError): RequestError {
    if (!(error instanceof TransportFailure)) throw error;
    const ambiguous = error.sent && this.request.method === "POST";
    if (error.reason === "deadline") return this.#late(ambiguous);
    if (error.reason === "interrupted") return this.#interrupted(ambiguous, error.cause);
    return explain(error);
  }

  /** Waits as long as the service asks for, or else longer after each failure. */
  async pause(failure: ApiError | UnreachableError): Promise<void> {
    this.#last = failure;
    this.mayBeDone ||= !(failure instanceof ApiError && failure.isRefusal);
    const { clock, random } = this.wire;
    const asked = failure instanceof ApiError ? failure.retryAfterMs : undefined;
    const wait = backoff(this.attempts, asked, random);
    // An earlier DELETE may have been carried out, so the answer to the last one is not the result.
    const isResult = asked !== undefined && (this.attempts === 1 || this.request.method === "GET");
    if (wait >= this.#left) throw isResult ? failure : this.#late(false);
    const { signal: sending, repeating: signal = sending } = this.options;
    try {
      await clock.pause(wait, signal);
    } catch (error) {
      throw signal?.aborted ? this.#interrupted(false, signal.reason) : error;
    }
  }

  /** The result of `promise`, unless the deadline or an abort comes first. Errors name what it was `doing`. */
  async within<T>(promise: Promise<T>, doing?: string): Promise<T> {
    const { signal } = this.options;
    let expire: (() => void) | undefined;
    let interrupt: (() => void) | undefined;
    const end = new Promise<never>((_, reject) => {
      interrupt = () => reject(this.#interrupted(false, signal!.reason));
      if (signal?.aborted) interrupt();
      signal?.addEventListener("abort", interrupt);
      const left = this.#left;
      if (left <= 0) reject(this.#late(false));
      else expire = this.wire.clock.after(left, () => reject(this.#late(false, doing)));
    });
    try {
      return await Promise.race([end, promise]);
    } finally {
      expire?.();
      signal?.removeEventListener("abort", interrupt!);
    }
  }

  #late(ambiguous: boolean, doing?: string): DeadlineError {
    const seconds = Math.round((this.wire.clock.now() - this.#started) / 100) / 10;
    const { method, path } = this.request;
    const last = this.#last ? `; the last failure: ${this.#last.reason}` : "";
    const after = `after ${seconds} seconds`;
    const tries = this.attempts === 1 ? "1 attempt" : `${this.attempts} attempts`;
    const what = this.attempts === 0 ? `not sent: its time was over ${after}` : `timed out ${after} and ${tries}`;
    const message = `${what}${doing ? `, ${doing}` : ""}${last}`;
    return new DeadlineError(method, path, message, ambiguous, { cause: this.#last });
  }

  #interrupted(ambiguous: boolean, cause: unknown): InterruptedError {
    const when = ambiguous ? "after it was sent; the service may still carry it out" : "before it had an answer";
    return new InterruptedError(this.request.method, this.request.path, `interrupted ${when}`, ambiguous, { cause });
  }
}
