import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Fault, FaultEffect } from "./fault";
import { FAULT_KINDS, JSON_TYPE, type Outcome } from "./fault-kinds";

/** `work` handles the request at most once. */
export async function interfere(fault: Fault, work: () => Promise<Response>): Promise<Outcome> {
  const { worksFirst, strike } = FAULT_KINDS[fault.kind];
  const done = fault.when === "after" || worksFirst ? await work() : undefined;
  // TypeScript does not see that the entry belongs to the fault's own kind.
  return (strike as (effect: FaultEffect, work: () => Promise<Response>) => Outcome | Promise<Outcome>)(
    fault,
    async () => done ?? (await work()),
  );
}

export function statusOf(outcome: Outcome): number | undefined {
  return typeof outcome === "object" && "answer" in outcome ? outcome.answer.status : undefined;
}

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
