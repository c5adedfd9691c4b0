import { setTimeout as pause } from "node:timers/promises";
import { type Dispatcher, ProxyAgent, request } from "undici";
import { proxyFor } from "../../../api/http/proxy";
import { backoff, retryAfter } from "../../../api/http/retry";
import { bounded, visible } from "../../../model/printable";

const ATTEMPTS = 5;
const ATTEMPT_LIMIT_MS = 30_000;
/** How much is shown of what a platform says. */
export const MESSAGE_CHARACTERS = 200;

/** A request for or about comments did not succeed. */
export class CommentFailure extends Error {
  constructor(
    message: string,
    /** Undefined where no answer came. */
    readonly status: number | undefined,
  ) {
    super(message);
    this.name = "CommentFailure";
  }

  /** Whether a request that makes something may have been carried out nevertheless. */
  get ambiguous(): boolean {
    return this.status === undefined || this.status >= 500;
  }
}

/** One platform's REST API: JSON in and out, with retries where a repetition does no harm. */
export class CommentApi {
  readonly #dispatcher: Dispatcher | undefined;

  /** @param url base, without a slash at its end */
  constructor(
    readonly url: string,
    private readonly headers: Record<string, string>,
    env: NodeJS.ProcessEnv,
  ) {
    const proxy = proxyFor(new URL(url), env);
    this.#dispatcher = proxy === undefined ? undefined : new ProxyAgent(proxy);
  }

  /**
   * @param url below the base, or a whole one
   * @throws CommentFailure
   */
  async send(method: "GET" | "POST" | "PATCH" | "PUT", url: string, body?: object): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#attempt(method, url, body);
      if ("json" in outcome) return outcome.json;
      const { failure, waitMs } = outcome;
      // What a POST makes, where it may have made it, is looked for before it is repeated; see comment.ts.
      const repeatable = isPassing(failure, waitMs) && !(method === "POST" && isRest(url) && failure.ambiguous);
      if (!repeatable || attempt === ATTEMPTS) throw failure;
      await pause(backoff(attempt, waitMs));
    }
  }

  async close(): Promise<void> {
    await this.#dispatcher?.close();
  }

  async #attempt(
    method: string,
    path: string,
    body: object | undefined,
  ): Promise<{ json: unknown } | { failure: CommentFailure; waitMs?: number }> {
    const url = path.startsWith("/") ? this.url + path : path;
    const what = `${method} ${new URL(url).pathname}`;
    try {
      const reply = await request(url, {
        method: method as Dispatcher.HttpMethod,
        headers: { ...this.headers, "user-agent": "cluster-platform", ...(body && { "content-type": "application/json" }) },
        body: body && JSON.stringify(body),
        dispatcher: this.#dispatcher,
        signal: AbortSignal.timeout(ATTEMPT_LIMIT_MS),
      });
      const text = await reply.body.text();
      const { statusCode: status, headers } = reply;
      if (status >= 200 && status < 300) return { json: JSON.parse(text) as unknown };
      return { failure: new CommentFailure(`${what}: ${status}${said(text)}`, status), waitMs: retryAfter(headers) };
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      return { failure: new CommentFailure(`${what}: ${code ?? message}`, undefined) };
    }
  }
}

/** A GraphQL query makes nothing, although it is a POST. */
function isRest(url: string): boolean {
  return !url.endsWith("/graphql");
}

/** GitHub answers 403 to those who are too fast, and says when to come back. */
function isPassing({ status }: CommentFailure, waitMs: number | undefined): boolean {
  return status === undefined || status === 429 || status >= 500 || (status === 403 && waitMs !== undefined);
}

function said(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === "string" ? `: ${bounded(visible(message), MESSAGE_CHARACTERS)}` : "";
  } catch {
    return "";
  }
}
