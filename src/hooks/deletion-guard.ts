import { decidePermission, refusedAmong } from "../decision/deletion";
import { refusedFirst } from "../decision/platform";
import type { HookNeeds } from "../contract/hook-protocol";
import { provenAbsent } from "../lifecycle/absence";
import { LifecycleError } from "../lifecycle/lifecycle-error";
import { bothLists, clustersOn, isLeaving, liveUnder, namingNothing } from "../lifecycle/live";
import {
  ofAnother,
  refusedDeletion,
  renamedTo,
  spelledOtherwise,
  usedBy,
  withRemedies,
  type RefusalText,
  type Refused,
} from "../lifecycle/refused-deletion";
import { decide, type Remedy } from "../lifecycle/remedy";
import { it } from "../lifecycle/remedy-words";
import { describePlatform, enumerated, sentences } from "../lifecycle/wording";
import { idOf, objectOf, type ObjectRef } from "../model/object-ref";
import { goingObjects, matchingNone, withdrawn } from "../model/protection";
import { refuseAnotherService } from "./another-service";
import { type Change, Snapshots } from "./change";
import { refuseUnmetNeeds } from "./needs";
import type { Run } from "./run";

/**
 * Runs before anything is deleted. Refuses the apply if it deletes a protected object, if the service has none of the state's
 * objects (with another service, the state would forget them all), if an entry of `retain` names nothing, or if a create after
 * the deletions must fail. If the URL has changed, it checks the service even if nothing is deleted.
 *
 * If nothing declared changes, this is a destroy, or an instance is replaced with `-replace` or another value of a token. The hook of
 * `protection` decides about the first, and the hook of the instance about the second.
 */
export async function guardDeletions(run: Run): Promise<void> {
  const { areEqual, edit } = new Snapshots(run, "ready");
  if (areEqual) return;
  await refuseDeletions(run, edit);
  await refuseUnmet(run, edit);
}

/**
 * The hook of `protection`, which a destroy of everything destroys first. It refuses for unmet needs, too, because `-replace` of
 * `protection` looks the same, and because the hook of `ready` would refuse for them after `protection` has left the state.
 */
export async function guardDestroy(run: Run): Promise<void> {
  const { destroy, edit } = new Snapshots(run, "protection");
  await refuseDeletions(run, destroy);
  await refuseUnmet(run, edit);
}

async function refuseDeletions(run: Run, change: Change): Promise<void> {
  run.known = [...new Set([...change.before, ...change.after])];
  const { settings } = run;
  const { before, after, applied } = change;
  const going = goingObjects(settings, before, after, change.replaced);
  await refuseProtected(run, change, going);
  const isAtStake = going.length > 0 || (change.isUrlChanged && before.length > 0);
  if (isAtStake) {
    const owner = before.every((id) => applied.has(id)) ? "the state has" : "the state has or the code declares";
    await refuseAnotherService(run, before, { owner, soFar: "Nothing was deleted", declared: after });
  }
  await refuseLive(run, change, going);
  if (isAtStake) run.journal().removeOld();
}

/** Refuses an edit that deletes something if a create after that must fail. */
async function refuseUnmet(run: Run, { before, after, needs, replaced: changed }: Change): Promise<void> {
  const going = goingObjects(run.settings, before, after, changed);
  if (needs === undefined || going.length === 0) return;
  const [had, has] = [new Set(before), new Set(after)];
  const created = after.filter((id) => !had.has(id));
  const replaced = going.filter((id) => has.has(id));
  const isKept = (id: string) => had.has(id) && !changed.includes(id);
  await refuseUnmetNeeds(run, needs, { created, replaced, kept: new Set(after.filter(isKept)) });
  sayWhatIsUnchecked(run, needs, replaced);
}

/**
 * Refuses what the destroy hooks would refuse because of what the service shows. They would do so after other deletions. Absent
 * objects and clusters without a provider are left to them, because only lists of a longer time tell what those are.
 */
