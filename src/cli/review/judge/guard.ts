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
 * The refusals of the deletion guards, by the rules of the guard's hook, one for each Platform. The hook of `protection` refuses in a
 * destroy of everything, and the hook of `ready` otherwise.
 */
export function guardRefusals(changes: readonly ResourceChange[], planContext: PlanContext): GuardRefusal[] {
  const refusals = changes.flatMap((change): GuardRefusal[] => {
    const { platform, resource } = supportInstance(change) ?? {};
    if (platform === undefined || (resource !== "ready" && resource !== "protection")) return [];
    const block = { platform, block: supportAddress(change.name) };
    const settings = planContext.settingsOf(block);
    if (!settings || !planContext.runsSnapshotHook(block, change)) return [];

    const isDestroy = resource === "protection";
    const had = snapshotIn(change.change.before) ?? NOTHING;
    const ofCode = planContext.snapshotOfCode(block) ?? NOTHING;
    const coming = snapshotIn(change.change.after) ?? ofCode;
    const { before, after, replaced } = isDestroy
      ? changeBetween({ objects: { ...ofCode.objects, ...had.objects } }, NOTHING)
      : changeBetween(had, coming);
    const live = planContext
      .changesOf(platform)
      .filter((each) => !each.id.byProvider && each.change.change.before && !planContext.isTainted(each.change));
    const stored = new Set([...Object.keys(had.objects), ...live.map(({ id }) => id.id)]);
    const going = [...withdrawn(before, after), ...replaced].filter((id) => stored.has(id));
    // The hook also refuses what only the state has if it does not live, and lets pass what only the service has.
    const nowhere = matchingNone(settings.retain, [...after, ...before, ...stored]);
    const refused = refusedAmong(going, (id) =>
      decidePermission(settings, id, {
        transition: replaced.includes(id) ? "replace" : "remove",
        isAdopted: true,
        hasUnknownRetained: nowhere.length > 0,
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
