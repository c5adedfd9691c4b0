import type { Kind, TypeCode } from "../model/provider-type";
import { clusterNameOf, providerNameOf, providerReferenceOf } from "./bodies";
import { checkBody } from "./body-check";
import type { SimulatedCluster, SimulatedProvider, ObjectEvent } from "./objects";
import type { Timing } from "./options";
import { Refusal } from "./refusal";
import { providerConfig, repliesOf } from "./types";

type SimulatedObject = SimulatedProvider | SimulatedCluster;

/** All methods are synchronous, so of several simultaneous requests for a name exactly one succeeds. */
export class Inventory {
  /** Grows with every change. */
  version = 0;
  readonly #providers = new Map<string, SimulatedProvider>();
  readonly #clusters = new Map<string, SimulatedCluster>();
  readonly #clustersOf = new Map<string, Set<SimulatedCluster>>();
  /** Sorted by the end of the deletion. */
  readonly #leaving: SimulatedObject[] = [];
  readonly #events: ObjectEvent[] = [];

  constructor(
    readonly timing: Timing,
    readonly acceptUnknownFields: boolean,
    readonly now: () => number = Date.now,
  ) {}

  get providers(): IterableIterator<SimulatedProvider> {
    this.#settle();
    return this.#providers.values();
  }

  get clusters(): IterableIterator<SimulatedCluster> {
    this.#settle();
    return this.#clusters.values();
  }

  get events(): readonly ObjectEvent[] {
    this.#settle();
    return this.#events;
  }

  clustersOf(provider: SimulatedProvider): Iterable<SimulatedCluster> {
    return this.#clustersOf.get(key(provider.type, provider.name)) ?? [];
  }

  createProvider(type: TypeCode, given: unknown): SimulatedProvider {
    const body = checkBody("providers", type, given, this.acceptUnknownFields);
    const name = providerNameOf(body);
    this.#settle();
    const taken = this.#providers.get(key(type, name));
    if (taken) throw nameTaken(`a ${type} provider`, taken);
    return this.#put({ kind: "providers", type, name, createdAt: this.now(), body, config: providerConfig(name, body) });
  }

  /** @param foreign whether a test creates the cluster; its provider need not exist then */
  createCluster(type: TypeCode, given: unknown, foreign = false): SimulatedCluster {
    const body = checkBody("clusters", type, given, this.acceptUnknownFields);
    const name = clusterNameOf(body);
    const provider = providerReferenceOf(body);
    this.#settle();
    const taken = this.#clusters.get(name);
    if (taken) throw nameTaken("a cluster", taken);
    if (!foreign) this.#requireProvider(type, provider);
    return this.#put({ kind: "clusters", type, name, provider, createdAt: this.now(), body });
  }

  deleteProvider(type: TypeCode, name: string): SimulatedProvider {
    const provider = this.#find("providers", type, name);
    if (!provider) throw new Refusal(404, "NOT_FOUND", `there is no ${type} provider '${name}'`);
    const users = [...this.clustersOf(provider as SimulatedProvider)];
    if (users.length > 0) {
      const names = users.slice(0, 10).map((cluster) => `'${cluster.name}'`);
      const more = users.length > names.length ? ` and ${users.length - names.length} more` : "";
      const which = `${users.length === 1 ? "cluster" : "clusters"} ${names.join(", ")}${more}`;
      throw new Refusal(409, "PROVIDER_IN_USE", `the ${type} provider '${name}' is in use by ${which}`);
    }
    return this.#leave(provider) as SimulatedProvider;
  }

  deleteCluster(name: string): SimulatedCluster {
    const cluster = this.#find("clusters", undefined, name);
    if (!cluster) throw new Refusal(404, "NOT_FOUND", `there is no cluster '${name}'`);
    return this.#leave(cluster) as SimulatedCluster;
  }

