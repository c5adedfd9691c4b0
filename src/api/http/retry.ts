import type { IncomingHttpHeaders } from "node:http";

/** How often a request is sent at most, the first time included. */
export const ATTEMPTS = 6;

const BASE_MS = 500;
const CAP_MS = 10_000;
/** However long a service asks to wait: it is asked again after this. */
const RETRY_AFTER_CAP_MS = 60_000;

/**
 * How long to wait after a failed attempt (1 is the first), in milliseconds: twice as long each time, and spread so
 * that those who failed together do not come back together.
 */
export function backoff(attempt: number, askedMs?: number, random = Math.random): number {
  if (askedMs !== undefined) return askedMs + (askedMs / 10) * random();
  return Math.min(CAP_MS, BASE_MS * 2 ** (attempt - 1)) * (0.5 + random() / 2);
}

/** `Retry-After` in milliseconds, from its seconds or its date; a date is held against the service's own clock. */
export function retryAfter(headers: IncomingHttpHeaders, now = Date.now()): number | undefined {
  const value = headers["retry-after"]?.trim();
  if (!value) return undefined;
  const theirNow = Date.parse(headers.date ?? "");
  const wait = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - (Number.isNaN(theirNow) ? now : theirNow);
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), RETRY_AFTER_CAP_MS);
}
