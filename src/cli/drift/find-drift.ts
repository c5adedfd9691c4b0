import type { ClusterList, LiveCluster, LiveProvider, ProviderList } from "../../api/client";
import { notesOnLists } from "../../api/lists";
import { compareKnown } from "../../lifecycle/compare";
import { clustersOn, isLeaving, liveUnder } from "../../lifecycle/live";
import { pluginResourceId, pluginResourceType } from "../../contract/addresses";
import { objectId } from "../../model/object-ref";
import { isTypeCode, singular, type Kind } from "../../model/provider-type";
import { objectMatcher } from "../../model/object-pattern";
import { groupedBy } from "../report/grouped-by";
import { platformKey } from "../report/instance";
import { removing, waysHome } from "../report/state-commands";
import type { StateObject } from "./state-objects";
import { DRIFT_RISKS, DRIFTS } from "./finding";
import type { DriftedObject, DriftFinding, DriftNote, DriftOfDeclared, DriftReport } from "./finding";
import { byText, type FieldChange } from "../report/finding";
import { recreatable, recreating, repairsOf, repairsOfUnmanaged } from "./repairs";

export interface LiveLists {
  readonly clusters: ClusterList;
  readonly providers: ProviderList;
}

/** What the states have, and no object. */
interface BesideObjects {
  /** States without resources. */
  readonly empty: readonly string[];
  /** Addresses of instances without a declaration, by the ids of the objects. */
  readonly entries: ReadonlyMap<string, string>;
}

/**
 * @param ignore objects that need not be declared: names, or patterns for names or for `type/kind/name`. The report only names them
 * @param url of the service. An object of another service is not compared, because an object of its name on this service is not the
 * same one.
 * @param beside what else the states have
 */
export function findDrift(
  all: readonly StateObject[],
  live: LiveLists,
  ignore: readonly string[],
  url?: string,
  { entries, empty }: BesideObjects = { entries: new Map(), empty: [] },
): DriftReport {
  const isElsewhere = ({ service }: StateObject) => url !== undefined && service !== undefined && service !== url;
  const inStates = all.filter((object) => !isElsewhere(object));
  const declared = withoutFailedTwins(inStates);
  const imports = importing(declared);
  const known = new Set(declared.map(({ id }) => id.id));
  // Cluster names are unique on the service over all types. So a live cluster of another type under a declared name is reported
  // as CHANGED, and not also as UNMANAGED.
  const clusters = declared.filter(({ id }) => id.kind === "clusters");
  const names = new Set(clusters.map(({ id }) => id.name));
  // A cluster names a provider that another program registers.
  const named = new Set(clusters.map(({ id, declared }) => objectId(id.type, "providers", String(declared.provider))));
  const undeclared = [
    ...live.providers.all().map((provider) => unmanaged("providers", provider, imports, entries)),
    ...live.clusters
      .all()
      .filter((cluster) => !isLeaving(cluster))
      .map((cluster) => unmanaged("clusters", cluster, imports, entries)),
  ].filter(({ object, kind, name }) => !known.has(object) && !named.has(object) && !(kind === "cluster" && names.has(name)));
  const ignored = ignore.map(objectMatcher);
  const isIgnored = (finding: DriftFinding) => !entries.has(finding.object) && ignored.some((matches) => matches(finding));
  const rest = undeclared.filter((finding) => !isIgnored(finding));
  const drifted = driftOfDeclared(inStates, live);
  const elsewhere = groupedBy(all.filter(isElsewhere), ({ service }) => service!);
  const recreated = [...groupedBy(recreatable(drifted), ({ object }) => object.state)].filter(
    ([, missing]) => missing.length > 1,
  );
  const missing = drifted.filter(({ finding }) => finding.verdict === "MISSING").length;
  const notWaitedFor = declared.flatMap(({ id, isWaitedFor }) => {
    const alive = isWaitedFor === false ? liveUnder(id, live) : undefined;
    return alive && isUnready(alive) && !isLeaving(alive) ? [id.id] : [];
  });
  const unmanagedElsewhere = undeclared.filter(isIgnored).map(({ object }) => object);
  const notes: (DriftNote | false)[] = [
    // A wrong URL is more likely than the loss of everything.
    declared.length > 0 && missing >= declared.length && { because: "nothing lives", declared: declared.length },
    ...empty.map((stack) => ({ because: "empty state" as const, stack })),
    ...notesOnLists(live.providers, live.clusters).map((problem) => ({ because: "unread" as const, problem })),
    ...[...elsewhere].map(([service, objects]) => ({
      because: "another service" as const,
      objects: objects.map(({ id }) => id.id),
      service,
    })),
    ...recreated.map(([stack, of]) => ({ because: "several missing" as const, stack, command: recreating(of) })),
    ...[...groupedBy(declared, ({ id }) => id.id).values()].flatMap(twice),
    notWaitedFor.length > 0 && { because: "not waited for", objects: notWaitedFor },
    unmanagedElsewhere.length > 0 && { because: "unmanaged", objects: unmanagedElsewhere.sort() },
  ];
  return {
    declared: declared.length,
    findings: [...drifted.map(({ finding }) => finding), ...rest].sort(worstFirst),
    notes: notes.filter((note) => note !== false),
  };
}

