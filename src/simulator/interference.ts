import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Fault } from "./fault";

/** What leaves the service for a request: an answer, half of one, or none. */
export type Outcome = { readonly answer: Response } | { readonly half: Response } | "drop" | "hang";

/** Lets a fault loose on a request. `work` does what was asked for, at most once. */
export async function interfere(fault: Fault, work: () => Promise<Response>): Promise<Outcome> {
  const done = fault.when === "after" || worksFirst(fault) ? await work() : undefined;
  switch (fault.kind) {
    case "status":
      return { answer: statusAnswer(fault) };
    case "drop":
    case "hang":
      return fault.kind;
    case "cut":
      return { half: done! };
    case "slow":
      await delay(fault.seconds * 1000, undefined, { ref: false });
      return { answer: done ?? (await work()) };
    case "garbage":
      return { answer: new Response("}{ this is not JSON", { headers: JSON_TYPE }) };
    case "truncated": {
      const text = await done!.text();
      return { answer: new Response(text.slice(0, Math.ceil(text.length / 2)), { status: done!.status, headers: JSON_TYPE }) };
    }
    case "html":
      return { answer: proxyPage(fault.status ?? 200) };
    case "partial-list":
      return { answer: await withItemsMissing(done!) };
  }
}

/** What the client learns of an outcome; undefined where no answer leaves. */
export function statusOf(outcome: Outcome): number | undefined {
  return typeof outcome === "object" && "answer" in outcome ? outcome.answer.status : undefined;
}

/** Puts an outcome on the wire. */
export async function deliver(outcome: Outcome, outgoing: ServerResponse): Promise<Response> {
  if (typeof outcome === "object" && "answer" in outcome) return outcome.answer;
  if (outcome === "hang") await once(outgoing, "close");
  else if (outcome === "drop") outgoing.socket?.destroy();
  else {
    const body = Buffer.from(await outcome.half.arrayBuffer());
    outgoing.writeHead(outcome.half.status, { ...JSON_TYPE, "content-length": Math.max(body.length, 2) });
    outgoing.write(body.subarray(0, body.length / 2), () => outgoing.socket?.destroy());
  }
  return RESPONSE_ALREADY_SENT;
}

const JSON_TYPE = { "content-type": "application/json" };

function worksFirst({ kind }: Fault): boolean {
  return kind === "cut" || kind === "truncated" || kind === "partial-list";
}

function statusAnswer(fault: Fault & { kind: "status" }): Response {
  const body = fault.body ?? { error: { code: "REHEARSED", message: `a rehearsed failure with status ${fault.status}` } };
  const headers = new Headers({ ...JSON_TYPE, ...fault.headers });
  if (fault.retryAfterSeconds !== undefined) headers.set("retry-after", String(fault.retryAfterSeconds));
  const bodiless = fault.status === 204 || fault.status === 205 || fault.status === 304;
  return new Response(bodiless ? null : JSON.stringify(body), { status: fault.status, headers });
}

const PROXY_TITLES = { 200: "Sign in to continue", 404: "404 Not Found", 502: "502 Bad Gateway" };

function proxyPage(status: keyof typeof PROXY_TITLES): Response {
  const title = PROXY_TITLES[status];
  const page = `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1><hr>proxy</body></html>\n`;
  return new Response(page, { status, headers: { "content-type": "text/html; charset=utf-8" } });
}

/** The second half of the items is missing; a list that has none counts one. Anything else is as it was. */
async function withItemsMissing(answer: Response): Promise<Response> {
  const text = await answer.text();
  const list = answer.ok ? (JSON.parse(text || "null") as unknown) : null;
  const { items, count } = { ...(list as { items?: unknown[]; count?: number } | null) };
  const lie = Array.isArray(items)
    ? JSON.stringify({ items: items.slice(0, Math.floor(items.length / 2)), count: Math.max(count ?? 0, 1) })
    : text;
  return new Response(lie || null, { status: answer.status, headers: JSON_TYPE });
}
