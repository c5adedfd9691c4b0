import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod/mini";
import type { FaultEffect } from "./fault";

export type Outcome = { readonly answer: Response } | { readonly half: Response } | "drop" | "hang";

type EffectOf<Kind extends FaultEffect["kind"]> = Extract<FaultEffect, { kind: Kind }>;

interface FaultKind<Effect> {
  readonly fields: z.core.$ZodShape;
  /** The field that follows the kind in text form, such as `status=503`. */
  readonly value?: keyof Effect & string;
  /** Its values in the command line's help. */
  readonly values?: string;
  /** Whether the service always handles the request before the fault applies. */
  readonly worksFirst?: boolean;
  /** @param work handles the request on its first call */
  readonly strike: (effect: Effect, work: () => Promise<Response>) => Outcome | Promise<Outcome>;
}

const STATUS_RULE = "be a status from 200 to 599";

export const FAULT_KINDS: { readonly [Kind in FaultEffect["kind"]]: FaultKind<EffectOf<Kind>> } = {
  status: {
    fields: {
      status: z.int().check(z.minimum(200, STATUS_RULE), z.maximum(599, STATUS_RULE)),
      retryAfterSeconds: z.optional(z.number().check(z.minimum(0, "be at least 0"))),
      body: z.optional(z.unknown()),
      headers: z.optional(z.record(z.string(), z.string())),
    },
    value: "status",
    values: "CODE",
    strike: (effect) => ({ answer: statusAnswer(effect) }),
  },
  drop: { fields: {}, strike: () => "drop" },
  cut: { fields: {}, worksFirst: true, strike: async (_, work) => ({ half: await work() }) },
  hang: { fields: {}, strike: () => "hang" },
  slow: {
    fields: { seconds: z.number().check(z.minimum(0, "be at least 0")) },
    value: "seconds",
    values: "SECONDS",
    strike: async ({ seconds }, work) => {
      await delay(seconds * 1000, undefined, { ref: false });
      return { answer: await work() };
    },
  },
  garbage: {
    fields: {},
    strike: () => ({ answer: new Response("}{ this is not JSON", { headers: JSON_TYPE }) }),
  },
  truncated: { fields: {}, worksFirst: true, strike: async (_, work) => ({ answer: await firstHalf(await work()) }) },
  html: {
    fields: { status: z.optional(z.literal([200, 404, 502], "be 200, 404 or 502")) },
    value: "status",
    values: "200|404|502",
    strike: ({ status = 200 }) => ({ answer: proxyPage(status) }),
  },
  "partial-list": {
    fields: {},
    worksFirst: true,
    strike: async (_, work) => ({ answer: await withItemsMissing(await work()) }),
  },
};

export const JSON_TYPE = { "content-type": "application/json" };

function statusAnswer({ status, body, headers: extra, retryAfterSeconds }: EffectOf<"status">): Response {
  const answer = body ?? { error: { code: "REHEARSED", message: `a rehearsed failure with status ${status}` } };
  const headers = new Headers({ ...JSON_TYPE, ...extra });
  if (retryAfterSeconds !== undefined) headers.set("retry-after", String(retryAfterSeconds));
  const bodiless = status === 204 || status === 205 || status === 304;
  return new Response(bodiless ? null : JSON.stringify(answer), { status, headers });
}

async function firstHalf(answer: Response): Promise<Response> {
  const text = await answer.text();
  return new Response(text.slice(0, Math.ceil(text.length / 2)), { status: answer.status, headers: JSON_TYPE });
}

const PROXY_TITLES = { 200: "Sign in to continue", 404: "404 Not Found", 502: "502 Bad Gateway" };

function proxyPage(status: keyof typeof PROXY_TITLES): Response {
  const title = PROXY_TITLES[status];
  const page = `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1><hr>proxy</body></html>\n`;
  return new Response(page, { status, headers: { "content-type": "text/html; charset=utf-8" } });
}

/** Keeps the count. An empty list counts one item. Other answers do not change. */
async function withItemsMissing(answer: Response): Promise<Response> {
  const text = await answer.text();
  const list = answer.ok ? (JSON.parse(text || "null") as unknown) : null;
  const { items, count } = { ...(list as { items?: unknown[]; count?: number } | null) };
  const lie = Array.isArray(items)
    ? JSON.stringify({ items: items.slice(0, Math.floor(items.length / 2)), count: Math.max(count ?? 0, 1) })
    : text;
  return new Response(lie || null, { status: answer.status, headers: JSON_TYPE });
}
