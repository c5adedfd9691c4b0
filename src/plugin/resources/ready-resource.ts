import type { LiveCluster } from "../../api/client";
import { appearing } from "../../lifecycle/absence";
import { Call as LifecycleCall } from "../../lifecycle/call";
import type { Context } from "../../lifecycle/context";
import type { Journal } from "../../lifecycle/journal";
import { liveUnder, look, type Live } from "../../lifecycle/live";
import { wait } from "../../lifecycle/wait";
import { LOOK_FOR_MISSING_MS, MISSING_MS } from "../../lifecycle/times";
import { idOf, parseObjectId, type ObjectRef } from "../../model/object-ref";
import type { Diagnostic } from "../../terraform/diagnostic";
import { typeOf } from "../../terraform/attributes";
import { isSame, Unknown, UNKNOWN, type ObjectValue, type Value } from "../../terraform/value";
import type { Call, Resource } from "../server/provider";
import { READY_ATTRIBUTES } from "./attributes";
import { isOnService } from "./another-service";
import { reportingFailures } from "./failures";
import { inNoState, isUndeclared, undeclared, undeclaredElsewhere } from "./journal";
import type { Ledger } from "./ledger";
import { refuseOrphans, refuseOrphansElsewhere, warnOfOrphans } from "./orphan-check";
import type { NotedPlace, Session } from "./session";
import { refuseUsedProviders } from "./used-provider";

/** A resource of its own, because a create that waits would occupy one of Terraform's ten slots. */
export function readyResource(ledger: Ledger): Resource<Session> {
  return {
    attributes: READY_ATTRIBUTES,
    description: "Waits until the clusters of a Platform are ready, and has their live attributes.",

    validate: (config, call) => problems(config).forEach((problem) => call.report(problem)),

    read: ({ state, private: before }, call) =>
      reportingFailures(state, call, async () => {
        const memory = refreshedMemory(before, ledger, call);
        const clusters = clustersIn(state);
        if (clusters.length === 0) return { state, private: memory };
        const { presence } = call.configured;
        // Another service may have somebody else's clusters of the same names.
        const isElsewhere = (cluster: ObjectRef) => {
          const recorded = ledger.recorded(cluster);
          return recorded !== undefined && !isOnService(recorded, call.configured);
        };
        const found = await Promise.all(
          clusters.map(async (cluster) => (isElsewhere(cluster) ? undefined : presence.find(cluster))),
        );
        return { state: refreshed(state, liveById(clusters, found), ledger), private: memory };
      }),

    plan: ({ prior, proposed, private: before }, call) =>
      reportingFailures(proposed ?? prior, call, async () => {
        const memory: ReadyMemory =
          proposed === null
            ? ((before as ReadyMemory | undefined) ?? {})
            : {
                hasAllObjects: hasAllObjects(proposed, call),
                place: call.configured.place,
                suspected: suspectedIn(before, call).filter((id) =>
                  isUndeclared(parseObjectId(id)!, ledger, objectsIn(proposed).map(idOf)),
                ),
                isReplaced: true,
              };
        const suspects = suspectsOf(ledger, memory, (proposed ?? prior)!, call);
        if (!ledger.isApplying) {
          const elsewhere = suspectsElsewhere(ledger, memory, (proposed ?? prior)!, call);
          await warnOfOrphans([...suspects.map((object) => ({ object })), ...elsewhere], call);
        }
        if (prior) ledger.named(objectsIn(prior));
        if (proposed !== null && memory.hasAllObjects) {
          await refuseUsedProviders(ledger, call);
        }
        if (proposed === null) return { planned: null, private: memory };
        const isSettled =
          prior !== null &&
          isSame(typeOf(READY_ATTRIBUTES), prior, proposed) &&
          suspects.length === 0 &&
          suspectsOfLeftPlatforms(ledger, memory, call).length === 0;
        if (isSettled && isReady(prior)) return { planned: prior };
        return {
          planned: {
            ...proposed,
            id: prior?.id ?? UNKNOWN,
            endpoints: plannedEndpoints(prior, proposed),
            phases: UNKNOWN,
          },
          private: memory,
        };
      }),

    create: ({ planned, private: memory }, call) =>
      reportingFailures(planned, call, async () => {
        await refuseAllOrphans(ledger, memory, planned, call);
        return { ...(await ready({ ...planned, id: call.configured.newId() }, call)), private: kept(memory) };
      }),
    update: ({ planned, private: memory }, call) =>
      reportingFailures(planned, call, async () => {
        await refuseAllOrphans(ledger, memory, planned, call);
        return { ...(await ready(planned, call)), private: kept(memory) };
      }),
    delete: ({ prior, private: memory }, call) =>
      reportingFailures(prior, call, async () => {
        // Its successor looks when it knows all objects.
        if ((memory as ReadyMemory | undefined)?.isReplaced) return;
        await ledger.checkedOnce(() => refuseOrphans(lostOf(ledger, memory, call), call, "Nothing was deleted"));
      }),
  };
}

