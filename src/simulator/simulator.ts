import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer as createHttpServer, type Server, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createAdaptorServer, type HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { JsonObject, Kind, TypeCode } from "../api/provider-type";
import { type Exchange, readBody, type RecordedRequest } from "./exchange";
import { type Fault, Faults, type InjectedFault } from "./fault";
import { interfere, type Outcome } from "./interference";
import { Inventory, type Timing } from "./inventory";
import type { LiveCluster, LiveProvider, ObjectEvent } from "./objects";
import { interfaceRoutes } from "./routes";

export type RequestHook = (request: Readonly<RecordedRequest>) => void | Promise<void>;

export interface SimulatorOptions extends Partial<Timing> {
  port?: number;
  host?: string;
  token?: string;
  tls?: { readonly key: string; readonly cert: string };
  acceptUnknownFields?: boolean;
  faults?: readonly Fault[];
  onRequest?: RequestHook;
  onResponse?: RequestHook;
}

export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = new Simulator(options);
  await simulator.listen();
  return simulator;
}

export class Simulator {
  token: string;
  onRequest?: RequestHook;
  onResponse?: RequestHook;
  readonly #options: SimulatorOptions;
  readonly #inventory: Inventory;
  readonly #routes: ReturnType<typeof interfaceRoutes>;
  readonly #faults = new Faults();
  readonly #requests: RecordedRequest[] = [];
  readonly #closing = new AbortController();
  readonly #server: Server;

  constructor(options: SimulatorOptions) {
    this.#options = options;
    this.token = options.token ?? randomBytes(24).toString("base64url");
    this.onRequest = options.onRequest;
    this.onResponse = options.onResponse;
    this.#inventory = new Inventory(
      {
        provisionSeconds: options.provisionSeconds ?? 2,
        deleteSeconds: options.deleteSeconds ?? 0.5,
        providerReadySeconds: options.providerReadySeconds ?? 0,
      },
      options.acceptUnknownFields ?? false,
    );
    this.#routes = interfaceRoutes(this.#inventory, async () => {});
    for (const fault of options.faults ?? []) this.inject(fault);
    this.#server = createAdaptorServer({
      fetch: (request, env) => this.#handle(request, env as HttpBindings),
      overrideGlobalObjects: false,
      ...(options.tls ? { createServer: createHttpsServer, serverOptions: options.tls } : { createServer: createHttpServer }),
    }) as Server;
  }

  async listen(): Promise<void> {
    this.#server.listen(this.#options.port ?? 0, this.#options.host ?? "127.0.0.1");
    await once(this.#server, "listening");
  }

  get url(): string {
    const { address, family, port } = this.#server.address() as AddressInfo;
    return `${this.#options.tls ? "https" : "http"}://${family === "IPv6" ? `[${address}]` : address}:${port}`;
  }

  get timing(): Timing {
    return this.#inventory.timing;
  }

  get requests(): readonly RecordedRequest[] {
    return this.#requests;
  }

  get events(): readonly ObjectEvent[] {
    return [...this.#inventory.providers].length >= 0 ? this.#inventory.events : [];
  }

  get providers(): readonly LiveProvider[] {
    return [...this.#inventory.providers];
  }

  get clusters(): readonly LiveCluster[] {
    return [...this.#inventory.clusters];
  }

  add(kind: Kind, type: TypeCode, body: JsonObject): void {
    if (kind === "providers") this.#inventory.createProvider(type, body);
    else this.#inventory.createCluster(type, body, true);
  }

  remove(kind: Kind, type: TypeCode, name: string): void {
    if (!this.#inventory.remove(kind, type, name)) throw new Error(`there is no ${type} ${kind} '${name}'`);
  }

  inject(fault: Fault): InjectedFault {
    return this.#faults.inject(fault);
  }

  heal(): void {
    this.#faults.heal();
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #handle(raw: Request, { incoming, outgoing }: HttpBindings): Promise<Response> {
    const request: RecordedRequest = {
      at: Date.now(),
      method: incoming.method!,
      path: incoming.url!,
      status: undefined,
      body: undefined,
      authorized: incoming.headers.authorization?.replace(/^bearer /i, "") === this.token,
    };
    this.#requests.push(request);
    const body = await readBody(incoming);
    try {
      request.body = body();
    } catch {
      // A body that is missing or broken matters only to an endpoint that asks for one, and is refused there.
    }
    const exchange: Exchange = { request, body };
    const work = async () => this.#routes.fetch(raw, { incoming, outgoing, exchange });

    await this.onRequest?.(request);
    const fault = this.#faults.meet(request.method, request.path);
    request.fault = fault?.kind;
    const outcome: Outcome = fault ? await interfere(fault, work, this.#closing.signal) : { answer: await work() };
    if (typeof outcome === "object" && "answer" in outcome) request.status = outcome.answer.status;
    await this.onResponse?.(request);
    return deliver(outcome, outgoing as ServerResponse);
  }
}

async function deliver(outcome: Outcome, outgoing: ServerResponse): Promise<Response> {
  if (outcome === "hang") await once(outgoing, "close");
  else if (outcome === "drop") outgoing.socket?.destroy();
  else if ("answer" in outcome) return outcome.answer;
  else {
    const body = Buffer.from(await outcome.half.arrayBuffer());
    outgoing.writeHead(outcome.half.status, { "content-type": "application/json", "content-length": Math.max(body.length, 2) });
    outgoing.write(body.subarray(0, Math.floor(body.length / 2)), () => outgoing.socket?.destroy());
  }
  return RESPONSE_ALREADY_SENT;
}
