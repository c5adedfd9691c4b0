import type { Connection } from "../../../src/api/connection";
import type { Wire } from "../../../src/api/http/requester";
import type { WireRequest } from "../../../src/api/http/transport";
import { bodyOf } from "../programs";
import { Computer, Kernel, type Process } from "../kernel";
import { Service, type Actor } from "../service";
import { configurationOf } from "../terraform/configuration";
import type { PlanOptions } from "../terraform/plan-walk";
import { movedByHand, type State } from "../terraform/state";
import { Terraform, type Backend, type Outcome, type SavedPlan } from "../terraform/terraform";
import {
  addressOf,
  blockOf,
  inOrder,
  isOfPlugin,
  nameOf,
  seenAttributes,
  seenObject,
  type Seen,
  type SeenInstance,
} from "./side";
import { idOf, PROVIDER, type Method, type NamedFault, type ObjectName, type Step, type StopAt } from "./steps";

/** A service that knows the names of the objects that requests are about. */
class NamingService extends Service {
  readonly writes: string[] = [];
  /** The object of the request that arrives now. */
  arriving = "";
  /** A write that is sent only when everything beside it has ended. */
  held: Pick<StopAt, "method" | "name"> | undefined;

  override wireOf(process: Process, actor: Actor, connection: Connection): Wire {
    const wire = super.wireOf(process, actor, connection);
    const { transport, clock } = wire;
    const send = async (request: WireRequest) => {
      const naming = this.#naming(request);
      if (this.held?.method === request.method && this.held.name === nameOfWire(request)) await clock.pause(HELD_MS);
      return transport.send(naming);
    };
    return { ...wire, transport: { ...transport, send } };
  }

  #naming(request: WireRequest): WireRequest {
    const { method } = request;
    const name = nameOfWire(request);
    if (method !== "GET") this.writes.push(`${method} ${name}`);
    const naming = () => (this.arriving = name);
    return {
      ...request,
      get method() {
        naming();
        return method;
      },
    };
  }
}

/** Longer than the hooks beside it take, and shorter than their time limits. */
const HELD_MS = 30_000;

function nameOfWire({ method, path, body }: WireRequest): string {
  return method === "GET" ? "" : nameOf(method, path, body === undefined ? undefined : JSON.parse(body));
}

/** The simulated world, with the same programs and environment as the real one. */
export class SimulatedSide {
  readonly #kernel: Kernel;
  readonly #service: NamingService;
  readonly #computer = new Computer("A");
  readonly #backends: Record<Step["workspace"], Backend>;
  #plan: (SavedPlan & { readonly providers: string }) | undefined;
  /** Of the last `terraform init`, which runs again if the code needs other providers. */
  #initialized = { needed: "", providers: "" };
  #runs = 0;

  constructor(
    seed: number,
    private readonly env: Readonly<Record<string, string>>,
    private readonly isOpenTofu: boolean,
  ) {
    const backend = () => ({ state: new Map(), serial: 0, isRemote: false });
    this.#backends = { default: backend(), other: backend() };
    this.#kernel = new Kernel(seed);
    this.#service = new NamingService(this.#kernel, env.CLUSTER_PLATFORM_URL!);
  }