  /** Takes effect at once, which the interface cannot do. */
  remove(kind: Kind, type: TypeCode, name: string): boolean {
    const object = this.#find(kind, type, name);
    if (object?.type !== type) return false;
    if (object.goneAt !== undefined) this.#leaving.splice(this.#leaving.indexOf(object), 1);
    this.#drop(object, this.now());
    return true;
  }

  /** From a state file, without checks and events. */
  restore(object: SimulatedObject): void {
    this.#index(object);
    if (object.goneAt !== undefined) this.#enqueue(object);
  }

  #settle(): void {
    const now = this.now();
    while (this.#leaving.length > 0 && this.#leaving[0]!.goneAt! <= now) {
      const object = this.#leaving.shift()!;
      this.#drop(object, object.goneAt!);
    }
  }

  #requireProvider(type: TypeCode, name: string): void {
    const provider = this.#providers.get(key(type, name));
    if (!provider) {
      const others = [...this.#providers.values()].filter((other) => other.name === name).map((other) => other.type);
      const but = others.length > 0 ? `; '${name}' is a provider of type ${others.join(", ")}` : "";
      throw new Refusal(400, "UNKNOWN_PROVIDER", `there is no ${type} provider '${name}' to create the cluster on${but}`);
    }
    if (provider.goneAt !== undefined) {
      throw new Refusal(409, "DELETION_UNDER_WAY", `the ${type} provider '${name}' is being deleted`);
    }
    const readyAt = provider.createdAt + this.timing.providerReadySeconds * 1000;
    if (repliesOf(type).isReadyLater && this.now() < readyAt) {
      const message = `provider not ready: the ${type} provider '${name}' was registered moments ago`;
      throw new Refusal(409, "PROVIDER_NOT_READY", message);
    }
  }

  #find(kind: Kind, type: TypeCode | undefined, name: string): SimulatedObject | undefined {
    this.#settle();
    return kind === "clusters" ? this.#clusters.get(name) : this.#providers.get(key(type!, name));
  }

  #put<Object extends SimulatedObject>(object: Object): Object {
    this.#index(object);
    this.#report("created", object, object.createdAt);
    return object;
  }

  #index(object: SimulatedObject): void {
    this.version++;
    if (object.kind === "providers") {
      this.#providers.set(key(object.type, object.name), object);
      return;
    }
    this.#clusters.set(object.name, object);
    const provider = key(object.type, object.provider);
    const siblings = this.#clustersOf.get(provider) ?? new Set();
    this.#clustersOf.set(provider, siblings.add(object));
  }

  #leave(object: SimulatedObject): SimulatedObject {
    if (object.goneAt !== undefined) return object;
    this.version++;
    object.goneAt = this.now() + this.timing.deleteSeconds * 1000;
    this.#enqueue(object);
    this.#settle();
    return object;
  }

  #enqueue(object: SimulatedObject): void {
    let index = this.#leaving.length;
    while (index > 0 && this.#leaving[index - 1]!.goneAt! > object.goneAt!) index--;
    this.#leaving.splice(index, 0, object);
  }

  #drop(object: SimulatedObject, at: number): void {
    this.version++;
    if (object.kind === "providers") this.#providers.delete(key(object.type, object.name));
    else {
      this.#clusters.delete(object.name);
      this.#clustersOf.get(key(object.type, object.provider))?.delete(object);
    }
    this.#report("deleted", object, at);
  }

  #report(action: ObjectEvent["action"], { kind, type, name }: SimulatedObject, at: number): void {
    this.#events.push({ at, action, kind, type, name });
  }
}

function key(type: TypeCode, name: string): string {
  return `${type}/${name}`;
}

function nameTaken(what: string, taken: SimulatedObject): Refusal {
  return taken.goneAt === undefined
    ? new Refusal(409, "NAME_TAKEN", `${what} '${taken.name}' exists already`)
    : new Refusal(409, "DELETION_UNDER_WAY", `${what} '${taken.name}' is still being deleted`);
}
