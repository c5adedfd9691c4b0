import { ClusterPlatformError, ConfigurationError } from "../model/errors";
import { plannedRemovals, matchingNone, WAY_PAST_PROTECTION } from "../model/protection";
import { readAfter, readBefore, readGoneAccepted } from "./environment";
import { findLive } from "../lifecycle/live";
import { enumerated } from "../lifecycle/wording";
import { objectOf } from "../model/object-ref";
import type { Run } from "./run";

/**
 * Runs before anything is deleted, and refuses if any of it is protected, if it may be what a misspelled `retain` was
 * to keep, or if the service has nothing of what the state has: another service would let the state forget all of it.
 */
export async function guardDeletions(run: Run): Promise<void> {
  const { env, settings } = run;
  const [before, after] = [readBefore(env), readAfter(env)];
  const { going, refused, unknown } = plannedRemovals(settings, before, after ?? []);
  if (going.length === 0) return;
  if (refused.length > 0) {
    const allowed = matchingNone(settings.allowDeletion, [...before, ...(after ?? [])]);
    const misspelled =
      allowed.length > 0 ? `. allowDeletion has ${enumerated(allowed)}, which names nothing: is it misspelled?` : "";
    // A destroy of everything looks to a hook like one of a few.
    const targeted = after
      ? ""
      : ". To delete others only, remove their constructs and apply: a hook cannot see what -target spares";
    throw new ClusterPlatformError(
      "PROTECTED",
      `${enumerated(refused)} ${refused.length === 1 ? "is" : "are"} protected from deletion; nothing was deleted. To delete, ${WAY_PAST_PROTECTION}${targeted}${misspelled}`,
    );
  }
  if (unknown.length > 0) {
    throw new ConfigurationError(
      "INVALID_SETTING",
      `Platform: 'retain' must name what the state or the code has, got ${enumerated(unknown)}: were that misspelled, what it is to keep would be deleted now. ` +
        `Nothing was deleted; about to be: ${enumerated(going)}. Correct it, or take it out if an earlier apply has let go of it, and apply again`,
    );
  }
  if (!readGoneAccepted(env)) await refuseAnotherService(run, before);
}

async function refuseAnotherService(run: Run, declared: readonly string[]): Promise<void> {
  const live = await findLive(run.context(), declared.map(objectOf), "Nothing was deleted");
  if (live.length > 0) return;
  const none =
    declared.length === 1
      ? `${declared[0]}, the only object that the state has, is not`
      : `none of the ${declared.length} objects that the state has (${enumerated(declared)}) is`;
  throw new ClusterPlatformError(
    "OBJECT_MISSING",
    `${none} on the service at ${run.client().url}. Is it the right one? Nothing was deleted. ` +
      `Correct its URL, or, if ${declared.length === 1 ? "it is" : "they are"} really gone, run it once with CLUSTER_PLATFORM_ACCEPT_GONE=1`,
  );
}
