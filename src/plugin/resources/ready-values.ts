import type { LiveCluster } from "../../api/client";
import type { Live } from "../../lifecycle/live";
import { idOf, parseObjectId, type ObjectRef } from "../../model/object-ref";
import type { Diagnostic } from "../../terraform/diagnostic";
import { Unknown, UNKNOWN, type ObjectValue, type Value } from "../../terraform/value";
import type { Ledger } from "./ledger";

export type LiveClusters = ReadonlyMap<string, LiveCluster>;

/**
 * The live values, and the uids that this run has read for the objects. A uid changes without a new object if the object was
 * imported again. Values that the service does not show are kept, because dependents of the cluster use them.
 */
export function refreshed(state: ObjectValue, live: LiveClusters, ledger: Ledger): ObjectValue {
  const stored = state.objects as ObjectValue;
  const objects = mapOf(objectsIn(state), (id, object) => ledger.uidOf(object) ?? stored[id]!);
  const known = knownEndpoints(state, objects);
  const phases = (state.phases ?? {}) as ObjectValue;
  return {
    ...state,
    objects,
    endpoints: mapOf(clustersIn(state), (id) => live.get(id)?.apiEndpoint || (known[id] ?? "")),
    phases: mapOf(clustersIn(state), (id) => live.get(id)?.phase ?? phases[id] ?? ""),
  };
}

/** The endpoint of a cluster is unknown only if its object is new. Otherwise dependents would be replaced whenever it is not ready. */
export function plannedEndpoints(prior: ObjectValue | null, proposed: ObjectValue): Value {
  if (proposed.objects instanceof Unknown) return UNKNOWN;
  const known = prior ? knownEndpoints(prior, proposed.objects as ObjectValue) : {};
  return mapOf(clustersIn(proposed), (id) => known[id] ?? UNKNOWN);
}

/** The endpoints in the state of the clusters that have the same uid in `objects`. An empty endpoint is not known yet. */
function knownEndpoints(state: ObjectValue, objects: ObjectValue): Readonly<Record<string, string>> {
  const before = (state.objects ?? {}) as ObjectValue;
  const endpoints = Object.entries((state.endpoints ?? {}) as ObjectValue);
  return Object.fromEntries(
    endpoints.filter(
      (entry): entry is [string, string] =>
        typeof entry[1] === "string" && entry[1] !== "" && before[entry[0]] === objects[entry[0]],
    ),
  );
}

export function mapOf(objects: readonly ObjectRef[], valueOf: (id: string, object: ObjectRef) => Value): ObjectValue {
  return Object.fromEntries(objects.map((object) => [idOf(object), valueOf(idOf(object), object)]));
}

/** The clusters among these that were found with their own type. */
export function liveById(clusters: readonly ObjectRef[], found: readonly (Live | undefined)[]): LiveClusters {
  const entries = clusters.flatMap((cluster, index) => {
    const live = found[index];
    return live && "phase" in live && live.type === cluster.type ? [[idOf(cluster), live] as const] : [];
  });
  return new Map(entries);
}

export function objectsIn({ objects = null }: ObjectValue): ObjectRef[] {
  if (objects === null || objects instanceof Unknown) return [];
  return Object.keys(objects as ObjectValue).map((id) => parseObjectId(id)!);
}

export function clustersIn(value: ObjectValue): ObjectRef[] {
  return objectsIn(value).filter(({ kind }) => kind === "clusters");
}

export function isReady(state: ObjectValue): boolean {
  const phases = (state.phases ?? {}) as ObjectValue;
  return texts(state.wait_for).every((id) => phases[id] === "Provisioned");
}

export function problems({ objects = null, wait_for = null }: ObjectValue): Diagnostic[] {
  if (objects === null || objects instanceof Unknown) return [];
  const ids = Object.keys(objects as ObjectValue);
  const problem = (path: string, rule: string): Diagnostic => ({
    severity: "error",
    summary: `'${path}' must ${rule} [INVALID_PROP]`,
    path: [path],
  });
  return [
    ...ids
      .filter((id) => parseObjectId(id) === undefined)
      .map((id) => problem("objects", `have keys such as capvs/clusters/prod, got ${JSON.stringify(id)}`)),
    ...texts(wait_for)
      .filter((id) => parseObjectId(id)?.kind !== "clusters" || !ids.includes(id))
      .map((id) =>
        problem("wait_for", `have only clusters of 'objects', such as capvs/clusters/prod, got ${JSON.stringify(id)}`),
      ),
  ];
}

export function texts(value: Value = null): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}
