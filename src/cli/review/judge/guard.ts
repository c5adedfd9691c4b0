import { supportAddress } from "../../../contract/addresses";
import { changeBetween, type Snapshot } from "../../../contract/snapshot";
import { refusedAmong, refusedFirst } from "../../../decision/deletion";
import { doubtfulService } from "../../../lifecycle/deletion-facts";
import { type GuardedChange, GuardedDeletions, guardedOutcome, goingIn } from "../../../lifecycle/guarded-deletions";
import { liveUnder } from "../../../lifecycle/live";
import { idOf } from "../../../model/object-ref";
import { allowDeletionLine, matchingNone } from "../../../model/protection";
import { groupedBy } from "../../report/grouped-by";
import { type PlatformId, platformName, supportInstance } from "../../report/instance";
import { type RecordedSettings, snapshotIn } from "../../report/recorded";
import type { ResourceChange } from "../plan/plan";
import type { GuardRefusal } from "./note";
import type { Look } from "../plan/look";
import type { PlanContext } from "./plan-context";

/**
 * The refusals of the hooks that run before an apply changes anything, one for each Platform. In a destroy of everything, the hook of
 * `protection` refuses, and otherwise that of `ready`. If the last wait failed, the hook of `ready` does not run. Then the orphan check
 * still refuses a doubtful service.
 */
export function guardRefusals(changes: readonly ResourceChange[], planContext: PlanContext): GuardRefusal[] {
  const refusals = changes.flatMap((change): GuardRefusal[] => {
    const { platform, resource } = supportInstance(change) ?? {};
    if (platform === undefined || resource === undefined || resource === "orphan_check_on_destroy") return [];
    const block = { platform, block: supportAddress(change.name) };
    const settings = planContext.settingsOf(block);
    if (!settings || !planContext.runsSnapshotHook(block, change)) return [];

    const had = snapshotIn(change.change.before) ?? NOTHING;
    const ofCode = planContext.snapshotOfCode(block) ?? NOTHING;
    const isDestroy = resource === "protection";
    const coming = isDestroy ? ofCode : (snapshotIn(change.change.after) ?? ofCode);
    const edit = changeBetween(had, coming);
    const destroy = changeBetween({ objects: { ...ofCode.objects, ...had.objects } }, NOTHING);
    const ofPlatform = {
      declared: edit.after,
      applied: new Set(Object.keys(had.objects)),
      isUrlChanged: had.url !== coming.url,
    };
    const look = planContext.lookAt(block, change);
    return (isDestroy ? [destroy, edit] : [edit]).flatMap((part): GuardRefusal[] => {
      const guarded = { ...ofPlatform, ...part };
      const found =
        resource === "orphan_check"
          ? foundByOrphanCheck(planContext, platform, look, guarded)
          : look
            ? foundBy(look, settings, guarded)
            : foundInPlan(planContext, platform, settings, guarded);
      if (!found) return [];
      const { because, names } = found;
      const refusal: GuardRefusal = { risk: "high", platform: platformName(platform), because, names };
      if (because !== "protected") return [refusal];
      const known = [...new Set([...part.before, ...part.after])];
      return [{ ...refusal, allowedBy: isDestroy ? "deletionProtection: false" : allowDeletionLine(settings, names, known) }];
    });
  });
  return [...groupedBy(refusals, ({ platform }) => platform).values()].map(([first]) => first!);
}

/** After a deletion, which shows that the service is the right one, the orphan check does not ask. */
function foundByOrphanCheck(
  planContext: PlanContext,
  platform: PlatformId,
  look: Look | undefined,
  change: GuardedChange,
): Found {
  if (!look || !change.isUrlChanged) return undefined;
  if (planContext.changesOf(platform).some((each) => each.change.change.actions.includes("delete"))) return undefined;
  const staying = change.before.filter((id) => change.after.includes(id));
  const service = doubtfulService(look.journal, staying, look.ofRun.gone, look.lists);
  return service && { because: "service is doubtful", names: service.expected.map(idOf) };
}

type Found = Pick<GuardRefusal, "because" | "names"> | undefined;

function foundBy(look: Look, settings: RecordedSettings, change: GuardedChange): Found {
  const guarded = new GuardedDeletions(settings, change, look.journal, look.ofRun.gone);
  if (!guarded.needsLook) return undefined;
  const absent = guarded.perhapsMissing.filter((object) => !liveUnder(object, look.lists)).map(idOf);
  const refusal = guarded.judge(look.lists, new Set(absent));
  if (!refusal) return undefined;
  switch (refusal.because) {
    case "service is doubtful":
      return { because: refusal.because, names: refusal.expected.map(idOf) };
    case "retain matches nothing":
      return { because: refusal.because, names: guarded.unknownRetained(look.lists) };
    default:
      return { because: refusal.because, names: refusal.refused.map(({ object }) => idOf(object)) };
  }
}

/**
 * What only the code has was perhaps never created. The hook also refuses because of an entry of `retain` that only the state has if it
 * does not live, and lets pass one that only the service has.
 */
function foundInPlan(planContext: PlanContext, platform: PlatformId, settings: RecordedSettings, change: GuardedChange): Found {
  const held = planContext.changesOf(platform).filter((each) => !each.id.byProvider && each.change.change.before);
  // The review of a tainted object says nothing of its deletion.
  const tainted = held.filter((each) => planContext.isTainted(each.change));
  const whole = held.filter((each) => !tainted.includes(each)).map(({ id }) => id.id);
  const stored = new Set([...change.applied, ...whole]);
  const unknownRetained = matchingNone(settings.retain, [...change.after, ...change.before, ...stored]);
  const going = goingIn(settings, change).filter((object) => stored.has(idOf(object)));
  const refused = refusedFirst(
    refusedAmong(going, (object) =>
      guardedOutcome(settings, change, object, {
        hasUnknownRetained: unknownRetained.length > 0,
        isUsed: tainted.some(({ id }) => id.id === idOf(object) && planContext.usersOf(id).length > 0),
      }),
    ),
  );
  if (refused.length === 0) return undefined;
  const { because } = refused[0]!.refusal;
  const names = because === "retain matches nothing" ? unknownRetained : refused.map(({ object }) => idOf(object));
  return { because, names };
}

const NOTHING: Snapshot = { objects: {} };