/** How the declared objects of one service differ from it, the worst first. */
function driftOfDeclared(all: readonly StateObject[], live: LiveLists): DriftedObject[] {
  const declared = withoutFailedTwins(all);
  const witnesses = witnessesIn(declared, live);
  const states = groupedBy(all, ({ state }) => state);
  const wayHomeIn = new Map([...states].map(([state, stored]) => [state, waysHome(stored, ({ ownAddress }) => ownAddress)]));
  return (
    declared
      .flatMap((object) => {
        const finding = declaredFinding(object, live);
        return finding ? [{ finding, object, isProven: witnesses.has(witnessKey(object)) }] : [];
      })
      .sort((one, other) => worstFirst(one.finding, other.finding))
      // The commands of one finding may move the object of a later one.
      .map(({ finding, object, isProven }): DriftedObject => {
        const wayHome = object.ownAddress === undefined ? undefined : wayHomeIn.get(object.state)!(object, object.ownAddress);
        const facts = { isProven, wayHome, isUsed: finding.verdict === "CHANGED" && isUsed(object, live) };
        return { finding: { ...finding, repairs: repairsOf(finding, object, facts) }, object, isProven };
      })
  );
}

/**
 * A missing object is proven to be on the right service by a live object with the same key. Any object of the Platform proves
 * this, with one exception. With the package's own provider, Terraform reads registrations before clusters. So only another
 * registration proves it for a missing registration.
 */
function witnessKey(object: StateObject): string {
  const { id } = object;
  return object.engine === "provider" && id.kind === "providers" ? `${platformOf(object)} providers` : platformOf(object);
}

function witnessesIn(declared: readonly StateObject[], live: LiveLists): ReadonlySet<string> {
  const alive = declared.filter(({ id }) => liveUnder(id, live));
  return new Set(alive.flatMap((object) => [platformOf(object), witnessKey(object)]));
}

/**
 * The id prefix for the address of an import. Empty if several Platforms could import the object. Undefined if no state has the
 * package's own provider.
 */
function importing(declared: readonly StateObject[]): string | undefined {
  const prefixes = new Set(declared.filter(({ engine }) => engine === "provider").map(({ id }) => id.platform.prefix));
  return prefixes.size === 1 ? [...prefixes][0] : prefixes.size > 1 ? "" : undefined;
}

/** The key of an object's Platform, unique over all states. */
function platformOf({ state, id }: StateObject): string {
  return `${state} ${platformKey(id.platform)}`;
}

/** A create that was refused or interrupted leaves a tainted instance, also of an object that the state has elsewhere. */
function withoutFailedTwins(all: readonly StateObject[]): StateObject[] {
  const keyOf = ({ state, id }: StateObject) => `${state} ${id.id}`;
  const owned = new Set(all.filter(({ tainted }) => !tainted).map(keyOf));
  return all.filter((object) => object.engine === "provider" || !object.tainted || !owned.has(keyOf(object)));
}

