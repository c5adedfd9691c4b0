import { supportAddress } from "../../../contract/addresses";
import { changeBetween } from "../../../contract/snapshot";
import { decidePermission, refusedAmong } from "../../../decision/deletion";
import { refusedFirst } from "../../../decision/platform";
import { allowDeletionLine, matchingNone, withdrawn } from "../../../model/protection";
import { groupedBy } from "../../report/grouped-by";
import { platformName, supportInstance } from "../../report/instance";
import { snapshotIn } from "../../report/recorded";
import type { ResourceChange } from "../plan/plan";
import { GUARD_NOTES, type GuardNote, type NoteOfStack } from "./note";
import type { PlanContext } from "./plan-context";

/**
 * The refusals of the deletion guards, by the rules of the guard's hook, one for each Platform. After a run that failed, only the hook
 * of `protection` guards a destroy of everything. It knows the objects of the code, and refuses those that live.
 */
export function guardRefusals(changes: readonly ResourceChange[], planContext: PlanContext): GuardRefusal[] {
  const refusals = changes.flatMap((change): GuardRefusal[] => {
    const { platform, resource } = supportInstance(change) ?? {};
    if (platform === undefined || (resource !== "deletion_guard" && resource !== "protection")) return [];
    const block = { platform, block: supportAddress(change.name) };
    const settings = planContext.settingsOf(block);
    if (!settings || !planContext.runsSnapshotHook(block, change)) return [];

    const isOfCode = resource === "protection";
    const ofPlatform = planContext.changesOf(platform);
    const coming = snapshotIn(change.change.after) ?? NOTHING;
    const had = isOfCode ? planContext.snapshotOfCode(block) : snapshotIn(change.change.before);
    const { before, after, replaced } = changeBetween(had ?? NOTHING, isOfCode ? NOTHING : coming);
    const live = ofPlatform.filter(
      (each) => !each.id.byProvider && each.change.change.before && !planContext.isTainted(each.change),
    );
    const stored = new Set(isOfCode ? live.map(({ id }) => id.id) : before);
    const going = [...withdrawn(before, after), ...replaced].filter((id) => stored.has(id));
    const isDestroy = isOfCode || !change.change.after;
    // The hook also refuses what only the state has if it does not live, and lets pass what only the service has.
    const nowhere = matchingNone(settings.retain, [...after, ...before, ...stored]);
    const refused = refusedAmong(going, (id) =>
      decidePermission(settings, id, {
        transition: replaced.includes(id) ? "replace" : "remove",
        isAdopted: true,
        // In a destroy of everything, only the hook of `protection` shows what the code has.
        hasUnknownRetained: nowhere.length > 0 && (isOfCode || !isDestroy),
      }),
    );
    const first = refusedFirst(refused);
    if (first.length === 0) return [];
    const names = first.map(({ object: id }) => id);
    const because = first[0]!.refusal.because as keyof typeof GUARD_NOTES;
    const refusal: GuardRefusal = {
      risk: "high",
      platform: platformName(platform),
      code: GUARD_NOTES[because],
      names: because === "retain matches nothing" ? nowhere : names,
    };
    if (because !== "protected") return [refusal];
    const known = [...new Set([...before, ...after])];
    return [{ ...refusal, allowedBy: isDestroy ? "deletionProtection: false" : allowDeletionLine(settings, names, known) }];
  });
  return [...groupedBy(refusals, ({ platform }) => platform).values()].map(([first]) => first!);
}

type GuardRefusal = Extract<NoteOfStack, { code: GuardNote }>;

const NOTHING = { objects: {} };
