import { setTimeout as pause } from "node:timers/promises";
import { type Dispatcher, ProxyAgent, request } from "undici";
import { proxyFor } from "../../../api/http/proxy";
import { backoff, retryAfter } from "../../../api/http/retry";
import type { JsonObject } from "../../../model/provider-type";
import { ConfigurationError } from "../../../model/errors";
import { bounded, visible } from "../../../model/printable";
import type { Comment } from "./comment";

const ATTEMPTS = 5;
const ATTEMPT_LIMIT_MS = 30_000;
/** A rate limit that lasts longer fails the request. */
const LONGEST_WAIT_MS = 60_000;
/** A renamed repository answers with one redirect. */
const REDIRECTS = 3;
const MESSAGE_CHARACTERS = 200;

/** The message is one line that is safe on a terminal. */
export class CommentFailure extends Error {
  /**
   * @param message the platform's own words, shortened here
   * @param status undefined if no answer came
   * @param ambiguous whether the platform may have carried out the request
   */
  constructor(
    readonly request: string,
    message: string,
    readonly status?: number,
    readonly ambiguous = status === undefined || status >= 500,
  ) {
    super(`${visible(request)}: ${bounded(visible(message), MESSAGE_CHARACTERS)}`);
    this.name = "CommentFailure";
  }
}

/** The REST API of GitHub or GitLab. Requests that are safe to repeat are retried. */
export class CommentApi {
  readonly #dispatcher: Dispatcher | undefined;

  /** @param url base URL without a trailing slash */
  constructor(
    readonly url: string,
    private readonly headers: Record<string, string>,
    env: NodeJS.ProcessEnv,
  ) {
    const proxy = proxyFor(new URL(url), env);
    this.#dispatcher = proxy === undefined ? undefined : new ProxyAgent(proxy);
  }

  /**
   * @param path below the base URL, or a whole URL
   * @throws CommentFailure
   */
  async send(method: Method, path: string, body?: object): Promise<unknown> {
    const url = path.startsWith("/") ? this.url + path : path;
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#attempt(method, new URL(url), body);
      if ("json" in outcome) return outcome.json;
      const { failure, waitMs } = outcome;
      // A POST that may have created a comment is not repeated here: comment.ts looks for the comment first.
      const repeatable = isPassing(failure, waitMs) && !(method === "POST" && isRest(url) && failure.ambiguous);
      if (!repeatable || attempt === ATTEMPTS || (waitMs ?? 0) > LONGEST_WAIT_MS) throw failure;
      await pause(backoff(attempt, waitMs));
    }
  }

  async close(): Promise<void> {
    await this.#dispatcher?.close();
  }

  async #attempt(method: Method, url: URL, body: object | undefined, redirects = REDIRECTS): Promise<Outcome> {
    const what = `${method} ${url.pathname}`;
    let reply: Dispatcher.ResponseData;
    let text: string;
    try {
      reply = await request(url, {
        method,
        headers: { ...this.headers, "user-agent": "cluster-platform", ...(body && { "content-type": "application/json" }) },
        body: body && JSON.stringify(body),
        dispatcher: this.#dispatcher,
        signal: AbortSignal.timeout(ATTEMPT_LIMIT_MS),
      });
      text = await reply.body.text();
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      return { failure: new CommentFailure(what, code ?? message) };
    }
    const { statusCode: status, headers } = reply;
    const json = parsed(text);
    if (status >= 200 && status < 300) {
      if (json !== undefined) return { json };
      return { failure: new CommentFailure(what, `${status}, but the reply is not JSON`, status, method !== "GET") };
    }
    const moved = REDIRECTED.has(status) && typeof headers.location === "string" ? headers.location : undefined;
    if (moved !== undefined && redirects > 0) {
      const target = URL.canParse(moved, url.href) ? new URL(moved, url) : undefined;
      if (target?.origin === url.origin) return this.#attempt(method, target, body, redirects - 1);
      const advice = "set the URL of the API to the new one, if that is right";
      return {
        failure: new CommentFailure(
          what,
          `${status}, a redirect to ${target?.origin ?? moved}, to which the token is not sent; ${advice}`,
          status,
        ),
      };
    }
    const limit = limitedUntil(headers);
    const until = limit === undefined ? "" : `; the rate limit is used up until ${limit.until.toISOString()}`;
    return {
      failure: new CommentFailure(what, `${status}${messageIn(json)}${until}`, status),
      waitMs: retryAfter(headers) ?? limit?.waitMs,
    };
  }
}