async function refuseLive(run: Run, change: Change, going: readonly string[]): Promise<void> {
  const objects = going.map(objectOf);
  if (objects.length === 0) return;
  const { gone } = run.ofRun;
  const lists = await bothLists(run.context(), objects, "Nothing was deleted");
  const unknownRetained = await namingNothing(run.settings.retain, change.declared, () => Promise.resolve(lists));
  const [leaving, replaced, known] = [new Set(going), new Set(change.replaced), new Set(run.known)];
  // The state may have it, because an apply that failed has created it. Then a destroy deletes it.
  const mayLeave = (user: ObjectRef) => change.isDestroy && !known.has(idOf(user)) && run.journal().of(user).makers.length > 0;
  const stays = (user: ObjectRef) => !leaving.has(idOf(user)) && !mayLeave(user) && !run.journal().of(user).wasDeletionSent();
  const usersOf = (object: ObjectRef) =>
    object.kind === "clusters" ? [] : clustersOn(object, lists.clusters!, (user) => !isLeaving(user)).filter(stays);
  const texts = new Map<ObjectRef, RefusalText>();
  const refused = refusedAmong(objects, (object) => {
    const live = liveUnder(object, lists);
    const id = idOf(object);
    const facts = {
      transition: replaced.has(id) ? ("replace" as const) : ("remove" as const),
      // The create hook knows.
      isAdopted: true,
      isSaidGone: gone.has(id),
    };
    if (live === undefined) return decidePermission(run.settings, id, { ...facts, live: "absent" });
    if (live.name !== object.name) {
      texts.set(object, spelledOtherwise(object, live));
      return decidePermission(run.settings, id, { ...facts, live: "of another spelling" });
    }
    if ("provider" in live && live.type !== object.type) {
      texts.set(object, ofAnother(object, undefined, live));
      return decidePermission(run.settings, id, { ...facts, live: "of another type or provider" });
    }
    return decidePermission(run.settings, id, {
      ...facts,
      live: "own",
      hasUnknownRetained: unknownRetained.length > 0,
      isUsed: usersOf(object).length > 0,
    });
  });
  const first = refusedFirst(refused);
  if (first.length === 0) return;
  const otherwise = "nothing was deleted";
  switch (first[0]!.refusal.because) {
    case "in use": {
      const used = first.map(({ object }) => ({ provider: object, users: usersOf(object) }));
      throw withRemedies(first, usedBy(used, otherwise));
    }
    case "said to be gone":
    case "retain matches nothing":
      throw refusedDeletion(first, { otherwise, unknownRetained });
    default:
      throw withRemedies(first.slice(0, 1), texts.get(first[0]!.object)!);
  }
}

/** Only a create hook has the values of tokens. */
function sayWhatIsUnchecked(run: Run, { withTokens }: HookNeeds, replaced: readonly string[]): void {
  const ids = replaced.filter((id) => withTokens.includes(id));
  if (ids.length > 0)
    run.say(`${enumerated(ids)}: the values of tokens in the new declaration are not checked before the deletion`);
}

/** Refuses what the destroy hooks would refuse without a look at the service. {@link refuseLive} looks. */
async function refuseProtected(run: Run, change: Change, going: readonly string[]): Promise<void> {
  const replaced = new Set(change.replaced);
  const alive = refusedAmong(going.map(objectOf), (object) => {
    const id = idOf(object);
    // The create hook knows whether it adopts.
    return decidePermission(run.settings, id, { transition: replaced.has(id) ? "replace" : "remove", isAdopted: true });
  });
  // A replacement creates a missing object again, an object that only the code has was perhaps never created, an apply that failed
  // may have deleted an object, and the run may be told that an object is gone.
  const mayBeMissing = (object: ObjectRef) => {
    const id = idOf(object);
    const isExpected = change.applied.has(id) && !replaced.has(id) && !run.ofRun.gone.has(id);
    return !isExpected || run.journal().of(object).wasDeletionSent();
  };
  const perhapsMissing = alive.map(({ object }) => object).filter(mayBeMissing);
  const missing = perhapsMissing.length > 0 ? await provenAbsent(run.context(), perhapsMissing, "Nothing was deleted") : [];
  const absent = new Set(missing.map(idOf));
  const refused = alive.filter(({ object }) => !absent.has(idOf(object)));
  if (refused.length > 0) throw refusal(run, change, refused);
}

function refusal(run: Run, change: Change, all: Refused): LifecycleError {
  const ids = all.map(({ object }) => idOf(object));
  const refused = refusedDeletion(all, {
    subject: ids.join(", "),
    otherwise: "nothing was deleted",
    details: { protected: change.isDestroy ? undefined : aboutProtected(run.settings, change, ids) },
  });
  const remedies = change.isDestroy ? [unprotecting(run)] : refused.failure.remedies;
  return new LifecycleError({ ...refused.failure, remedies });
}

/** To a hook, a destroy of everything, a destroy of some objects and a replacement of `protection` look the same. */
function unprotecting({ settings }: Run): Remedy {
  return decide(
    `Destroy everything: write deletionProtection: false on ${describePlatform(settings.platform)} and destroy again. Delete others only: remove their constructs and apply`,
  );
}

function aboutProtected(
  { allowDeletion }: Run["settings"],
  { before, after, replaced }: Change,
  refused: readonly string[],
): string | undefined {
  const recreated = refused.filter((id) => replaced.includes(id));
  const them = it(recreated.map(objectOf));
  const idle = matchingNone(allowDeletion, [...before, ...after]);
  const removed = withdrawn(refused, after).map(objectOf);
  const successors = withdrawn(after, before)
    .map(objectOf)
    .filter(({ type, kind }) => removed.some((object) => object.kind === kind && object.type === type));
  return sentences(
    renamedTo(removed, successors),
    ...(recreated.length > 0
      ? [
          `The declaration of ${recreated.join(", ")} has changed, so the apply would delete ${them} and create ${them} again, empty`,
        ]
      : []),
    ...(idle.length > 0 ? [`allowDeletion has ${enumerated(idle)}, which names nothing: is it misspelled?`] : []),
  );
}
