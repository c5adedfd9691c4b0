import { supportAddress } from "../../../contract/addresses";
import { changeBetween } from "../../../contract/snapshot";
import { decidePermission, refusedAmong } from "../../../decision/deletion";
import { decideRetainedNames, refusedFirst } from "../../../decision/platform";
import { allowDeletionLine, withdrawn } from "../../../model/protection";
import { groupedBy } from "../../report/grouped-by";
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
 * The refusals of the deletion guards, by the rules of the guard's hook, one for each Platform. After a run that failed, only the hook
 * of `protection` guards a destroy of everything. It knows the objects of the code, and refuses those that live.
 * @param migrated the objects of a Platform, by its key, that the Terraform provider carries after the apply. The guard of a
 * Platform that moves to the provider is deleted, and its hook is told that these objects stay. A plan that failed may lack some
 */
export function guardRefusals(
  changes: readonly ResourceChange[],
  planContext: PlanContext,
  migrated: (platform: string) => readonly string[],
): GuardRefusal[] {
  const refusals = changes.flatMap((change): GuardRefusal[] => {
    const { platform, resource } = supportInstance(change) ?? {};
    if (platform === undefined || (resource !== "deletion_guard" && resource !== "protection")) return [];
    const block = { platform, block: supportAddress(change.name) };
    const settings = planContext.settingsOf(block);
    if (!settings || !planContext.runsSnapshotHook(block, change)) return [];

    const isOfCode = resource === "protection";
    const isLeaving = !change.change.after && change.action_reason !== undefined;
    if (isLeaving && planContext.isErrored) return [];
    const declared = { objects: Object.fromEntries(migrated(platformKey(platform)).map((id) => [id, ""])) };
    const coming = change.change.after ? (snapshotIn(change.change.after) ?? NOTHING) : declared;
    const had = isOfCode ? planContext.snapshotOfCode(block) : snapshotIn(change.change.before);
    const { before, after, replaced } = changeBetween(had ?? NOTHING, isOfCode ? NOTHING : coming);
    const stored = isOfCode ? planContext.storedWithHooks(block) : new Set(before);
    const going = [...withdrawn(before, after), ...replaced].filter((id) => stored.has(id));
    const isDestroy = isOfCode || (!change.change.after && !isLeaving);
    const { doubtful } = decideRetainedNames(settings.retain, { declared: after, stored: [...before, ...stored] });
    const refused = refusedAmong(going, (id) =>
      decidePermission(settings, id, {
        transition: replaced.includes(id) ? "replace" : "remove",
        isAdopted: true,
        isDeclaredElsewhere: planContext.declaredElsewhere({ ...block, id }, undefined)?.isCertain ?? false,
        // In a destroy of everything, the hook looks for names in the code, whose objects only that of `protection` has.
        hasUnknownRetained: doubtful.length > 0 && (isOfCode || !isDestroy),
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
  return [...groupedBy(refusals, ({ platform }) => platform).values()].map(([first]) => first!);
}

const NOTHING = { objects: {} };
