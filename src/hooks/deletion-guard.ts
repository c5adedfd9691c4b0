import { findLive } from "../lifecycle/live";
import { enumerated } from "../lifecycle/wording";
import { ClusterPlatformError, ConfigurationError } from "../model/errors";
import { objectOf } from "../model/object-ref";
import { matchingNone, plannedRemovals, WAY_PAST_PROTECTION } from "../model/protection";
import { type Change, readChange } from "./change";
import { readGoneAccepted } from "./environment";
import type { Run } from "./run";

/**
 * Runs before anything is deleted, and refuses if any of it is protected, if it may be what a misspelled `retain` was
 * to keep, or if the service has nothing of what was declared: another service would let the state forget all of it.
 */
export async function guardDeletions(run: Run): Promise<void> {
  const change = readChange(run.env);
  const { going, refused, unknown } = plannedRemovals(run.settings, change.before, change.after);
  if (going.length === 0) return passed(run, false);
  if (refused.length > 0) throw isProtected(run, change, refused);
  if (unknown.length > 0) throw isUnknown(change, going, unknown);
  if (!readGoneAccepted(run.env)) await refuseAnotherService(run, change);
  passed(run, true);
}

/** For the destroy hooks of the objects. In a destroy of everything two guards run one after the other. */
function passed(run: Run, serviceSeen: boolean): void {
  const [journal, platform] = [run.journal(), run.settings.platform ?? ""];
  journal.writeReceipt(platform, { serviceSeen: serviceSeen || (journal.receipt(platform)?.serviceSeen ?? false) });
}

function isProtected({ settings }: Run, { before, after, isDestroy }: Change, refused: readonly string[]) {
  const allowed = matchingNone(settings.allowDeletion, [...before, ...after]);
  const misspelled =
    allowed.length > 0 ? `. allowDeletion has ${enumerated(allowed)}, which names nothing: is it misspelled?` : "";
  const targeted = isDestroy
    ? ". To delete others only, remove their constructs and apply: a hook cannot see what -target spares"
    : "";
  return new ClusterPlatformError(
    "PROTECTED",
    `${enumerated(refused)} ${refused.length === 1 ? "is" : "are"} protected from deletion; nothing was deleted. To delete, ${WAY_PAST_PROTECTION}${targeted}${misspelled}`,
  );
}

function isUnknown({ isOfCode }: Change, going: readonly string[], unknown: readonly string[]): ConfigurationError {
  const wayOut = isOfCode
    ? "Correct it. If it names what has left the code, apply that first, and take it out of 'retain' before the destroy"
    : "Correct it, or take it out if an earlier apply has let go of it, and apply again";
  return new ConfigurationError(
    "INVALID_SETTING",
    `Platform: 'retain' must name what the ${isOfCode ? "code declares where everything is destroyed" : "state or the code has"}, got ${enumerated(unknown)}: were that misspelled, what it is to keep would be deleted now. ` +
      `Nothing was deleted; about to be: ${enumerated(going)}. ${wayOut}`,
  );
}

async function refuseAnotherService(run: Run, { before, isOfCode }: Change): Promise<void> {
  const live = await findLive(run.context(), before.map(objectOf), "Nothing was deleted");
  if (live.length > 0) return;
  const owner = isOfCode ? "code declares" : "state has";
  const [none, they] =
    before.length === 1
      ? [`${before[0]}, the only object that the ${owner}, is not`, "it is"]
      : [`none of the ${before.length} objects that the ${owner} (${enumerated(before)}) is`, "they are"];
  throw new ClusterPlatformError(
    "OBJECT_MISSING",
    `${none} on the service at ${run.client().url}. Is it the right one? Nothing was deleted. ` +
      `Correct its URL, or, if ${they} really gone${isOfCode ? " or were never applied" : ""}, run it once with CLUSTER_PLATFORM_ACCEPT_GONE=1`,
  );
}
