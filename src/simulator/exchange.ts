import type { IncomingMessage } from "node:http";
import type { JsonObject } from "../api/provider-type";
import type { Fault } from "./fault";
import { Refusal } from "./refusal";

/** A request as the service received it, and what became of it. */
export interface RecordedRequest {
  /** When it arrived, in milliseconds since the epoch. */
  readonly at: number;
  readonly method: string;
  /** As it was sent: encoded, with the query if there was one. */
  readonly path: string;
  /** What was answered; undefined until then, and for good where a fault kept the answer back. */
  status: number | undefined;
  /** The parsed JSON body, secrets included; undefined where there was none or it was not JSON. */
  body: unknown;
  /** Whether it carried the right token. */
  authorized: boolean;
  /** Why it was refused. */
  refusal?: { readonly code: string; readonly message: string };
  /** The fault that met it. */
  fault?: Fault["kind"];
}

/** One request on its way through the service. */
export interface Exchange {
  readonly request: RecordedRequest;
  /** Takes the JSON body, or says what is wrong with it. */
  readonly body: () => unknown;
}

/** Generous: a bare-metal provider of 2,000 hosts takes a tenth of it. */
const MAX_BODY_BYTES = 5 * 1024 * 1024;

/** Reads a request's body to its end, or to the limit. */
export async function readBody(incoming: IncomingMessage): Promise<Exchange["body"]> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  }
  if (size > MAX_BODY_BYTES) {
    return refusing(new Refusal(413, "BODY_TOO_LARGE", `the body has ${size} bytes, more than ${MAX_BODY_BYTES}`));
  }
  if (size === 0) return refusing(new Refusal(400, "MALFORMED_BODY", "the body is empty, it must be JSON"));
  try {
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as JsonObject;
    return () => body;
  } catch {
    // The parser's message quotes the body, which may hold secrets.
    return refusing(new Refusal(400, "MALFORMED_BODY", "the body is not JSON"));
  }
}

function refusing(refusal: Refusal): () => never {
  return () => {
    throw refusal;
  };
}