  #canEdit({ state, code, workspace }: Step): boolean {
    if (!state) return false;
    const instances = this.#backends[workspace].state;
    const instance = instances.get(addressOf(code, state.name));
    if (state.act === "untaint") return instance?.isTainted === true;
    return instance !== undefined && (state.to === undefined || !instances.has(addressOf(code, state.to)));
  }

  /**
   * The step with its fault and its stop at an object that the run writes, if there is one. Without a stop whose outcome the real
   * world leaves open: a look cannot be told from the looks of other hooks.
   */
  async settled(step: Step, json: unknown): Promise<Step> {
    const { fault, stop, ...rest } = step;
    const { files } = this.#computer;
    const before = [...files];
    const writes = this.#writesOf(await this.#planOf(step, json));
    // The real world does not plan here, so it has no notes of such a plan.
    files.clear();
    for (const [path, text] of before) files.set(path, text);
    const at = ({ name, method }: { name?: ObjectName; method: string }) =>
      writes.find((write) => write.name === name && write.method === method) ?? writes.find((write) => write.method === method);
    const hit = fault && fault.method !== "GET" ? at(fault) : undefined;
    const stopped = stop && at(stop);
    const isAlone =
      stopped && writes.every(({ name }) => name === stopped.name || (name === PROVIDER) !== (stopped.name === PROVIDER));
    return {
      ...rest,
      ...(fault && { fault: { ...fault, ...hit } }),
      ...(stop && stopped && (stop.at !== "look" || isAlone) && { stop: { ...stop, ...stopped } }),
    };
  }

  #writesOf(saved: SavedPlan | undefined): { name: ObjectName; method: Method }[] {
    return (saved?.plan.changes ?? []).flatMap(({ place, action, prior }) => {
      const { key } = (place ?? prior)!;
      if (key === undefined) return [];
      const name = key as ObjectName;
      const isDeleted = (action === "delete" || action === "replace") && !prior!.isTainted;
      const isCreated = action === "create" || action === "replace";
      return [
        ...(isDeleted ? [{ name, method: "DELETE" as const }] : []),
        ...(isCreated ? [{ name, method: "POST" as const }] : []),
      ];
    });
  }

  /** Does what happens before the run. Returns whether the state can be edited as the step says. */
  prepare(step: Step): boolean {
    const canEdit = this.#canEdit(step);
    if (canEdit) this.#editState(step);
    this.#other(step);
    return canEdit;
  }

  async play(step: Step, json: unknown): Promise<Seen> {
    const service = this.#service;
    const firstWrite = service.writes.length;
    this.#initialize(step, json);
    const outcome = step.operation === "plan" ? await this.#planned(step, json) : await this.#apply(step, json);
    service.forgetFaults();
    return {
      ok: outcome.ok,
      codes: inOrder(outcome.codes.filter((code) => !TERRAFORMS_OWN.has(code))),
      writes: inOrder(service.writes.slice(firstWrite)),
      live: inOrder(service.allLive.map(({ object: { name, body } }) => seenObject(name, body))),
      state: this.#state(step),
      empty: inOrder(this.#backends[step.workspace].empty ?? []),
      notes: inOrder([...this.#computer.files.keys()].map((file) => file.replace(/\/[^/]*$/, ""))),
      ...(step.operation === "plan" && outcome.ok && { changes: inOrder(outcome.changes) }),
    };
  }

  #runOf(step: Step, json: unknown): Terraform {
    const actor = { name: `run ${this.#runs}`, run: this.#runs };
    const services = new Map([[this.env.CLUSTER_PLATFORM_URL!, this.#service]]);
    const world = { kernel: this.#kernel, services, isOpenTofu: this.isOpenTofu };
    const env: Record<string, string> = { ...this.env };
    if (step.adopt) env.CLUSTER_PLATFORM_ADOPT = step.adopt.map(idOf).join(",");
    if (step.acceptGone) env.CLUSTER_PLATFORM_ACCEPT_GONE = step.acceptGone.map(idOf).join(",");
    const backend = this.#backends[step.workspace];
    const configuration = configurationOf(json);
    return new Terraform(world, actor, configuration, backend, env, this.#computer, step.workspace);
  }

  #optionsOf({ code, operation, isDestroyPlanned, replace, target, isBlockTargeted, withoutRefresh }: Step): PlanOptions {
    return {
      destroy: operation === "destroy" || isDestroyPlanned,
      ...(replace && { replace: [addressOf(code, replace)] }),
      ...(target && { target: [isBlockTargeted ? blockOf(code, target) : addressOf(code, target)] }),
      ...(withoutRefresh && { refresh: false }),
    };
  }

  /** Undefined if Terraform refuses to plan. */
  async #planOf(step: Step, json: unknown): Promise<SavedPlan | undefined> {
    if (step.operation === "apply the plan") return this.#plan;
    const { saved } = await this.#kernel.play(this.#runOf(step, json).plan(this.#optionsOf(step)));
    return saved;
  }

  async #planned(step: Step, json: unknown): Promise<Outcome> {
    const { saved, ...outcome } = await this.#kernel.play(this.#runOf(step, json).plan(this.#optionsOf(step)));
    this.#plan = saved && { ...saved, providers: this.#initialized.providers };
    return outcome;
  }

  /** The file of locks has the providers that the code needs, and those of the state, whose blocks may have no instances. */
  #initialize({ workspace }: Step, json: unknown): void {
    const { terraform } = json as { readonly terraform: { readonly required_providers?: object } };
    const required = Object.keys(terraform.required_providers ?? {});
    const needed = inOrder(required).join();
    if (this.#initialized.needed === needed) return;
    const { state, empty = [] } = this.#backends[workspace];
    const ofState = [...state.keys(), ...empty].map((address) => address.slice(0, address.indexOf("_")));
    const providers = [...required, ...ofState.filter((provider) => provider !== "terraform")];
    this.#initialized = { needed, providers: inOrder(providers).join() };
  }

  /**
   * If Terraform has refused to plan, there is no file of a plan. If the file of locks has changed since, Terraform refuses the plan.
   */
  async #applySaved(run: Terraform): Promise<Outcome> {
    if (this.#plan?.providers === this.#initialized.providers) return run.applySaved(this.#plan);
    return { ok: false, wasKilled: false, errors: [], codes: [], remedies: [], said: [], advice: [], changes: [] };
  }

  async #apply(step: Step, json: unknown): Promise<Outcome> {
    const kernel = this.#kernel;
    this.#runs++;
    const run = this.#runOf(step, json);
    const { fault, stop } = step;
    this.#service.held = stop?.at === "look" ? undefined : stop;
    if (fault?.method === "GET") this.#service.plan({ method: "GET", skip: 0, times: Infinity, fault: fault.fault });
    let left = fault?.times ?? Infinity;
    let isStopped = false;
    kernel.onEffect = (what) => {
      if (fault && left > 0 && this.#isHit(fault, what)) {
        left--;
        this.#service.plan({ method: fault.method, skip: 0, times: 1, fault: fault.fault });
      }
      if (!stop || isStopped || !this.#isTime(stop, what)) return;
      isStopped = true;
      halt(run, stop);
    };
    const outcome = await kernel.play(
      step.operation === "apply the plan" ? this.#applySaved(run) : run.apply(this.#optionsOf(step)),
    );
    // Hooks may outlive their Terraform.
    if (stop) await kernel.pass(10_000);
    kernel.onEffect = undefined;
    return outcome;
  }

  #isHit({ method, name }: NamedFault, what: string): boolean {
    return method !== "GET" && what.startsWith(`arrives ${method}`) && this.#service.arriving === name;
  }

  #isTime({ method, name, at }: StopAt, what: string): boolean {
    if (at !== "look") {
      const event = at === "arrived" ? "arrives" : "carried out";
      return what.startsWith(`${event} ${method}`) && this.#service.arriving === name;
    }
    const [act, address] = this.#kernel.current?.label.split(" ", 2) ?? [];
    const isHook = address?.endsWith(`["${name}"]`) === true && (act === "destroy") === (method === "DELETE");
    return isHook && what.startsWith("sends GET");
  }

  #editState({ state, code, workspace }: Step): void {
    const { act, name, to } = state!;
    const backend = this.#backends[workspace];
    const write = (next: State) => {
      backend.state = next;
      backend.serial++;
    };
    if (act === "mv") return write(movedByHand(backend.state, addressOf(code, name), addressOf(code, to!)));
    const after = new Map(backend.state);
    const instance = after.get(addressOf(code, name))!;
    if (act === "rm") after.delete(addressOf(code, name));
    if (act === "taint" && instance.isTainted) return;
    if (act === "taint" || act === "untaint") after.set(addressOf(code, name), { ...instance, isTainted: act === "taint" });
    write(after);
  }

  #other({ other }: Step): void {
    if (!other) return;
    const isThere = this.#service.live(idOf(other.name)) !== undefined;
    this.#kernel.as(undefined, () => {
      if (other.act === "deletes" && isThere) this.#service.otherRemoves("clusters", "capvs", other.name);
      if (other.act === "creates" && !isThere)
        this.#service.otherCreates("clusters", "capvs", structuredClone(bodyOf(other.name, 0)));
    });
  }

  #state({ workspace }: Step): Record<string, SeenInstance> {
    return Object.fromEntries(
      [...this.#backends[workspace].state].map(([address, { block, isTainted, dependencies, attributes, private: kept }]) => [
        address,
        {
          isTainted,
          dependencies: inOrder(dependencies),
          attributes: seenAttributes(block, { ...attributes }) as Record<string, unknown>,
          ...(isOfPlugin(block) && { private: kept === undefined ? {} : (JSON.parse(kept) as unknown) }),
        },
      ]),
    );
  }
}

/** Codes of errors that are not of this package. */
const TERRAFORMS_OWN = new Set(["TERRAFORM", "REFUSED_BY_TERRAFORM", "HALTED", "INVALID_ANSWER", "PLUGIN_DIED"]);

function halt(run: Terraform, { how }: StopAt): void {
  if (how === "SIGKILL of the child") run.killChildren();
  if (how === "SIGINT") run.interrupt();
  if (how === "SIGKILL of Terraform") run.kill({ withChildren: false });
  if (how === "the machine dies") run.kill({ withChildren: true });
}
