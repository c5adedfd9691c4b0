import type { ClusterList, LiveCluster, LiveProvider, ProviderList } from "../api/client";
import { UNREAD_TYPE } from "../api/lists";
import { DeadlineError } from "../model/errors";
import { idOf, parseObjectId, type ObjectRef } from "../model/object-ref";
import { matchingNone } from "../model/protection";
import { KINDS, TYPE_CODES } from "../model/provider-type";
import { Call } from "./call";
import type { Context } from "./context";
import type { SentDeletion } from "./object-record";
import { LifecycleError } from "./lifecycle-error";
import { MISSING_MS } from "./times";
import { duration, enumerated } from "./wording";

export type Live = LiveCluster | LiveProvider;

/** A list that was not needed is missing. */
export interface Lists {
  readonly clusters?: ClusterList;
  readonly providers?: ProviderList;
}

/**
 * May be a cluster of another type, because all clusters of the service share one namespace. May have a name that differs in case:
 * a service that ignores the case, or stores names in lower case, has no free name then.
 */
export function liveUnder({ type, kind, name }: ObjectRef, { clusters, providers }: Lists): Live | undefined {
  return kind === "clusters" ? clusters?.findInAnyCase(name) : providers?.findInAnyCase(type, name);
}

/** Like {@link liveUnder}, with exactly the name. */
export function liveNamed(object: ObjectRef, lists: Lists): Live | undefined {
  const live = liveUnder(object, lists);
  return live?.name === object.name ? live : undefined;
}

export function liveObject(object: ObjectRef, lists: Lists): Live | undefined {
  const live = liveUnder(object, lists);
  return live?.type === object.type ? live : undefined;
}

/**
 * The clusters that a list shows on a provider, by name. A cluster whose type cannot be read may be on it.
 * @param counts which of them; all by default
 */
export function clustersOn(
  { type, name }: Pick<ObjectRef, "type" | "name">,
  clusters: ClusterList,
  counts: (cluster: LiveCluster) => boolean = () => true,
): ObjectRef[] {
  const users = clusters.all().filter((cluster) => [type, UNREAD_TYPE].includes(cluster.type) && cluster.provider === name);
  return users
    .filter(counts)
    .map((cluster) => ({ type, kind: "clusters" as const, name: cluster.name }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** The interface lists no phase for a deletion. Services on Cluster API show the first of these. */
const LEAVING = /^(deleting|deleted|terminating)$/i;

/** Whether the service is deleting it. It still has the name, and it is no object to adopt or to continue with. */
export function isLeaving(live: Live): boolean {
  return "phase" in live && LEAVING.test(live.phase);
}

/** The latest time in the conditions of an object, by the service's clock. Undefined if it shows none. */
export function latestChange(live: Live): string | undefined {
  return transitions(live).at(-1);
}

/**
 * Whether the live object is another one than the deleted one of its name: all of its conditions are met, and are later than those
 * that the deleted one had. Both of these times are by the service's clock. An object that leaves may have later conditions that
 * are not met. Right after the DELETE this proves nothing, because the list before it may have shown a still earlier object.
 * @param now by this machine's clock, as the time of the DELETE
 */
export function isSuccessor(live: Live, { at, changedAt }: Pick<SentDeletion, "at" | "changedAt">, now: number): boolean {
  const [earliest] = transitions(live);
  if (earliest === undefined || changedAt === undefined || now < Date.parse(at) + MISSING_MS) return false;
  return Date.parse(earliest) > Date.parse(changedAt) && areMet(live);
}

function areMet(live: Live): boolean {
  return "conditions" in live && live.conditions.every(({ status }) => status === "True");
}

/** From the earliest to the latest. */
function transitions(live: Live): string[] {
  const times = "conditions" in live ? live.conditions.map(({ lastTransitionTime }) => lastTransitionTime) : [];
  const valid = times.filter((time) => !Number.isNaN(Date.parse(time)));
  return valid.sort((one, other) => Date.parse(one) - Date.parse(other));
}

/**
 * Entries of `retain` that name nothing in the code and nothing on the service. Each may be a typo, and the object that it should
 * keep could be deleted. Only an entry that names nothing in the code needs the lists.
 * @param declared ids of the objects in the code
 */
export async function namingNothing(
  retain: readonly string[],
  declared: readonly string[],
  lists: () => Promise<Lists>,
): Promise<readonly string[]> {
  const undeclared = matchingNone(retain, declared);
  if (undeclared.length === 0) return [];
  const live = await lists();
  return undeclared.filter((exact) => !isNameLive(exact, live));
}

/** @param exact an entry of `retain`: a name, or `type/kind/name` */
export function isNameLive(exact: string, lists: Lists): boolean {
  const object = parseObjectId(exact);
  if (object) return liveNamed(object, lists) !== undefined;
  return lists.clusters?.find(exact) !== undefined || (lists.providers?.all() ?? []).some(({ name }) => name === exact);
}

/** Makes {@link look} request both lists. It uses only the kinds of these objects. */
export const BOTH_KINDS: readonly ObjectRef[] = KINDS.map((kind) => ({ type: TYPE_CODES[0]!, kind, name: "" }));

/** Requests only the lists that the objects can be in. */
export async function look(call: Call, objects: readonly ObjectRef[], deadline: number): Promise<Lists> {
  const { lookup } = call.context;
  const options = call.reading(deadline);
  const some = (wanted: ObjectRef["kind"]) => objects.some(({ kind }) => kind === wanted);
  return {
    clusters: some("clusters") ? await lookup.listClusters(options) : undefined,
    providers: some("providers") ? await lookup.listProviders(options) : undefined,
  };
}

/**
 * The objects that the service has.
 * @param otherwise what was not done if the service does not answer in time; a sentence without its full stop
 * @throws DELETE_TIMEOUT
 */
export async function liveAmong(
  call: Call,
  objects: readonly ObjectRef[],
  otherwise: string,
  find: (object: ObjectRef, lists: Lists) => Live | undefined = liveObject,
): Promise<ObjectRef[]> {
  const lists = await looked(call, objects, otherwise);
  return objects.filter((object) => find(object, lists) !== undefined);
}

/** Like {@link look}, within the time of a deletion. @throws DELETE_TIMEOUT */
export async function looked(call: Call, objects: readonly ObjectRef[], otherwise: string, listed = objects): Promise<Lists> {
  const limit = call.context.times.deleteSeconds * 1000;
  const started = call.now();
  try {
    return await look(call, listed, call.lastLook(started + limit));
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error;
    throw new LifecycleError({
      code: "DELETE_TIMEOUT",
      objects,
      summary: `cannot tell after ${duration(call.now() - started)} (timeouts.deleteSeconds) whether the service has ${enumerated(objects.map(idOf))}: ${error.message}`,
      detail: `${otherwise}; the next apply looks again`,
      remedies: [],
      cause: error,
    });
  }
}

/**
 * Both lists, for a caller without a {@link Call}.
 * @param objects what the caller asks for
 * @param otherwise see {@link liveAmong}
 * @throws DELETE_TIMEOUT
 */
export function bothLists(context: Context, objects: readonly ObjectRef[], otherwise: string): Promise<Lists> {
  return Call.run(context, objects, (call) => {
    call.leaving(otherwise);
    return looked(call, objects, otherwise, BOTH_KINDS);
  });
}
