import type { Kind, TypeCode } from "../../src/model/provider-type";
import type { Simulator } from "../../src/simulator";
import { clusterBody } from "../support/capvs";

/** Clusters that somebody else has on the service. */
export class Foreigners {
  /** Since which request, by name. */
  readonly #since = new Map<string, number>();
  readonly #harmed: string[] = [];

  constructor(private readonly simulator: Simulator) {}

  /** Somebody creates a cluster that looks as the stack itself would declare it. */
  add(name: string, on?: string): void {
    this.simulator.add("clusters", "capvs", clusterBody(name, on));
    this.#since.set(name, this.simulator.requests.length);
  }

  /** Its owner deletes it. */
  remove(name: string): void {
    this.adopted(name);
    this.simulator.remove("clusters", "capvs", name);
  }

  /** It is the stack's from now on. */
  adopted(name: string): void {
    this.#harmed.push(...this.#harmTo(name));
    this.#since.delete(name);
  }

  get names(): readonly string[] {
    return [...this.#since.keys()];
  }

  /** What the stack did to those that were not its own. */
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
 * What must never happen, told from the service's own log: a second creation of what lives, a request for the deletion
 * of what the stack neither created nor adopted, an object of somebody else that is gone.
 *
 * `contested` are names that two create at once, where only the service can decide.
 */
export function violations(simulator: Simulator, foreign: Foreigners, contested: ReadonlySet<string> = new Set()): string[] {
  const found = [...foreign.harmed];
  const live = new Set<string>();
  for (const { action, kind, type, name } of simulator.events) {
    const id = idOf(kind, type, name);
    if (action === "deleted") live.delete(id);
    else if (live.has(id)) found.push(`${id} was created twice`);
    else live.add(id);
  }
  for (const { body, refusal } of simulator.requests) {
    if (refusal?.code === "NAME_TAKEN" && !contested.has(nameIn(body)))
      found.push(`${nameIn(body)} was to be created while it lived`);
  }
  return found;
}

/** Names of clusters are the service's, whatever their type; those of providers belong to a type. */
function idOf(kind: Kind, type: TypeCode, name: string): string {
  return kind === "clusters" ? `cluster ${name}` : `${type} provider ${name}`;
}

function nameIn(body: unknown): string {
  const { cluster, identityName, name } = body as { cluster?: { clusterName: string }; identityName?: string; name?: string };
  return cluster?.clusterName ?? identityName ?? name ?? "";
}
