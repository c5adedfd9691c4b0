import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createAdaptorServer, type HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { ClusterPlatformError, ConfigurationError } from "../model/errors";
import type { JsonObject, Kind, TypeCode } from "../model/provider-type";
import type { Routes } from "./authorized-routes";
import { CONTROL_PATH, controlRoutes } from "./control-routes";
import { Exchange, readBody, type RecordedRequest } from "./exchange";
import { type Fault, Faults, type InjectedFault } from "./fault";
import { interfaceRoutes } from "./interface-routes";
import type { Outcome } from "./fault-kinds";
import { deliver, interfere, statusOf } from "./interference";
import { Inventory } from "./inventory";
import type { SimulatedCluster, SimulatedProvider, ObjectEvent } from "./objects";
import type { RequestHook, SimulatorOptions, Timing } from "./options";
import { reasonOf, Refusal } from "./refusal";
import { StateFile } from "./state-file";

/**
 * Starts the embedded service: the whole interface, stateful, over real HTTP.
 *
 * @throws INVALID_SETTING when it cannot listen there or use the state file, INVALID_DOCUMENT when that is damaged.
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = new Simulator(options);
  await simulator.start();
  return simulator;
}

/** The embedded service while it runs; made by {@link startSimulator}. */
export class Simulator {
  /** The bearer token that calls must carry; set it to rotate it. */
  token: string;
  /** See {@link SimulatorOptions.onRequest}. */
  onRequest?: RequestHook;
  /** See {@link SimulatorOptions.onResponse}. */
  onResponse?: RequestHook;
  /** How long things take; may be changed at any time. */
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
    for (const fault of options.faults ?? []) this.#faults.inject(fault);
    this.#server = createAdaptorServer({
      fetch: (request, env) => this.#serve(request, env as HttpBindings),
      // A library must leave the globals of the program that it runs in alone.
      overrideGlobalObjects: false,
      ...(options.tls ? { createServer: createTlsServer, serverOptions: options.tls } : { createServer }),
    }) as Server;
  }

  /** Where it listens, as in `http://127.0.0.1:7070`. */
  get url(): string {
    return this.#url;
  }

  /** Every request of the interface's paths in order of arrival, whatever became of it. */
  get requests(): readonly RecordedRequest[] {
    return this.#requests;
  }

  /** What really happened to objects, in order; a deletion counts when it is complete. */
  get events(): readonly ObjectEvent[] {
    return this.#inventory.events;
  }

  /** The providers that are live now, those on their way out included. */
  get providers(): readonly SimulatedProvider[] {
    return [...this.#inventory.providers];
  }

  /** The clusters that are live now, those on their way out included. */
  get clusters(): readonly SimulatedCluster[] {
    return [...this.#inventory.clusters];
  }

  /**
   * Creates an object as if somebody else had, from a request body of the interface. The provider of a cluster need not
   * be registered.
   *
   * @throws Refusal as the request would have been refused.
   */
  add(kind: "providers", type: TypeCode, body: JsonObject): SimulatedProvider;
  add(kind: "clusters", type: TypeCode, body: JsonObject): SimulatedCluster;
  add(kind: Kind, type: TypeCode, body: JsonObject): SimulatedProvider | SimulatedCluster {
    const object =
      kind === "providers" ? this.#inventory.createProvider(type, body) : this.#inventory.createCluster(type, body, true);
    this.#saveLater();
    return object;
  }

  /**
   * Takes an object away at once and unasked, whoever uses it.
   *
   * @throws NOT_FOUND
   */
  remove(kind: Kind, type: TypeCode, name: string): void {
    if (!this.#inventory.remove(kind, type, name)) {
      throw new ClusterPlatformError("NOT_FOUND", `there is no '${name}' among the ${type} ${kind}`);
    }
    this.#saveLater();
  }

  /** Lets a failure loose on the requests that it matches, after those that were injected before it. */
  inject(fault: Fault): InjectedFault {
    return this.#faults.inject(fault);
  }

  /** Ends all faults. A request that hangs already goes on hanging. */
  heal(): void {
    this.#faults.heal();
  }

  /** Cuts all connections, stops, and saves the state if it is kept. */
  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  /** @internal */
  async start(): Promise<void> {
    if (this.token === "") throw new ConfigurationError("INVALID_SETTING", "the token must not be empty");
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
    await this.#save();
  }

  async #save(): Promise<void> {
    await this.#state?.save();
  }

  #saveLater(): void {
    this.#save().catch(() => {
      // The next request that changes something says so, or else closing does.
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
      // The connection ended in the middle of the request, or the service did: nobody is left to be told.
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

/** The address by which a program on this machine reaches the service, also where it listens on all of them. */
function reachable({ address, family }: AddressInfo): string {
  if (family === "IPv6") return address === "::" ? "[::1]" : `[${address}]`;
  return address === "0.0.0.0" ? "127.0.0.1" : address;
}

function whyNot(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case "EADDRINUSE":
      return "another program does; choose another port, or 0 for any that is free";
    case "EACCES":
      return "this user may not; choose a port from 1024 on, or 0 for any that is free";
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return "this machine has no such address; 127.0.0.1 is for itself only, 0.0.0.0 for all of its addresses";
    default:
      return reasonOf(error);
  }
}
