import type { Kind, TypeCode } from "../../src/model/provider-type";
import type { Simulator } from "../../src/simulator";
import { clusterBody } from "../support/capvs";

/** Clusters of other owners on the service. */
export class Foreigners {
  /** By name: the number of requests when the cluster appeared. */
  readonly #since = new Map<string, number>();
  readonly #harmed: string[] = [];

  constructor(private readonly simulator: Simulator) {}

  /** Creates a foreign cluster that looks like the stack's declaration. */
  add(name: string, on?: string): void {
    this.simulator.add("clusters", "capvs", clusterBody(name, on));
    this.#since.set(name, this.simulator.requests.length);
  }

  remove(name: string): void {
    this.adopted(name);
    this.simulator.remove("clusters", "capvs", name);
  }

  adopted(name: string): void {
    this.#harmed.push(...this.#harmTo(name));
    this.#since.delete(name);
  }

  get names(): readonly string[] {
    return [...this.#since.keys()];
  }

  get harmed(): readonly string[] {
    return [...this.#harmed, ...this.names.flatMap((name) => this.#harmTo(name))];
  }

  #harmTo(name: string): string[] {
    const requests = this.simulator.requests.slice(this.#since.get(name));
    const asked = requests.filter(({ method, path }) => method === "DELETE" && path === `/api/v1/clusters/${name}`);
    const gone = this.simulator.clusters.some((cluster) => cluster.name === name) ? [] : ["is gone"];
    return [...asked.map(() => "was to be deleted"), ...gone].map((harm) => `${name}, which is somebody else's, ${harm}`);
  }
}

/**
 * Violations of the invariants in the service's own log: a live object was created or requested again, a deletion was requested
 * for an object that the stack neither created nor adopted, or a foreign object is gone.
 */
export function violations(simulator: Simulator, foreign: Foreigners): string[] {
  const found = [...foreign.harmed];
  const live = new Set<string>();
  for (const { action, kind, type, name } of simulator.events) {
    const id = idOf(kind, type, name);
    if (action === "deleted") live.delete(id);
    else if (live.has(id)) found.push(`${id} was created twice`);
    else live.add(id);
  }
  // A late request may come from before the create that took its name.
  const livedAt = (name: string, at: number) =>
    simulator.events.findLast((event) => event.name === name && event.at <= at)?.action === "created";
  for (const { at, body, refusal } of simulator.requests) {
    if (refusal?.code !== "NAME_TAKEN") continue;
    const name = nameIn(body);
    if (livedAt(name, at)) found.push(`${name} was requested again while it lived`);
  }
  return found;
}

/** A cluster's name is unique on the service. A provider's name is unique within its type. */
function idOf(kind: Kind, type: TypeCode, name: string): string {
  return kind === "clusters" ? `cluster ${name}` : `${type} provider ${name}`;
}

function nameIn(body: unknown): string {
  const { cluster, identityName, name } = body as { cluster?: { clusterName: string }; identityName?: string; name?: string };
  return cluster?.clusterName ?? identityName ?? name ?? "";
}
