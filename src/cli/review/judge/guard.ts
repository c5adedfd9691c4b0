import { supportAddress, supportId } from "../../../contract/addresses";
import { changeBetween } from "../../../contract/snapshot";
import { decidePermission, refusedAmong } from "../../../decision/deletion";
import { refusedFirst } from "../../../decision/platform";
import { allowDeletionLine, matchingNone, withdrawn } from "../../../model/protection";
import { groupedBy } from "../../report/grouped-by";
import { platformKey, platformName, supportInstance } from "../../report/instance";
import { snapshotIn } from "../../report/recorded";
import type { ResourceChange } from "../plan/plan";
import { GUARD_NOTES, type GuardNote, type NoteOfStack } from "./note";
import type { PlanContext } from "./plan-context";

/**
 * The refusals of the deletion guards, by the rules of the guard's hook, one for each Platform. In a destroy of everything, the hook
 * of `protection` refuses what the code has and lives, and then the hook of `ready` what the state has.
 */
export function guardRefusals(changes: readonly ResourceChange[], planContext: PlanContext): GuardRefusal[] {
  const refusals = changes.flatMap((change): GuardRefusal[] => {
    const { platform, resource } = supportInstance(change) ?? {};
    if (platform === undefined || (resource !== "ready" && resource !== "protection")) return [];
    const block = { platform, block: supportAddress(change.name) };
    const settings = planContext.settingsOf(block);
    if (!settings || !planContext.runsSnapshotHook(block, change)) return [];

    const isOfCode = resource === "protection";
    const ofPlatform = planContext.changesOf(platform);
    const protection = { platform, block: supportAddress(supportId(platform.prefix, "protection")) };
    const isDestroy = changes.some((each) => {
      const other = supportInstance(each);
      const isProtection = other?.resource === "protection" && platformKey(other.platform) === platformKey(platform);
      return isProtection && planContext.runsSnapshotHook(protection, each);
    });
    const ofCode = planContext.snapshotOfCode(protection);
    const coming = isDestroy ? undefined : change.change.after ? snapshotIn(change.change.after) : ofCode;
    const had = isOfCode ? ofCode : snapshotIn(change.change.before);
    const { before, after, replaced } = changeBetween(had ?? NOTHING, coming ?? NOTHING);
    const live = ofPlatform.filter(
      (each) => !each.id.byProvider && each.change.change.before && !planContext.isTainted(each.change),
    );
    const stored = new Set(isOfCode ? live.map(({ id }) => id.id) : before);
    const going = [...withdrawn(before, after), ...replaced].filter((id) => stored.has(id));
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