/** What the state keeps of the resource besides its attributes. */
type ReadyMemory = {
  /** Whether it waits for all objects of its provider block. Then it also looks for orphans. */
  readonly hasAllObjects?: boolean;
  /** Whose notes tell of orphans. The provider block does not say it any more after the Platform has left the code. */
  readonly place?: NotedPlace;
  /**
   * Ids of the objects that an apply creates or replaces from this state on. Each refresh writes it, so the state has it if Terraform
   * writes the state before the apply ends. On another machine, nothing else shows these objects. A complete apply removes it.
   */
  readonly unfinished?: readonly string[];
  /**
   * Ids of the objects that earlier applies have not finished. Without those of which the machine of the next refresh knew that
   * nothing was sent, because the name was taken. What it learns of the name later says nothing about the requests of others.
   */
  readonly suspected?: readonly string[];
  /** Set in a plan that keeps or replaces it. Terraform passes the private data of a planned replacement to the deletion. */
  readonly isReplaced?: true;
};

/** What the state keeps. */
function kept({ hasAllObjects, place }: ReadyMemory = {}): ReadyMemory {
  return { ...(hasAllObjects !== undefined && { hasAllObjects }), ...(place && { place }) };
}

/** What may live without being in the state, as far as an earlier refresh and this machine know. */
function suspectedIn({ suspected = [], unfinished = [] }: ReadyMemory = {}, { configured }: Call<Session>): readonly string[] {
  const { journal } = configured.context;
  return [...new Set([...suspected, ...unfinished.filter((id) => !journal.wasRefused(parseObjectId(id)!))])].sort();
}

/** After a refresh. Terraform has planned all objects that the resource waits for. */
function refreshedMemory(memory: ReadyMemory = {}, ledger: Ledger, call: Call<Session>): ReadyMemory {
  if (!memory.hasAllObjects) return memory;
  const suspected = suspectedIn(memory, call).filter((id) => !ledger.isStored(parseObjectId(id)!));
  const unfinished = ledger.creations().sort();
  return {
    ...kept(memory),
    ...(suspected.length > 0 && { suspected }),
    ...(unfinished.length > 0 && { unfinished }),
  };
}

function hasAllObjects(value: ObjectValue, { configured }: Call<Session>): boolean {
  const { declared } = configured.settings;
  const own = new Set(objectsIn(value).map(idOf));
  return declared?.length === own.size && declared.every((id) => own.has(id));
}

/**
 * Possible orphans. Terraform plans this resource after all objects, so the ledger is complete then. In the plan of its deletion,
 * the ledger is not complete, so the objects that it waited for count as objects of the state.
 */
function suspectsOf(ledger: Ledger, memory: ReadyMemory = {}, value: ObjectValue, call: Call<Session>): ObjectRef[] {
  if (!memory.hasAllObjects) return [];
  const journal = journalOf(memory, call);
  return withSuspected(
    undeclared(journal, ledger, objectsIn(value).map(idOf)),
    memory.isReplaced ? memory.suspected : lostIn(memory, ledger, call),
  );
}

async function refuseAllOrphans(ledger: Ledger, memory: ReadyMemory | undefined, value: ObjectValue, call: Call<Session>) {
  const suspects = [...suspectsOf(ledger, memory, value, call), ...suspectsOfLeftPlatforms(ledger, memory, call)];
  await refuseOrphans(suspects, call);
}

/**
 * Possible orphans of a Platform that has left the code, or had another name. If the state has nothing of them, Terraform asks no
 * provider about them. In a plan, they may still be in the state, because another process plans what leaves with a Platform. When it ends, it
 * removes their notes.
 */
function suspectsOfLeftPlatforms(ledger: Ledger, memory: ReadyMemory = {}, { configured }: Call<Session>): ObjectRef[] {
  if (!memory.hasAllObjects) return [];
  const { journal } = configured.context;
  return journal
    .creationsOfLeftPlatforms()
    .filter((object) => isUndeclared(object, ledger, []) && !configured.isDeclared(object));
}

/** Possible orphans when Terraform deletes this resource. A killed replacement may have left one of the objects that it waited for. */
function lostOf(ledger: Ledger, memory: ReadyMemory = {}, call: Call<Session>): ObjectRef[] {
  if (!memory.hasAllObjects) return [];
  const journal = journalOf(memory, call);
  refuseOrphansElsewhere(undeclaredElsewhere(journal, ledger, []), call);
  return withSuspected(inNoState(journal, ledger), lostIn(memory, ledger, call));
}