type Method = "GET" | "POST" | "PATCH" | "PUT";
type Outcome = { readonly json: unknown } | { readonly failure: CommentFailure; readonly waitMs?: number };

const REDIRECTED: ReadonlySet<number> = new Set([301, 302, 307, 308]);

/** A GraphQL query is a POST, but it creates nothing. */
function isRest(url: string): boolean {
  return !url.endsWith("/graphql");
}

/** GitHub answers 403 when a rate limit is exceeded, and says how long to wait. */
function isPassing({ status }: CommentFailure, waitMs: number | undefined): boolean {
  return status === undefined || status === 429 || status >= 500 || (status === 403 && waitMs !== undefined);
}

/** GitHub's primary rate limit. The reset time is in seconds since the epoch by GitHub's clock. */
function limitedUntil(headers: Dispatcher.ResponseData["headers"]): { until: Date; waitMs: number } | undefined {
  const reset = headers["x-ratelimit-reset"];
  if (headers["x-ratelimit-remaining"] !== "0" || typeof reset !== "string" || !/^\d{1,11}$/.test(reset)) return undefined;
  const theirNow = Date.parse(String(headers.date));
  const until = Number(reset) * 1000;
  return { until: new Date(until), waitMs: Math.max(0, until - (Number.isNaN(theirNow) ? Date.now() : theirNow)) };
}

/** Undefined if the reply is not JSON. The parser's error would quote the reply. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function messageIn(json: unknown): string {
  const message = (json as JsonObject | undefined | null)?.message;
  return typeof message === "string" ? `: ${message}` : "";
}

const PER_PAGE = 100;
/** Ends the loop for a server that ignores the page number. */
const PAGES = 100;

/**
 * The first wanted comment of a list in pages.
 * @param isWanted called with items that have a number as `id` and text as `body`
 * @throws CommentFailure also if a reply is not a list, or the list has no end
 */
export async function inPages<Item extends Comment>(
  api: CommentApi,
  path: string,
  isWanted: (item: Item) => boolean,
): Promise<Comment | undefined> {
  for (let page = 1; page <= PAGES; page++) {
    const items = await api.send("GET", `${path}${path.includes("?") ? "&" : "?"}per_page=${PER_PAGE}&page=${page}`);
    if (!Array.isArray(items)) throw new CommentFailure(`GET ${path}`, "the reply is not a list", 200);
    const found = (items as unknown[]).filter(isComment).find((item) => isWanted(item as Item));
    if (found || items.length < PER_PAGE) return found && { id: found.id, body: found.body };
  }
  throw new CommentFailure(`GET ${path}`, `the list does not end after ${PAGES} pages`, 200);
}

function isComment(item: unknown): item is Comment {
  const { id, body } = (item ?? {}) as Partial<Comment>;
  return typeof id === "number" && typeof body === "string";
}

/** @throws INVALID_SETTING if the variable is not set or empty */
export function setting(env: NodeJS.ProcessEnv, name: string, what: string): string {
  const value = env[name]?.trim();
  if (value) return value;
  throw invalidSetting(name, what, "nothing");
}

/** Removes trailing slashes. @throws INVALID_SETTING if the variable is not a URL */
export function urlSetting(env: NodeJS.ProcessEnv, name: string, what: string): string {
  const url = setting(env, name, what).replace(/\/+$/, "");
  if (URL.canParse(url) && /^https?:/i.test(url)) return url;
  throw invalidSetting(name, what, url);
}

export function invalidSetting(name: string, what: string, got: string): ConfigurationError {
  return new ConfigurationError("INVALID_SETTING", `environment: '${name}' must be ${what}, got ${visible(got)}`);
}
