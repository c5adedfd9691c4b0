import type { ClusterList } from "../api/client";
import type { LiveObject } from "../decision/deletion";
import { decideAbsence } from "../decision/platform";
import { idOf, objectOf, type ObjectRef } from "../model/object-ref";
import { visible } from "../util/printable";
import type { Journal } from "./journal";
import { clustersOn, isLeaving, type Lists, type Live, liveObject } from "./live";
import type { RefusalText } from "./refused-deletion";
import { describeObject } from "./wording";

/** What the live object of a name is to the object that the state has. */
export interface Identity {
  readonly live: Extract<LiveObject, "own" | "of another spelling" | "of another type or provider">;
  /** Why it is another object. Undefined if it is the stack's own. */
  readonly text?: RefusalText;
}

/**
 * A list may not show the provider of a cluster yet. Then only the type tells.
 * @param provider of the cluster in the state. A caller that does not know it gives that of the live object
 */
export function identify(object: ObjectRef, provider: string | undefined, live: Live): Identity {
  if (live.name !== object.name) {
    return {
      live: "of another spelling",
      text: {
        summary: `${describeObject(object)}: the service has no object of this name, but one that is called ${visible(live.name)}; nothing was sent`,
        detail: "A service that stores names in lower case may have created it for this stack",
        found: live.name,
      },
    };
  }
  if (!("provider" in live)) return { live: "own" };
  const isOwn = live.type === object.type && (live.provider === "" || live.provider === provider);
  if (isOwn) return { live: "own" };
  return {
    live: "of another type or provider",
    text: {
      summary:
        `${describeObject(object)}: the object with this name is a ${live.type} cluster on provider ${visible(live.provider) || "(unknown)"}, ` +
        `but this stack has a ${object.type} cluster on ${provider ?? "a provider that the state does not name"}; nothing was sent`,
    },
  };
}

/** A service that lacks objects of a stack, and is probably another one. */
export interface DoubtfulService {
  /** The objects that it should have. */
  readonly expected: readonly ObjectRef[];
  /** Those that live there. Their names were taken, so they are probably somebody else's, and can be on any service. */
  readonly live: readonly ObjectRef[];
}

/**
 * Undefined if the service is the right one. Another workspace may have found a name taken by this one, because a destroy hook does not
 * know its workspace.
 * @param ids of the objects of the stack
 * @param gone ids of the objects that the run was told are gone
 */
export function doubtfulService(
  journal: Journal,
  ids: readonly string[],
  gone: ReadonlySet<string>,
  lists: Lists,
): DoubtfulService | undefined {
  const expected = ids.filter((id) => !gone.has(id)).map(objectOf);
  const live = expected.filter((object) => liveObject(object, lists) !== undefined);
  if (live.length === expected.length) return undefined;
  // What has a name that was taken may be somebody else's.
  const hasWitness = live.some((object) => !journal.of(object).wasNameTaken);
  const facts = { service: "this one", isSaidGone: false, isSeen: false, isDeletionNoted: false, hasWitness } as const;
  return decideAbsence(facts).happens === "GONE" ? undefined : { expected, live };
}

/**
 * The clusters on a provider that a run leaves there.
 * @param leaving ids of the objects that the run deletes
 */
export function usersStaying(
  journal: Journal,
  provider: ObjectRef,
  clusters: ClusterList,
  leaving: ReadonlySet<string>,
): ObjectRef[] {
  if (provider.kind === "clusters") return [];
  const stays = (user: ObjectRef) => {
    const record = journal.of(user);
    if (record.recentDeletion()) return false;
    // One that leaves may be somebody else's, although the code declares it.
    return !leaving.has(idOf(user)) || record.wasNameTaken;
  };
  return clustersOn(provider, clusters, (user) => !isLeaving(user)).filter(stays);
}
