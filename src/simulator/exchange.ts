import type { IncomingMessage } from "node:http";
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

type ReceivedBody = { readonly json: unknown } | { readonly refusal: Refusal };

/** One request on its way through the service. */
export class Exchange {
  constructor(
    readonly request: RecordedRequest,
    readonly received: ReceivedBody,
  ) {
    if ("json" in received) request.body = received.json;
  }

  /** Takes the JSON body; a body that is missing or broken matters to those only that ask for it. */
  json(): unknown {
    if ("refusal" in this.received) throw this.received.refusal;
    return this.received.json;
  }
}

/** Generous: a bare-metal provider of 2,000 hosts takes a tenth of it. */
const MAX_BODY_BYTES = 5 * 1024 * 1024;

/** Reads a request's body to its end, keeping no more of it than is allowed. */
export async function readBody(incoming: IncomingMessage): Promise<ReceivedBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  }
  if (size > MAX_BODY_BYTES) {
    return refused(413, "BODY_TOO_LARGE", `the body is ${size} bytes long, ${MAX_BODY_BYTES} are allowed`);
  }
  if (size === 0) return refused(400, "MALFORMED_BODY", "the body is empty, it must be JSON");
  try {
    return { json: JSON.parse(Buffer.concat(chunks).toString("utf8")) as unknown };
  } catch {
    // The parser's own message quotes the body, which may hold secrets.
    return refused(400, "MALFORMED_BODY", "the body is not JSON");
  }
}

function refused(status: Refusal["status"], code: string, message: string): ReceivedBody {
  return { refusal: new Refusal(status, code, message) };
}
