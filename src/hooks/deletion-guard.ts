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
 * Runs before anything is deleted. Refuses the apply if it deletes a protected object, if a name in `retain` matches nothing, or
 * if the service has none of the state's objects: with another service, the state would forget them all. If the URL has changed,
 * it checks the service even if nothing is deleted.
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

/**
 * Writes the receipt for the destroy hooks of the objects. A destroy of everything runs two guards, one after the other. So the
 * second guard keeps the `serviceSeen` of the first.
 */
function passed(run: Run, serviceSeen: boolean): void {
  const [journal, platform] = [run.journal(), run.settings.platform ?? ""];
  journal.writeReceipt(platform, { serviceSeen: serviceSeen || (journal.receipt(platform)?.serviceSeen ?? false) });
}

/** An object that is proven absent has nothing to protect. */
async function withoutMissing(run: Run, { replaced }: Change, refused: readonly string[]): Promise<readonly string[]> {
  const recreated = refused.filter((id) => replaced.includes(id));
  if (recreated.length === 0) return refused;
  const missing = await provenAbsent(run.context(), recreated.map(objectOf), "Nothing was deleted");
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
  const recreated = refused.filter((id) => replaced.includes(id));
  const leaving = refused.filter((id) => !replaced.includes(id));
  const platform = platformCalled(settings);
  const they = (ids: readonly string[]) => (ids.length === 1 ? "it" : "them");
  const idle = matchingNone(settings.allowDeletion, known);
  return [
    ...(recreated.length > 0
      ? [
          `The declaration of ${recreated.join(", ")} has changed, so the apply would delete ${they(recreated)} and create ${they(recreated)} again; the plan names the fields`,
          "If the plan replaces no protected object, an earlier -target or change of the state is the reason: allow it once as well",
        ]
      : []),
    `To delete ${they(refused)}, write ${allowDeletionLine(settings, refused, known)} on ${platform} in the same change`,
    ...(leaving.length > 0
      ? [
          `To remove ${they(leaving)} from the code and keep ${they(leaving)} on the service, write ${retainLine(settings, leaving, known)} there`,
        ]
      : []),
    ...(idle.length > 0 ? [`allowDeletion has ${enumerated(idle)}, which names nothing: is it misspelled?`] : []),
  ];
}

function isUnknown({ isOfCode }: Change, { leaving, unknown }: PlannedRemovals): ConfigurationError {
  const wayOut = isOfCode
    ? "Correct the name. If the object has left the code, apply that first, and remove the name from 'retain' before the destroy"
    : "Correct the name, or remove it if an earlier apply has released the object, and apply again";
  return new ConfigurationError(
    "INVALID_SETTING",
    `Platform: 'retain' must name objects that ${isOfCode ? "the code declares if everything is destroyed" : "the state or the code has"}, got ${enumerated(unknown)}: if that is a typo, the object that it should keep would be deleted now. ` +
      `Nothing was deleted. The apply would delete ${enumerated(leaving)}. ${wayOut}`,
  );
}
