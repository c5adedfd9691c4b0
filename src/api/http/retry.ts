import type { IncomingHttpHeaders } from "node:http";

/** Includes the first attempt. */
export const ATTEMPTS = 6;

const BASE_MS = 500;
const CAP_MS = 10_000;
/** Also limits a wait that the service asks for. */
const RETRY_AFTER_CAP_MS = 60_000;

/** The pause after an attempt, in milliseconds. The first attempt is 1. Jitter keeps clients from retrying at the same time. */
export function backoff(attempt: number, askedMs?: number, random = Math.random): number {
  if (askedMs !== undefined) return askedMs + (askedMs / 10) * random();
  return Math.min(CAP_MS, BASE_MS * 2 ** (attempt - 1)) * (0.5 + random() / 2);
}

/** `Retry-After` in milliseconds. A date is compared with the service's own clock. */
export function retryAfter(headers: IncomingHttpHeaders, now = Date.now()): number | undefined {
  const value = headers["retry-after"]?.trim();
  if (!value) return undefined;
  const theirNow = Date.parse(headers.date ?? "");
  const wait = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - (Number.isNaN(theirNow) ? now : theirNow);
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), RETRY_AFTER_CAP_MS);
}
