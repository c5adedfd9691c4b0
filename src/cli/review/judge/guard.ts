import { supportAddress } from "../../../contract/addresses";
import { changeBetween } from "../../../contract/snapshot";
import { decidePermission, refusedAmong } from "../../../decision/deletion";
import { decideRetainedNames, refusedFirst } from "../../../decision/platform";
import { allowDeletionLine, withdrawn } from "../../../model/protection";
import { platformKey, platformName, supportInstance } from "../../report/instance";
import { snapshotIn } from "../../report/recorded";
import type { ResourceChange } from "../plan/plan";
import { GUARD_NOTES, type GuardNote } from "./note";
import type { PlanContext } from "./plan-context";

export interface GuardRefusal {
  /** Empty for a Platform without a name. */
  readonly platform: string;
  /**
   * If `retain` matches nothing, the guard passes if a note on the machine of the apply says that an earlier one has released
   * what a name means.
   */
  readonly code: GuardNote;
  /** The objects, or the names in `retain` that match nothing. */
  readonly names: readonly string[];
  /** The Platform's setting that allows the deletion, as in `allowDeletion: ["prod"]`. */
  readonly allowedBy?: string;
}

/**
 * The refusals of the deletion guards, by the rules of the guard's hook.
 * @param migrated the objects of a Platform, by its key, that the Terraform provider carries after the apply. The guard of a
 * Platform that moves to the provider is deleted, and its hook is told that these objects stay
 */
export function guardRefusals(
  changes: readonly ResourceChange[],
  planContext: PlanContext,
  migrated: (platform: string) => readonly string[],
): GuardRefusal[] {
  return changes.flatMap((change): GuardRefusal[] => {
    const { platform, resource } = supportInstance(change) ?? {};
    if (platform === undefined || resource !== "deletion_guard") return [];
    const block = { platform, block: supportAddress(change.name) };
    const settings = planContext.settingsOf(block);
    if (!settings || !planContext.runsSnapshotHook(block, change)) return [];

    const declared = { objects: Object.fromEntries(migrated(platformKey(platform)).map((id) => [id, ""])) };
    const coming = change.change.after ? (snapshotIn(change.change.after) ?? NOTHING) : declared;
    const { before, after, replaced } = changeBetween(snapshotIn(change.change.before) ?? NOTHING, coming);
    const going = [...withdrawn(before, after), ...replaced];
    // In a destroy of everything, the hook looks for names in the code, whose objects a plan does not show.
    const isDestroy = change.change.actions.join() === "delete" && change.action_reason === undefined;
    const { doubtful } = decideRetainedNames(settings.retain, { declared: after, stored: before });
    const refused = refusedAmong(going, (id) =>
      decidePermission(settings, id, {
        transition: replaced.includes(id) ? "replace" : "remove",
        isAdopted: true,
        isDeclaredElsewhere: planContext.declaredElsewhere({ ...block, id }, undefined)?.isCertain ?? false,
        hasUnknownRetained: doubtful.length > 0 && !isDestroy,
      }),
    );
    const first = refusedFirst(refused);
    if (first.length === 0) return [];
    const names = first.map(({ object: id }) => id);
    const because = first[0]!.refusal.because as keyof typeof GUARD_NOTES;
    const refusal = {
      platform: platformName(platform),
      code: GUARD_NOTES[because],
      names: because === "retain matches nothing" ? doubtful : names,
    };
    if (because !== "protected") return [refusal];
    const known = [...new Set([...before, ...after])];
    return [{ ...refusal, allowedBy: isDestroy ? "deletionProtection: false" : allowDeletionLine(settings, names, known) }];
  });
}

const NOTHING = { objects: {} };