function withSuspected(noted: readonly ObjectRef[], ids: readonly string[] = []): ObjectRef[] {
  const known = new Set(noted.map(idOf));
  return [...noted, ...ids.filter((id) => !known.has(id)).map((id) => parseObjectId(id)!)];
}

/** What a destroy does not find in the state. If a Platform leaves the code, its objects are not planned, so nothing shows which are lost. */
function lostIn({ suspected = [] }: ReadyMemory, ledger: Ledger, { configured }: Call<Session>): readonly string[] {
  return configured.settings.declared?.length ? suspected.filter((id) => !ledger.isStored(parseObjectId(id)!)) : [];
}

function journalOf({ place }: ReadyMemory, call: Call<Session>): Journal {
  const { journal } = call.configured.context;
  return place && hasLostPlatform(call) ? journal.at(place) : journal;
}

/** Terraform then configures the provider with an empty block. */
function hasLostPlatform({ configured }: Call<Session>): boolean {
  return configured.settings.declared === undefined;
}

/** The same for creates on services with other URLs. */
function suspectsElsewhere(ledger: Ledger, memory: ReadyMemory = {}, value: ObjectValue, call: Call<Session>) {
  if (!memory.hasAllObjects) return [];
  return undeclaredElsewhere(call.configured.context.journal, ledger, objectsIn(value).map(idOf));
}

async function ready(planned: ObjectValue, call: Call<Session>) {
  const context = call.configured.contextOf(call);
  const waitedFor = new Set(texts(planned.wait_for));
  const objects = objectsIn(planned);
  const uids = planned.objects as Readonly<Record<string, string>>;
  const expected = objects.map((object) => {
    const id = idOf(object);
    return { ...object, waitedFor: waitedFor.has(id), uid: uids[id] };
  });
  await wait(context, { objects: expected });
  const clusters = clustersIn(planned);
  const live = clusters.length === 0 ? new Map<string, LiveCluster>() : await shownBy(context, clusters);
  const endpoints = planned.endpoints instanceof Unknown ? {} : (planned.endpoints as ObjectValue);
  // Terraform refuses another value than the planned one. The next refresh records a change.
  const endpointOf = (id: string) => (typeof endpoints[id] === "string" ? endpoints[id] : (live.get(id)?.apiEndpoint ?? ""));
  return {
    state: {
      ...planned,
      endpoints: mapOf(clusters, endpointOf),
      phases: mapOf(clusters, (id) => live.get(id)?.phase ?? ""),
    },
  };
}

type LiveClusters = ReadonlyMap<string, LiveCluster>;

/** Polls while the list lacks a cluster, because the list may lag behind. */
function shownBy(context: Context, clusters: readonly ObjectRef[]): Promise<LiveClusters> {
  return LifecycleCall.run(context, clusters, async (each) => {
    let live: LiveClusters = new Map();
    const hasAll = async () => {
      const lists = await look(each, clusters, each.lastLook(each.now()));
      live = liveById(
        clusters,
        clusters.map((cluster) => liveUnder(cluster, lists)),
      );
      return live.size === clusters.length || undefined;
    };
    if (!(await hasAll())) await appearing(each, MISSING_MS, LOOK_FOR_MISSING_MS, hasAll);
    return live;
  });
}

/**
 * The live values, and the uids that this run has read for the objects. A uid changes without a new object if the object was
 * imported again. Values that the service does not show are kept, because dependents of the cluster use them.
 */
function refreshed(state: ObjectValue, live: LiveClusters, ledger: Ledger): ObjectValue {
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
function plannedEndpoints(prior: ObjectValue | null, proposed: ObjectValue): Value {
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

function mapOf(objects: readonly ObjectRef[], valueOf: (id: string, object: ObjectRef) => Value): ObjectValue {
  return Object.fromEntries(objects.map((object) => [idOf(object), valueOf(idOf(object), object)]));
}

/** The clusters among these that were found with their own type. */
function liveById(clusters: readonly ObjectRef[], found: readonly (Live | undefined)[]): LiveClusters {
  const entries = clusters.flatMap((cluster, index) => {
    const live = found[index];
    return live && "phase" in live && live.type === cluster.type ? [[idOf(cluster), live] as const] : [];
  });
  return new Map(entries);
}

function objectsIn({ objects = null }: ObjectValue): ObjectRef[] {
  if (objects === null || objects instanceof Unknown) return [];
  return Object.keys(objects as ObjectValue).map((id) => parseObjectId(id)!);
}

function clustersIn(value: ObjectValue): ObjectRef[] {
  return objectsIn(value).filter(({ kind }) => kind === "clusters");
}

function isReady(state: ObjectValue): boolean {
  const phases = (state.phases ?? {}) as ObjectValue;
  return texts(state.wait_for).every((id) => phases[id] === "Provisioned");
}

function problems({ objects = null, wait_for = null }: ObjectValue): Diagnostic[] {
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

function texts(value: Value = null): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}
