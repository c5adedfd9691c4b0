import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import type { MessageFns } from "./generated/tfplugin6.9";

const GrpcStatus = { OK: 0, UNIMPLEMENTED: 12, INTERNAL: 13 } as const;

class GrpcError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- messages of any type
type AnyMessage = MessageFns<any>;

interface MethodDefinition {
  readonly name: string;
  readonly requestType: AnyMessage;
  readonly requestStream: boolean;
  readonly responseType: AnyMessage;
  readonly responseStream: boolean;
}

export interface ServiceDefinition {
  readonly fullName: string;
  readonly methods: Readonly<Record<string, MethodDefinition>>;
}

type Decoded<Type> = Type extends MessageFns<infer Message> ? Message : never;

/** The response may be encoded already. `closed` aborts when the stream ends, answered or not. */
type Unary<Method extends MethodDefinition> = (
  request: Decoded<Method["requestType"]>,
  closed: AbortSignal,
) => Response<Method> | Promise<Response<Method>>;

type Response<Method extends MethodDefinition> = Decoded<Method["responseType"]> | Uint8Array;

/** Marks a streaming method that sends nothing. The stream stays open until the caller closes it. */
export const SILENT = Symbol("silent");

/** All other methods are answered with UNIMPLEMENTED. */
export type Handlers<Service extends ServiceDefinition> = {
  readonly [Name in keyof Service["methods"]]?: Service["methods"][Name] extends { requestStream: false; responseStream: false }
    ? Unary<Service["methods"][Name]>
    : typeof SILENT;
};

type Handler = typeof SILENT | ((message: Uint8Array, closed: AbortSignal) => Promise<Uint8Array>);

const FRAME_HEADER_BYTES = 5;

/** Clients limit the size of headers, and the error message travels in one. */
const LONGEST_ERROR = 2_000;

/**
 * A gRPC server on node:http2 with the part of gRPC that Terraform uses: uncompressed calls with one message in each direction,
 * and streams that stay open without messages.
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 */
export class GrpcServer {
  readonly #handlers = new Map<string, Handler>();

  add<Service extends ServiceDefinition>(service: Service, handlers: Handlers<Service>): this {
    for (const [key, handler] of Object.entries(handlers)) {
      const method = service.methods[key]!;
      const path = `/${service.fullName}/${method.name}`;
      this.#handlers.set(path, handler === SILENT ? SILENT : unary(method, handler as Unary<MethodDefinition>));
    }
    return this;
  }

  readonly listener = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void => {
    // The caller is gone or has aborted the request. The handler learns it from `closed`.
    stream.on("error", () => {});
    if (!headers["content-type"]?.startsWith("application/grpc")) {
      stream.respond({ ":status": 415 }, { endStream: true });
      return;
    }
    const handler = this.#handlers.get(headers[":path"] as string);
    if (handler === undefined) {
      fail(stream, new GrpcError(GrpcStatus.UNIMPLEMENTED, `unknown method ${headers[":path"] as string}`));
    } else if (handler === SILENT) {
      stream.respond(RESPONSE_HEADERS);
      stream.resume();
    } else {
      void answer(stream, handler);
    }
  };
}

const RESPONSE_HEADERS = { ":status": 200, "content-type": "application/grpc" };

function unary(method: MethodDefinition, handle: Unary<MethodDefinition>): Handler {
  return async (message, closed) => {
    let request;
    try {
      request = method.requestType.decode(message);
    } catch (error) {
      throw new GrpcError(GrpcStatus.INTERNAL, `the request of ${method.name} cannot be decoded: ${(error as Error).message}`);
    }
    const response: unknown = await handle(request, closed);
    return response instanceof Uint8Array ? response : method.responseType.encode(response).finish();
  };
}

async function answer(stream: ServerHttp2Stream, handle: Exclude<Handler, typeof SILENT>): Promise<void> {
  const closed = new AbortController();
  // Without a reason, each request would make an exception with a stack trace.
  stream.on("close", () => closed.abort("closed"));
  try {
    const response = await handle(unframe(await received(stream)), closed.signal);
    if (stream.destroyed) return;
    stream.respond(RESPONSE_HEADERS, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": GrpcStatus.OK }));
    stream.end(frame(response));
  } catch (error) {
    fail(stream, error);
  }
}

function received(stream: ServerHttp2Stream): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    stream.on("aborted", () => reject(new GrpcError(GrpcStatus.INTERNAL, "the caller cancelled the request")));
  });
}

function unframe(data: Buffer): Uint8Array {
  if (data.length < FRAME_HEADER_BYTES) throw new GrpcError(GrpcStatus.INTERNAL, "the call holds no whole message");
  if (data[0] !== 0) throw new GrpcError(GrpcStatus.UNIMPLEMENTED, "compressed messages are not supported");
  const message = data.subarray(FRAME_HEADER_BYTES);
  if (message.length !== data.readUInt32BE(1)) {
    throw new GrpcError(GrpcStatus.INTERNAL, "the call does not hold exactly one message");
  }
  return message;
}

function frame(message: Uint8Array): Buffer {
  const data = Buffer.allocUnsafe(FRAME_HEADER_BYTES + message.length);
  data[0] = 0;
  data.writeUInt32BE(message.length, 1);
  data.set(message, FRAME_HEADER_BYTES);
  return data;
}

function fail(stream: ServerHttp2Stream, error: unknown): void {
  if (stream.destroyed) return;
  const { status, message } = error instanceof GrpcError ? error : new GrpcError(GrpcStatus.INTERNAL, String(error));
  const headers = {
    ...RESPONSE_HEADERS,
    "grpc-status": status,
    "grpc-message": encodeURIComponent(message.slice(0, LONGEST_ERROR).toWellFormed()),
  };
  stream.respond(headers, { endStream: true });
}
