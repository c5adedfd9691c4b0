import { decidePermission, refusedAmong } from "../decision/deletion";
import { decideRetainedNames, refusedFirst } from "../decision/platform";
import type { HookNeeds } from "../contract/hook-protocol";
import { provenAbsent } from "../lifecycle/absence";
import type { GuardReceipt } from "../lifecycle/notes";
import { LifecycleError } from "../lifecycle/lifecycle-error";
import { clustersOn, isLeaving, liveUnder, listsFor } from "../lifecycle/live";
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
 * Runs before anything is deleted. Refuses the apply if it deletes a protected object, if a name in `retain` matches nothing, if
 * the service has none of the state's objects (with another service, the state would forget them all), or if a create after the
 * deletions must fail. If the URL has changed, it checks the service even if nothing is deleted.
 */
export async function guardDeletions(run: Run): Promise<void> {
  const change = readChange(run, "deletion_guard");
  run.known = [...new Set([...change.before, ...change.after])];
  const { settings } = run;
  const { before, after, isOfCode } = change;
  const going = goingObjects(settings, before, after, change.replaced);
  const seen = isOfCode ? { declared: before } : { declared: after, stored: before };
  const names = decideRetainedNames(settings.retain, { ...seen, released: run.journal().released() });
  await refuse(run, change, going, names.doubtful);
  if (names.done.length > 0)
    run.say(`retain has ${enumerated(names.done)}, which an earlier apply has released: remove it from retain`);
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
  passed(run, {
    serviceSeen: isAtStake,
    retained: settings.retain.filter((exact) => !names.doubtful.includes(exact)),
  });
}

/**
 * Refuses what the destroy hooks would refuse because of what the service shows. They would do so after other deletions. Absent
 * objects and clusters without a provider are left to them, because only lists of a longer time tell what those are.
 */
async function refuseLive(run: Run, change: Change, going: readonly string[]): Promise<void> {
  // A killed run may have replaced an object already. Then its destroy hook deletes nothing.
  const objects = going.map(objectOf).filter((object) => run.journal().creationOf(object) === undefined);
  if (objects.length === 0) return;
  const { gone } = run.ofRun;
  const lists = await listsFor(run.context(), objects, "Nothing was deleted");
  const [leaving, replaced] = [new Set(going), new Set(change.replaced)];
  const known = new Set([...change.before, ...change.after]);
  const stays = (user: ObjectRef) =>
    !leaving.has(idOf(user)) && (!change.isOfCode || known.has(idOf(user))) && !run.journal().wasDeletionSent(user);
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
    return decidePermission(run.settings, id, { ...facts, live: "own", isUsed: usersOf(object).length > 0 });
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
      throw refusedDeletion(first, { otherwise });
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

/**
 * Refuses what the destroy hooks would refuse without a look at the service, before the first of them runs. {@link refuseLive} looks.
 */
async function refuse(run: Run, change: Change, going: readonly string[], unknown: readonly string[]): Promise<void> {
  const replaced = new Set(change.replaced);
  const refusedIf = (objects: readonly ObjectRef[], live: "own" | "absent") =>
    refusedAmong(objects, (object) => {
      const id = idOf(object);
      return decidePermission(run.settings, id, {
        transition: replaced.has(id) ? "replace" : "remove",
        // The create hook knows.
        isAdopted: true,
        hasUnknownRetained: unknown.length > 0,
        live,
      });
    });
  const alive = refusedIf(going.map(objectOf), "own");
  // A replacement creates a missing object again, an object that only the code has was perhaps never created, and the run may be
  // told that an object is gone.
  const mayBeMissing = ({ object, refusal }: Refused[number]) =>
    (refusal.because === "protected" && (change.isOfCode || run.ofRun.gone.has(idOf(object)))) || replaced.has(idOf(object));
  const perhapsMissing = alive.filter(mayBeMissing).map(({ object }) => object);
  const missing = perhapsMissing.length > 0 ? await provenAbsent(run.context(), perhapsMissing, "Nothing was deleted") : [];
  const absent = new Set(missing.map(idOf));
  const refused = [...alive.filter(({ object }) => !absent.has(idOf(object))), ...refusedIf(missing, "absent")];
  const first = refusedFirst(refused);
  if (first.length > 0) throw refusal(run, change, first, unknown);
}

/**
 * Writes the receipt for the destroy hooks of the objects. A destroy of everything runs two guards, one after the other. So the
 * second guard keeps what the first has found.
 */
function passed(run: Run, { serviceSeen, retained }: GuardReceipt): void {
  const [journal, platform] = [run.journal(), run.settings.platform ?? ""];
  const before = journal.receipt(platform);
  journal.writeReceipt(platform, {
    serviceSeen: serviceSeen || (before?.serviceSeen ?? false),
    retained: [...new Set([...(before?.retained ?? []), ...retained])],
  });
}

function refusal(run: Run, change: Change, all: Refused, unknown: readonly string[]): LifecycleError {
  const ids = all.map(({ object }) => idOf(object));
  const { because } = all[0]!.refusal;
  const refused = refusedDeletion(all, {
    subject: ids.join(", "),
    otherwise: "nothing was deleted",
    unknown: {
      names: unknown,
      where: change.isOfCode ? "the code does not declare" : "neither the code nor the last apply of this Platform has",
    },
    details: { protected: change.isDestroy ? undefined : aboutProtected(run.settings, change, ids) },
  });
  const remedies = because === "protected" && change.isDestroy ? [unprotecting(run)] : refused.failure.remedies;
  return new LifecycleError({ ...refused.failure, remedies });
}

/** To a hook, a destroy of everything and a destroy of some objects look the same. */
function unprotecting({ settings }: Run): Remedy {
  return decide(
    `To destroy everything, write deletionProtection: false on ${describePlatform(settings.platform)} and destroy again. To delete others only, remove their constructs and apply: a hook cannot see what -target spares`,
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
          `The declaration of ${recreated.join(", ")} has changed, so the apply would delete ${them} and create ${them} again; the plan names the fields`,
          "If the plan replaces no protected object, an earlier -target or change of the state is the reason: allow it once as well",
        ]
      : []),
    ...(idle.length > 0 ? [`allowDeletion has ${enumerated(idle)}, which names nothing: is it misspelled?`] : []),
  );
}
