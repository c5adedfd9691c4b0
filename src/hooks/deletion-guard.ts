import { enumerated } from "../lifecycle/wording";
import { ClusterPlatformError, ConfigurationError } from "../model/errors";
import { matchingNone, type PlannedRemovals, plannedRemovals, WAY_PAST_PROTECTION } from "../model/protection";
import { refuseAnotherService } from "./another-service";
import { type Change, readChange } from "./change";
import type { Run } from "./run";

/**
 * Runs before anything is deleted, and refuses if any of it is protected, if it may be what a misspelled `retain` was
 * to keep, or if the service has nothing of what was declared: another service would let the state forget all of it. A
 * changed URL is held against the service even where nothing is deleted.
 */
export async function guardDeletions(run: Run): Promise<void> {
  const change = readChange(run.env);
  const removals = plannedRemovals(run.settings, change.before, change.after, change.replaced);
  if (removals.refused.length > 0) throw isProtected(run, change, removals.refused);
  if (removals.leaving.length > 0 && removals.unknown.length > 0) throw isUnknown(change, removals);
  const isAtStake = removals.going.length > 0 || (change.isUrlChanged && change.before.length > 0);
  const owner = change.isOfCode ? "the code declares" : "the state has";
  if (isAtStake) await refuseAnotherService(run, change.before, owner, "Nothing was deleted");
  passed(run, isAtStake);
}

/** For the destroy hooks of the objects. In a destroy of everything two guards run one after the other. */
function passed(run: Run, serviceSeen: boolean): void {
  const [journal, platform] = [run.journal(), run.settings.platform ?? ""];
  journal.writeReceipt(platform, { serviceSeen: serviceSeen || (journal.receipt(platform)?.serviceSeen ?? false) });
}

function isProtected({ settings }: Run, { before, after, replaced, isDestroy }: Change, refused: readonly string[]) {
  const allowed = matchingNone(settings.allowDeletion, [...before, ...after]);
  const misspelled =
    allowed.length > 0 ? `. allowDeletion has ${enumerated(allowed)}, which names nothing: is it misspelled?` : "";
  const targeted = isDestroy
    ? ". To delete others only, remove their constructs and apply: a hook cannot see what -target spares"
    : "";
  const changed = refused.filter((id) => replaced.includes(id));
  const otherwise =
    changed.length > 0
      ? `. ${changed.join(", ")} ${changed.length === 1 ? "is" : "are"} declared otherwise than before, which deletes and creates anew; the plan names the fields. ` +
        "If the plan replaces nothing that is protected, an apply with -target or a change of the state came before: then allow it once as well"
      : "";
  return new ClusterPlatformError(
    "PROTECTED",
    `${refused.join(", ")} ${refused.length === 1 ? "is" : "are"} protected from deletion; nothing was deleted${otherwise}. To delete, ${WAY_PAST_PROTECTION}${targeted}${misspelled}`,
  );
}

function isUnknown({ isOfCode }: Change, { leaving, unknown }: PlannedRemovals): ConfigurationError {
  const wayOut = isOfCode
    ? "Correct it. If it names what has left the code, apply that first, and take it out of 'retain' before the destroy"
    : "Correct it, or take it out if an earlier apply has let go of it, and apply again";
  return new ConfigurationError(
    "INVALID_SETTING",
    `Platform: 'retain' must name what the ${isOfCode ? "code declares where everything is destroyed" : "state or the code has"}, got ${enumerated(unknown)}: were that misspelled, what it is to keep would be deleted now. ` +
      `Nothing was deleted; about to be: ${enumerated(leaving)}. ${wayOut}`,
  );
}
