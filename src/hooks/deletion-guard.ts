import { provenAbsent } from "../lifecycle/absence";
import { enumerated } from "../lifecycle/wording";
import { ClusterPlatformError, ConfigurationError } from "../model/errors";
import { idOf, objectOf } from "../model/object-ref";
import { allowDeletionLine, matchingNone, type PlannedRemovals, plannedRemovals, retainLine } from "../model/protection";
import { platformCalled } from "./advice";
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
  const refused = await withoutMissing(run, change, removals.refused);
  if (refused.length > 0) throw isProtected(run, change, refused);
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

/** What is gone from the service has nothing to protect, and may be created anew. */
async function withoutMissing(run: Run, { replaced }: Change, refused: readonly string[]): Promise<readonly string[]> {
  const anew = refused.filter((id) => replaced.includes(id));
  if (anew.length === 0) return refused;
  const missing = await provenAbsent(run.context(), anew.map(objectOf), "Nothing was deleted");
  const gone = new Set(missing.map(idOf));
  return refused.filter((id) => !gone.has(id));
}

function isProtected({ settings }: Run, change: Change, refused: readonly string[]): ClusterPlatformError {
  const sentences = [
    `${refused.join(", ")} ${refused.length === 1 ? "is" : "are"} protected from deletion; nothing was deleted`,
    ...(change.isDestroy
      ? [
          `To destroy everything, write deletionProtection: false on ${platformCalled(settings)} and destroy again`,
          "To delete others only, remove their constructs and apply: a hook cannot see what -target spares",
        ]
      : waysPast(settings, change, refused)),
  ];
  return new ClusterPlatformError("PROTECTED", sentences.join(". "));
}

function waysPast(settings: Run["settings"], { before, after, replaced }: Change, refused: readonly string[]): string[] {
  const known = [...new Set([...before, ...after])];
  const anew = refused.filter((id) => replaced.includes(id));
  const leaving = refused.filter((id) => !replaced.includes(id));
  const platform = platformCalled(settings);
  const they = (ids: readonly string[]) => (ids.length === 1 ? "it" : "them");
  const idle = matchingNone(settings.allowDeletion, known);
  return [
    ...(anew.length > 0
      ? [
          `The declaration of ${anew.join(", ")} has changed, so the apply would delete ${they(anew)} and create ${they(anew)} anew; the plan names the fields`,
          "If the plan replaces nothing that is protected, an apply with -target or a change of the state came before: then allow it once as well",
        ]
      : []),
    `To delete ${they(refused)}, write ${allowDeletionLine(settings, refused, known)} on ${platform} in the same change`,
    ...(leaving.length > 0
      ? [`To keep what leaves the code on the service, write ${retainLine(settings, leaving, known)} there`]
      : []),
    ...(idle.length > 0 ? [`allowDeletion has ${enumerated(idle)}, which names nothing: is it misspelled?`] : []),
  ];
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
