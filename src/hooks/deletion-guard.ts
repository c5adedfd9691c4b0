import type { HookNeeds } from "../contract/hook-protocol";
import { pollLists, type PolledLists } from "../lifecycle/absence";
import { GuardedDeletions, type RefusedDeletions } from "../lifecycle/guarded-deletions";
import { LifecycleError } from "../lifecycle/lifecycle-error";
import type { Lists } from "../lifecycle/live";
import { refusedDeletion, renamedTo, usedBy, withRemedies, type Refused } from "../lifecycle/refused-deletion";
import { decide, type Remedy } from "../lifecycle/remedy";
import { it } from "../lifecycle/remedy-words";
import { describePlatform, enumerated, sentences } from "../lifecycle/wording";
import { ConfigurationError } from "../model/errors";
import { idOf, objectOf } from "../model/object-ref";
import { goingObjects, matchingNone, withdrawn } from "../model/protection";
import { anotherService } from "./another-service";
import { type PlatformChange, Snapshots } from "./platform-change";
import { NOTHING_WAS_DELETED, refuseUnmetNeeds } from "./needs";
import type { Run } from "./run";

/*
 * The deletion guard of a Platform runs before anything is deleted. Two support resources have it as their destroy hook:
 *
 * | what happens | hook of `protection` | hook of `ready` |
 * | --- | --- | --- |
 * | an apply of an edit | does not run | judges the edit |
 * | a destroy | judges the destroy | finds no edit |
 * | a destroy with an edit that was not applied | judges both | judges the edit again |
 * | `-replace`, or another value of a token | does not run | finds no edit: the hook of the instance decides |
 *
 * It refuses if a protected object goes, if the service has none of the state's objects (with another service, the state would forget
 * them all), if a destroy hook would refuse, and if a create after the deletions must fail. If the URL has changed, it checks the service
 * even if nothing is deleted.
 */

const SO_FAR = "Nothing was deleted";

/** The hook of `ready`. */
export async function guardDeletions(run: Run): Promise<void> {
  const { areEqual, edit, ids } = new Snapshots(run, "ready");
  if (areEqual) return;
  run.known = ids;
  if (await judgeEdit(run, edit)) run.journal().removeOld();
}

/**
 * The hook of `protection`, which a destroy of everything destroys first. It also judges an edit that was not applied: the hook of
 * `ready` cannot tell a destroy, and would refuse that edit after `protection` has left the state.
 */
export async function guardDestroy(run: Run): Promise<void> {
  const { areEqual, destroy, edit, ids } = new Snapshots(run, "protection");
  run.known = ids;
  const looked = await judgeDeletions(run, destroy);
  if (!areEqual) await withUndoRemedy(() => judgeEdit(run, edit, looked));
  if (looked) run.journal().removeOld();
}

async function withUndoRemedy(judge: () => Promise<unknown>): Promise<void> {
  try {
    await judge();
  } catch (error) {
    if (error instanceof ConfigurationError && error.code === "MISSING_SECRET") {
      throw new ConfigurationError(error.code, `${error.message}. ${UNDO_EDIT}`, { cause: error });
    }
    if (!(error instanceof LifecycleError)) throw error;
    throw new LifecycleError({ ...error.failure, remedies: [decide(UNDO_EDIT), ...error.failure.remedies], cause: error });
  }
}

const UNDO_EDIT = "Destroy everything: undo the change of the code that was not applied, and destroy again";

async function judgeEdit(run: Run, edit: PlatformChange, looked?: PolledLists): Promise<PolledLists | undefined> {
  const seen = await judgeDeletions(run, edit, looked);
  await judgeNeeds(run, edit);
  return seen;
}

/**
 * Refuses without a look if nothing says that a protected object may be missing. Otherwise all wait for the look, and one message names
 * those that live.
 * @param looked what an earlier look has shown. @default - it looks if something is deleted
 * @returns what it has seen
 */
async function judgeDeletions(run: Run, change: PlatformChange, looked?: PolledLists): Promise<PolledLists | undefined> {
  const guarded = new GuardedDeletions(run.settings, change, run.journal(), run.ofRun.gone);
  if (!guarded.needsLook) return looked;
  const { going, forbidden, perhapsMissing } = guarded;
  if (forbidden.length > 0 && perhapsMissing.length === 0) throw protectedObjects(run, change, forbidden);
  const asked = going.length > 0 ? going : change.before.map(objectOf);
  const seen = looked ?? (await pollLists(run.context(), asked, perhapsMissing, SO_FAR));
  const refusal = guarded.judge(seen.lists, seen.absent);
  if (refusal) throw refused(run, change, guarded, refusal, seen.lists);
  return seen;
}

function refused(
  run: Run,
  change: PlatformChange,
  guarded: GuardedDeletions,
  refusal: RefusedDeletions,
  lists: Lists,
): LifecycleError {
  switch (refusal.because) {
    case "protected":
      return protectedObjects(run, change, refusal.refused);
    case "service is doubtful": {
      const { before, after, applied } = change;
      const owner = before.every((id) => applied.has(id)) ? "the state has" : "the state has or the code declares";
      return anotherService(run, refusal, { owner, soFar: SO_FAR, declared: after });
    }
    case "in use": {
      const used = refusal.refused.map(({ object }) => ({ provider: object, users: guarded.usersOf(object, lists) }));
      return withRemedies(refusal.refused, usedBy(used, NOTHING_WAS_DELETED));
    }
    case "said to be gone":
    case "retain matches nothing":
      return refusedDeletion(refusal.refused, {
        otherwise: NOTHING_WAS_DELETED,
        unknownRetained: guarded.unknownRetained(lists),
      });
    default: {
      const first = refusal.refused.slice(0, 1);
      return withRemedies(first, guarded.identityOf(first[0]!.object, lists)!.text!);
    }
  }
}

/** Refuses an edit that deletes something if a create after that must fail. */
async function judgeNeeds(run: Run, { before, after, needs, replaced }: PlatformChange): Promise<void> {
  const going = goingObjects(run.settings, before, after, replaced);
  if (needs === undefined || going.length === 0) return;
  const [had, has] = [new Set(before), new Set(after)];
  const created = after.filter((id) => !had.has(id));
  const recreated = going.filter((id) => has.has(id));
  const isKept = (id: string) => had.has(id) && !replaced.includes(id);
  await refuseUnmetNeeds(run, needs, { created, replaced: recreated, kept: new Set(after.filter(isKept)) });
  sayWhatIsUnchecked(run, needs, recreated);
}

/** Only a create hook has the values of tokens. */
function sayWhatIsUnchecked(run: Run, { withTokens }: HookNeeds, replaced: readonly string[]): void {
  const ids = replaced.filter((id) => withTokens.includes(id));
  if (ids.length > 0)
    run.say(`${enumerated(ids)}: the values of tokens in the new declaration are not checked before the deletion`);
}

function protectedObjects(run: Run, change: PlatformChange, all: Refused): LifecycleError {
  const ids = all.map(({ object }) => idOf(object));
  const refused = refusedDeletion(all, {
    subject: ids.join(", "),
    otherwise: NOTHING_WAS_DELETED,
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
  { before, after, replaced }: PlatformChange,
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