/** @param several of one object */
function twice(several: readonly StateObject[]): DriftNote[] {
  if (several.length < 2) return [];
  const [{ id }] = several as [StateObject];
  const superfluous = several.find(({ ownAddress }) => ownAddress !== undefined);
  const isOne = superfluous && several.some((other) => other !== superfluous && other.state === superfluous.state);
  if (isOne)
    return [{ because: "stored twice", object: id.id, stack: superfluous.state, command: removing(superfluous.address) }];
  return [{ because: "declared twice", object: id.id, stacks: [...new Set(several.map(({ state }) => state))] }];
}

function declaredFinding(object: StateObject, live: LiveLists) {
  const { id, state, address } = object;
  const alive = liveUnder(id, live);
  const changed = alive ? changes(object, alive) : [];
  const cluster = alive && "phase" in alive ? alive : undefined;
  const verdict = driftOf(object, alive, changed);
  if (verdict === undefined) return undefined;
  return {
    verdict,
    risk: DRIFT_RISKS[verdict],
    kind: singular(id.kind),
    type: id.type,
    name: id.name,
    object: id.id,
    stack: state,
    address,
    engine: object.engine,
    changes: changed,
    ...progress(cluster),
    ...(object.isSensitive("provider") && { provider: null }),
  };
}

function isUsed({ id }: StateObject, live: LiveLists): boolean {
  return id.kind === "providers" && clustersOn(id, live.clusters).length > 0;
}

function driftOf(
  { tainted, isWaitedFor }: StateObject,
  alive: LiveCluster | LiveProvider | undefined,
  changed: readonly FieldChange[],
): DriftOfDeclared | undefined {
  if (!alive) return "MISSING";
  // It is neither one to adopt nor one to replace.
  if (isLeaving(alive)) return "LEAVING";
  if (tainted) return "UNFINISHED";
  if (changed.length > 0) return "CHANGED";
  return isUnready(alive) && isWaitedFor !== false ? "NOT-READY" : undefined;
}

function isUnready(alive: LiveCluster | LiveProvider): alive is LiveCluster {
  return "phase" in alive && alive.phase !== "Provisioned";
}

/** How the live object differs from the declaration in the state. */
function changes({ id, declared, isSensitive }: StateObject, alive: LiveCluster | LiveProvider): FieldChange[] {
  return compareKnown(id.kind, id.type, declared, alive).differences.map(({ field, declared: before, live: after }) =>
    isSensitive(field) ? { field, before: null, after: null, hidden: true } : { field, before, after },
  );
}

function unmanaged(
  kind: Kind,
  alive: LiveCluster | LiveProvider,
  imports: string | undefined,
  entries: ReadonlyMap<string, string>,
): DriftFinding {
  const finding = {
    verdict: "UNMANAGED" as const,
    risk: DRIFT_RISKS.UNMANAGED,
    kind: singular(kind),
    type: alive.type,
    name: alive.name,
    object: objectId(alive.type, kind, alive.name),
    stack: null,
    address: null,
    engine: null,
    changes: [],
    ...progress("phase" in alive ? alive : undefined),
  };
  const { type, name } = alive;
  if (!isTypeCode(type)) return { ...finding, repairs: [{ code: "IGNORE", commands: [] }] };
  const importAs = imports === undefined ? undefined : `${pluginResourceType(type, kind)}.${pluginResourceId(imports, name)}`;
  return { ...finding, repairs: repairsOfUnmanaged(finding.object, importAs, entries.get(finding.object)) };
}

function progress(cluster: LiveCluster | undefined) {
  const open = cluster?.conditions.filter(({ status }) => status !== "True") ?? [];
  return {
    provider: cluster?.provider ?? null,
    phase: cluster?.phase ?? null,
    conditions: open.map(({ type, status }) => ({ type, status })),
  };
}

type Ranked = Pick<DriftFinding, "verdict" | "object">;

function worstFirst(one: Ranked, other: Ranked): number {
  return DRIFTS.indexOf(other.verdict) - DRIFTS.indexOf(one.verdict) || byText(one.object, other.object);
}
