import type { IncomingMessage } from "node:http";
import type { Fault } from "./fault";
import { Refusal } from "./refusal";

/** A request that the service has received, and its outcome. */
export interface RecordedRequest {
  /** When it arrived, in milliseconds since the epoch. */
  readonly at: number;
  readonly method: string;
  /** As sent: encoded, with the query. */
  readonly path: string;
  /** The status of the answer. Undefined while there is none, or if a fault held it back. */
  status: number | undefined;
  /** The parsed JSON body with its secrets. Undefined if there was no valid JSON. */
  body: unknown;
  /** Whether it had the right token. */
  authorized: boolean;
  /** The reason for a refusal. */
  refusal?: { readonly code: string; readonly message: string };
  /** The fault that was applied. */
  fault?: Fault["kind"];
}

type ReceivedBody = { readonly json: unknown } | { readonly refusal: Refusal };

export class Exchange {
  constructor(
    readonly request: RecordedRequest,
    readonly received: ReceivedBody,
  ) {
    if ("json" in received) request.body = received.json;
  }

  /** A missing or broken body fails here, so only endpoints that need a body refuse it. */
  json(): unknown {
    if ("refusal" in this.received) throw this.received.refusal;
    return this.received.json;
  }
}

/** A bare-metal provider with 2,000 hosts takes a tenth of this. */
const MAX_BODY_BYTES = 5 * 1024 * 1024;

/** Reads a body to its end, but keeps only as much as is allowed. */
export async function readBody(incoming: IncomingMessage): Promise<ReceivedBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  }
  if (size > MAX_BODY_BYTES) {
    return refused(413, "BODY_TOO_LARGE", `the body has ${size} bytes, but at most ${MAX_BODY_BYTES} are allowed`);
  }
  if (size === 0) return refused(400, "MALFORMED_BODY", "the body is empty, but must be JSON");
  try {
    return { json: JSON.parse(Buffer.concat(chunks).toString("utf8")) as unknown };
  } catch {
    // The parser's message would quote the body, which may hold secrets.
    return refused(400, "MALFORMED_BODY", "the body is not JSON");
  }
}

function refused(status: Refusal["status"], code: string, message: string): ReceivedBody {
  return { refusal: new Refusal(status, code, message) };
}
