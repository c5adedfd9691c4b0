import { supportAddress } from "../../../contract/addresses";
import { isDoubtful, usersStaying } from "../../../lifecycle/deletion-facts";
import { isNameLive, liveObject, liveUnder } from "../../../lifecycle/live";
import { idOf, objectOf } from "../../../model/object-ref";
import { changeBetween, type Snapshot, type SnapshotChange } from "../../../contract/snapshot";
import { decidePermission, type DeletionFacts, refusedAmong } from "../../../decision/deletion";
import { refusedFirst } from "../../../decision/platform";
import { allowDeletionLine, goingObjects, matchingNone } from "../../../model/protection";
import { groupedBy } from "../../report/grouped-by";
import { type PlatformId, platformName, supportInstance } from "../../report/instance";
import { type RecordedSettings, snapshotIn } from "../../report/recorded";
import type { ResourceChange } from "../plan/plan";
import type { InstanceChange } from "./changed-objects";
import type { GuardRefusal } from "./note";
import type { Look } from "../plan/look";
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
    const coming = isDestroy ? ofCode : (snapshotIn(change.change.after) ?? ofCode);
    const held = planContext.changesOf(platform).filter((each) => !each.id.byProvider && each.change.change.before);
    const tainted = held.filter((each) => planContext.isTainted(each.change));
    const whole = held.filter((each) => !tainted.includes(each));
    const stored = new Set([...Object.keys(had.objects), ...whole.map(({ id }) => id.id)]);
    const edit = changeBetween(had, coming);
    const parts = isDestroy ? [changeBetween({ objects: { ...ofCode.objects, ...had.objects } }, NOTHING), edit] : [edit];
    return parts.flatMap((part) =>
      refusalOf(part, {
        ...{ planContext, platform, settings, had, declared: edit.after, tainted, stored, isDestroy },
        ...{ look: planContext.lookAt(block, change), isUrlChanged: had.url !== coming.url },
      }),
    );
  });
  return [...groupedBy(refusals, ({ platform }) => platform).values()].map(([first]) => first!);
}

interface Guarded {
  readonly planContext: PlanContext;
  readonly platform: PlatformId;
  readonly settings: RecordedSettings;
  /** The snapshot of the last apply. */
  readonly had: Snapshot;
  /** Ids of the objects in the code. */
  readonly declared: readonly string[];
  /** In the state. The review of a tainted object says nothing of its deletion. */
  readonly tainted: readonly InstanceChange[];
  /** Ids of the objects in the state. */
  readonly stored: ReadonlySet<string>;
  readonly isDestroy: boolean;
  readonly isUrlChanged: boolean;
  readonly look: Look | undefined;
}

function refusalOf({ before, after, replaced }: SnapshotChange, guarded: Guarded): GuardRefusal[] {
  const { planContext, platform, settings, had, declared, tainted, stored, isDestroy, look } = guarded;
  const leaving = goingObjects(settings, before, after, replaced);
  // Without a look: what only the code has was perhaps never created.
  const going = look ? leaving : leaving.filter((id) => stored.has(id));
  // Without a look: the hook also refuses what only the state has if it does not live, and lets pass what only the service has.
  const nowhere = look
    ? matchingNone(settings.retain, declared).filter((exact) => !isNameLive(exact, look.lists))
    : matchingNone(settings.retain, [...after, ...before, ...stored]);
  // The hook does not look for what the last apply has left there, and nothing has removed.
  const mayBeMissing = (id: string) => !Object.hasOwn(had.objects, id) || replaced.includes(id) || look?.ofRun.gone.has(id);
  const seenOf = (id: string): Partial<DeletionFacts> => {
    if (!look) return { isUsed: tainted.some((each) => each.id.id === id && planContext.usersOf(each.id).length > 0) };
    const object = objectOf(id);
    if (liveUnder(object, look.lists))
      return { isUsed: usersStaying(look.journal, object, look.lists.clusters, new Set(leaving)).length > 0 };
    const isUnseen = decidePermission(settings, id, {}).because === "protected" && !mayBeMissing(id);
    return isUnseen ? {} : { live: "absent" };
  };
  const refused = refusedAmong(going, (id) =>
    decidePermission(settings, id, {
      transition: replaced.includes(id) ? "replace" : "remove",
      isAdopted: true,
      hasUnknownRetained: nowhere.length > 0,
      ...seenOf(id),
    }),
  );
  const first = refusedFirst(refused);
  const isProtected = first[0]?.refusal.because === "protected";
  const missing = look && !isProtected ? missingOnDoubtfulService(before, look) : [];
  if (missing.length > 0 && (leaving.length > 0 || guarded.isUrlChanged))
    return [{ risk: "high", platform: platformName(platform), because: "service is doubtful", names: missing }];
  if (first.length === 0) return [];
  const { because } = first[0]!.refusal;
  const objects = first.map(({ object: id }) => id);
  const names = because === "retain matches nothing" ? nowhere : objects;
  const refusal: GuardRefusal = { risk: "high", platform: platformName(platform), because, names };
  if (because !== "protected") return [refusal];
  const known = [...new Set([...before, ...after])];
  return [{ ...refusal, allowedBy: isDestroy ? "deletionProtection: false" : allowDeletionLine(settings, objects, known) }];
}

function missingOnDoubtfulService(before: readonly string[], look: Look): readonly string[] {
  const expected = before.filter((id) => !look.ofRun.gone.has(id)).map(objectOf);
  const live = expected.filter((object) => liveObject(object, look.lists) !== undefined);
  return live.length < expected.length && isDoubtful(look.journal, live) ? expected.map(idOf) : [];
}

const NOTHING: Snapshot = { objects: {} };
