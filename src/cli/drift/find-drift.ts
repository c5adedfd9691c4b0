import type { ClusterList, LiveCluster, LiveProvider, ProviderList } from "../../api/client";
import { differences } from "../../lifecycle/compare";
import { declaredWithDefaults } from "../../declarations/declared-with-defaults";
import { objectId } from "../../contract/addresses";
import { TYPE_CODES } from "../../model/provider-type";
import { objectMatcher } from "../report/object-pattern";
import type { DeclaredObject } from "./declared-objects";
import { DRIFTS, type Drift, type DriftFinding, type DriftReport, type FieldDifference } from "./finding";
import { repairsOf } from "./repairs";

/** All that the service has. */
export interface Live {
  readonly clusters: ClusterList;
  readonly providers: ProviderList;
}

/** @param ignore names, or patterns over names or `type/kind/name`, of objects that need not be declared */
export function findDrift(declared: readonly DeclaredObject[], live: Live, ignore: readonly string[]): DriftReport {
  const ofDeclared = declared.map((object) => declaredFinding(object, live)).filter((finding) => finding !== undefined);
  const known = new Set(declared.map(({ id }) => id.id));
  // Names of clusters are the service's, whatever their type: one of another type has changed, it is not another one.
  const names = new Set(declared.filter(({ id }) => id.kind === "clusters").map(({ id }) => id.name));
  const undeclared = [
    ...live.providers.all().map((provider) => unmanaged("provider", provider)),
    ...live.clusters.all().map((cluster) => unmanaged("cluster", cluster)),
  ].filter(({ object, kind, name }) => !known.has(object) && !(kind === "cluster" && names.has(name)));
  const ignored = ignore.map(objectMatcher);
  const rest = undeclared.filter((finding) => !ignored.some((matches) => matches(finding)));
  return {
    declared: declared.length,
    findings: [...ofDeclared, ...rest].sort(worstFirst),
    declaredTwice: declaredTwice(declared),
    ignored: undeclared.length - rest.length,
  };
}

function declaredFinding(object: DeclaredObject, live: Live): DriftFinding | undefined {
  const { id, state, address } = object;
  const alive = id.kind === "clusters" ? live.clusters.find(id.name) : live.providers.find(id.type, id.name);
  const changed = alive ? changes(object, alive) : [];
  const cluster = alive && "phase" in alive ? alive : undefined;
  const drift = driftOf(object, alive, changed);
  if (drift === undefined) return undefined;
  const finding = {
    drift,
    kind: id.kind === "clusters" ? ("cluster" as const) : ("provider" as const),
    type: id.type,
    name: id.name,
    object: id.id,
    state,
    address,
    differences: changed,
    ...progress(cluster),
    ...(object.isSensitive("provider") && { provider: null }),
  };
  return { ...finding, repairs: repairsOf(finding, object, drift === "CHANGED" && isUsed(object, live)) };
}

function isUsed({ id }: DeclaredObject, live: Live): boolean {
  return id.kind === "providers" && live.clusters.all().some(({ type, provider }) => type === id.type && provider === id.name);
}

function driftOf(
  { tainted }: DeclaredObject,
  alive: LiveCluster | LiveProvider | undefined,
  changed: readonly FieldDifference[],
): Drift | undefined {
  if (!alive) return "MISSING";
  if (tainted) return "UNFINISHED";
  if (changed.length > 0) return "CHANGED";
  return "phase" in alive && alive.phase !== "Provisioned" ? "NOT-READY" : undefined;
}

function changes({ id, declared, isSensitive }: DeclaredObject, alive: LiveCluster | LiveProvider): FieldDifference[] {
  return differences(id.kind, id.type, declaredWithDefaults(id.type, id.kind, declared), alive).map((difference) =>
    isSensitive(difference.field) ? { field: difference.field, declared: null, live: null } : difference,
  );
}

function unmanaged(kind: DriftFinding["kind"], alive: LiveCluster | LiveProvider): DriftFinding {
  const finding = {
    drift: "UNMANAGED" as const,
    kind,
    type: alive.type,
    name: alive.name,
    object: objectId(alive.type, kind === "cluster" ? "clusters" : "providers", alive.name),
    state: null,
    address: null,
    differences: [],
    ...progress("phase" in alive ? alive : undefined),
  };
  const adoptable = (TYPE_CODES as readonly string[]).includes(alive.type);
  return { ...finding, repairs: repairsOf(finding, adoptable ? "adoptable" : "unknown type") };
}

function progress(cluster: LiveCluster | undefined) {
  const open = cluster?.conditions.filter(({ status }) => status !== "True") ?? [];
  return {
    provider: cluster?.provider ?? null,
    phase: cluster?.phase ?? null,
    conditions: open.map(({ type, status }) => ({ type, status })),
  };
}

function declaredTwice(declared: readonly DeclaredObject[]): DriftReport["declaredTwice"] {
  const states = new Map<string, string[]>();
  for (const { id, state } of declared) states.set(id.id, [...(states.get(id.id) ?? []), state]);
  return [...states].filter(([, all]) => all.length > 1).map(([object, all]) => ({ object, states: all }));
}

function worstFirst(one: DriftFinding, other: DriftFinding): number {
  return (
    DRIFTS.indexOf(other.drift) - DRIFTS.indexOf(one.drift) ||
    (one.object < other.object ? -1 : Number(one.object > other.object))
  );
}
