import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createAdaptorServer, type HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { ClusterPlatformError, ConfigurationError } from "../model/errors";
import type { JsonObject, Kind, TypeCode } from "../model/provider-type";
import { TOKEN_RULE, tokenProblem } from "../model/token";
import type { Routes } from "./authorized-routes";
import { CONTROL_PATH, controlRoutes } from "./control-routes";
import { Exchange, readBody, type RecordedRequest } from "./exchange";
import { type Fault, Faults, type InjectedFault } from "./fault";
import { interfaceRoutes } from "./interface-routes";
import type { Outcome } from "./fault-kinds";
import { checkFault } from "./fault-text";
import { deliver, interfere, statusOf } from "./interference";
import { Inventory } from "./inventory";
import type { SimulatedCluster, SimulatedProvider, ObjectEvent } from "./objects";
import { checkOptions, type RequestHook, type SimulatorOptions, type Timing } from "./options";
import { reasonOf, Refusal } from "./refusal";
import { StateFile } from "./state-file";

/**
 * Starts the embedded service. It implements the whole interface over HTTP and keeps state.
 * @throws INVALID_SETTING if an option is wrong, if it cannot listen or cannot use the state file, INVALID_DOCUMENT if the state file is damaged
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = new Simulator(options);
  await simulator.start();
  return simulator;
}

/** A running embedded service. {@link startSimulator} creates it. */
export class Simulator {
  /** The bearer token that requests must have. Set it to rotate the token. */
  token: string;
  /** See {@link SimulatorOptions.onRequest}. */
  onRequest?: RequestHook;
  /** See {@link SimulatorOptions.onResponse}. */
  onResponse?: RequestHook;
  /** Durations, which can be changed at any time. */
  readonly timing: Timing;

  readonly #options: SimulatorOptions;
  readonly #inventory: Inventory;
  readonly #state?: StateFile;
  readonly #faults = new Faults();
  readonly #requests: RecordedRequest[] = [];
  readonly #interface: Routes;
  readonly #control: Routes;
  readonly #server: Server;
  #url = "";
  #closed?: Promise<void>;

