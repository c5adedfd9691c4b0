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
import { type Change, readChange } from "./change";
import { refuseUnmetNeeds } from "./needs";
import type { Run } from "./run";

/**
 * Runs before anything is deleted. Refuses the apply if it deletes a protected object, if the service has none of the state's
 * objects (with another service, the state would forget them all), if an entry of `retain` names nothing, or if a create after
 * the deletions must fail. If the URL has changed, it checks the service even if nothing is deleted.
 */
export async function guardDeletions(run: Run): Promise<void> {
  const change = readChange(run, "deletion_guard");
  run.known = [...new Set([...change.before, ...change.after])];
  const { settings } = run;
  const { before, after, isOfCode } = change;
  const going = goingObjects(settings, before, after, change.replaced);
  await refuseProtected(run, change, going);
  const isAtStake = going.length > 0 || (change.isUrlChanged && before.length > 0);
  if (isAtStake) {
    const owner = isOfCode ? "the code declares" : "the state has";
    await refuseAnotherService(run, before, { owner, soFar: "Nothing was deleted", declared: after });
  }
  await refuseLive(run, change, going);
  if (change.needs && going.length > 0) {
    const [had, has] = [new Set(before), new Set(after)];
    const created = after.filter((id) => !had.has(id));
    const replaced = going.filter((id) => has.has(id));
    const isKept = (id: string) => had.has(id) && !change.replaced.includes(id);
    await refuseUnmetNeeds(run, change.needs, { created, replaced, kept: new Set(after.filter(isKept)) });
    sayWhatIsUnchecked(run, change.needs, replaced);
  }
  if (isAtStake) run.journal().writeReceipt();
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
  const declared = change.isDestroy ? change.before : change.after;
  const unknownRetained = await namingNothing(run.settings.retain, declared, () => Promise.resolve(lists));
  const [leaving, replaced] = [new Set(going), new Set(change.replaced)];
  const known = new Set([...change.before, ...change.after]);
  const stays = (user: ObjectRef) =>
    !leaving.has(idOf(user)) && (!change.isOfCode || known.has(idOf(user))) && !run.journal().of(user).wasDeletionSent();
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
  // A replacement creates a missing object again, an object that only the code has was perhaps never created, and the run may be
  // told that an object is gone.
  const mayBeMissing = (id: string) => change.isOfCode || run.ofRun.gone.has(id) || replaced.has(id);
  const perhapsMissing = alive.map(({ object }) => object).filter((object) => mayBeMissing(idOf(object)));
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

/** To a hook, a destroy of everything and a destroy of some objects look the same. */
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
