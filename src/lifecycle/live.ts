import type { ClusterList, LiveCluster, LiveProvider, ProviderList } from "../api/client";
import { DeadlineError } from "../model/errors";
import { idOf, parseObjectId, type ObjectRef } from "../model/object-ref";
import { Call } from "./call";
import type { Context } from "./context";
import { LifecycleError } from "./lifecycle-error";
import { duration, enumerated } from "./wording";

export type Live = LiveCluster | LiveProvider;

/** A list that was not needed is missing. */
export interface Lists {
  readonly clusters?: ClusterList;
  readonly providers?: ProviderList;
}

/** May be a cluster of another type, because all clusters of the service share one namespace. */
export function liveUnder({ type, kind, name }: ObjectRef, { clusters, providers }: Lists): Live | undefined {
  return kind === "clusters" ? clusters?.find(name) : providers?.find(type, name);
}

export function liveObject(object: ObjectRef, lists: Lists): Live | undefined {
  const live = liveUnder(object, lists);
  return live?.type === object.type ? live : undefined;
}

/** Whether the service has an object that an exact entry such as one of `retain` names: by its name, or by `type/kind/name`. */
export function hasNamed(exact: string, lists: Lists): boolean {
  const object = parseObjectId(exact);
  if (object) return liveUnder(object, lists) !== undefined;
  return lists.clusters?.find(exact) !== undefined || (lists.providers?.all() ?? []).some(({ name }) => name === exact);
}

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
  const limit = call.context.times.deleteSeconds * 1000;
  try {
    const lists = await look(call, objects, call.now() + limit);
    return objects.filter((object) => find(object, lists) !== undefined);
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error;
    throw new LifecycleError({
      code: "DELETE_TIMEOUT",
      objects,
      summary: `cannot tell after ${duration(limit)} (timeouts.deleteSeconds) whether the service has ${enumerated(objects.map(idOf))}: ${error.message}`,
      detail: `${otherwise}; the next apply looks again`,
      cause: error,
    });
  }
}

/** Like {@link liveAmong}, for a caller without a {@link Call}. */
export function findLive(context: Context, objects: readonly ObjectRef[], otherwise: string): Promise<ObjectRef[]> {
  return Call.run(context, objects, (call) => {
    call.leaving(otherwise);
    return liveAmong(call, objects, otherwise);
  });
}