  /** @internal */
  constructor(options: SimulatorOptions) {
    checkOptions(options);
    this.#options = options;
    this.token = options.token ?? randomBytes(24).toString("base64url");
    this.onRequest = options.onRequest;
    this.onResponse = options.onResponse;
    this.timing = {
      provisionSeconds: options.provisionSeconds ?? 2,
      deleteSeconds: options.deleteSeconds ?? 0.5,
      providerReadySeconds: options.providerReadySeconds ?? 0,
    };
    this.#inventory = new Inventory(this.timing, options.acceptUnknownFields ?? false, options.now);
    if (options.stateFile !== undefined) this.#state = new StateFile(options.stateFile, this.#inventory);
    this.#interface = interfaceRoutes(this.#inventory, () => this.#save());
    this.#control = controlRoutes(this.#faults, this.#requests, this.#inventory);
    for (const fault of options.faults ?? []) this.inject(fault);
    this.#server = createAdaptorServer({
      fetch: (request, env) => this.#serve(request, env as HttpBindings),
      // A library must not change the globals of its host program.
      overrideGlobalObjects: false,
      ...(options.tls ? { createServer: createTlsServer, serverOptions: options.tls } : { createServer }),
    }) as Server;
  }

  /** The base URL, such as `http://127.0.0.1:7070`. */
  get url(): string {
    return this.#url;
  }

  /** All requests to the interface in the order of arrival, whatever their outcome. */
  get requests(): readonly RecordedRequest[] {
    return this.#requests;
  }

  /** All creations and deletions in order. A deletion counts when it is complete. */
  get events(): readonly ObjectEvent[] {
    return this.#inventory.events;
  }

  /** The live providers, including those that are being deleted. */
  get providers(): readonly SimulatedProvider[] {
    return [...this.#inventory.providers];
  }

  /** The live clusters, including those that are being deleted. */
  get clusters(): readonly SimulatedCluster[] {
    return [...this.#inventory.clusters];
  }

  /**
   * Creates an object from a request body, as if somebody else had created it. The provider of a cluster need not exist.
   * @throws Refusal as the request would be refused
   */
  add(kind: "providers", type: TypeCode, body: JsonObject): SimulatedProvider;
  add(kind: "clusters", type: TypeCode, body: JsonObject): SimulatedCluster;
  add(kind: Kind, type: TypeCode, body: JsonObject): SimulatedProvider | SimulatedCluster {
    const object =
      kind === "providers" ? this.#inventory.createProvider(type, body) : this.#inventory.createCluster(type, body, true);
    this.#saveLater();
    return object;
  }

  /** Removes an object immediately, even a provider with clusters. @throws NOT_FOUND */
  remove(kind: Kind, type: TypeCode, name: string): void {
    if (!this.#inventory.remove(kind, type, name)) {
      throw new ClusterPlatformError("NOT_FOUND", `there is no '${name}' among the ${type} ${kind}`);
    }
    this.#saveLater();
  }

  /** Adds a fault. If several match a request, the one that was added first applies. @throws INVALID_SETTING */
  inject(fault: Fault): InjectedFault {
    checkFault(fault, "fault");
    return this.#faults.inject(fault);
  }

  /** Ends all faults. A request that hangs keeps hanging. */
  heal(): void {
    this.#faults.heal();
  }

  /** Cuts all connections, stops the server, and saves the state file. */
  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  /** @internal */
  async start(): Promise<void> {
    const wrong = tokenProblem(this.token);
    if (wrong !== undefined) {
      throw new ConfigurationError("INVALID_SETTING", `the token must be ${TOKEN_RULE}, ${wrong}`);
    }
    await this.#state?.load();
    const { host = "127.0.0.1", port = 0, tls } = this.#options;
    try {
      this.#server.listen(port, host);
      await once(this.#server, "listening");
    } catch (error) {
      throw new ConfigurationError("INVALID_SETTING", `cannot listen on ${host}, port ${port}: ${whyNot(error)}`);
    }
    const address = this.#server.address() as AddressInfo;
    this.#url = `${tls ? "https" : "http"}://${reachable(address)}:${address.port}`;
  }

  async #close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
    await this.#state?.flush();
  }

  async #save(): Promise<void> {
    await this.#state?.save();
  }

  #saveLater(): void {
    this.#save().catch(() => {
      // The next change reports the error, or `close` does.
    });
  }

  async #serve(raw: Request, { incoming, outgoing }: HttpBindings): Promise<Response> {
    const request = this.#arrived(incoming);
    const steering = request.path.startsWith(`${CONTROL_PATH}/`);
    if (!steering) this.#record(request);
    try {
      const exchange = new Exchange(request, await readBody(incoming));
      const bindings = { incoming, outgoing, exchange };
      if (steering) return await this.#control.fetch(raw, bindings);

      await this.onRequest?.(request);
      const work = async () => {
        if (this.#closed) throw new Error("the service has been closed");
        return this.#interface.fetch(raw, bindings);
      };
      const fault = this.#faults.meet(request.method, request.path);
      request.fault = fault?.kind;
      const outcome: Outcome = fault ? await interfere(fault, work) : { answer: await work() };
      request.status = statusOf(outcome);
      await this.onResponse?.(request);
      return await deliver(outcome, outgoing);
    } catch (error) {
      // The connection is gone, or the service was closed. Nobody can receive an answer.
      if (outgoing.destroyed) return RESPONSE_ALREADY_SENT;
      const refusal = new Refusal(500, "INTERNAL", reasonOf(error));
      request.status = refusal.status;
      request.refusal = { code: refusal.code, message: refusal.message };
      return Response.json(refusal.body, { status: refusal.status });
    }
  }

  #arrived({ headers, method, url }: IncomingMessage): RecordedRequest {
    const authorized = /^bearer +(.+)$/i.exec(headers.authorization ?? "")?.[1] === this.token;
    return { at: this.#inventory.now(), method: method!, path: url!, status: undefined, body: undefined, authorized };
  }

  #record(request: RecordedRequest): void {
    this.#requests.push(request);
    if (this.#requests.length > (this.#options.keepRequests ?? Infinity)) this.#requests.shift();
  }
}

/** Programs on this machine can use it, even if the service listens on all addresses. */
function reachable({ address, family }: AddressInfo): string {
  if (family === "IPv6") return address === "::" ? "[::1]" : `[${address}]`;
  return address === "0.0.0.0" ? "127.0.0.1" : address;
}

function whyNot(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case "EADDRINUSE":
      return "another program uses the port; choose another port, or 0 for any free port";
    case "EACCES":
      return "this user may not use the port; choose a port of 1024 or higher, or 0 for any free port";
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return "this machine has no such address; use 127.0.0.1 for this machine only, or 0.0.0.0 for all its addresses";
    default:
      return reasonOf(error);
  }
}
