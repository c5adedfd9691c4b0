import { provenAbsent } from "../lifecycle/absence";
import type { GuardReceipt } from "../lifecycle/journal";
import { LifecycleError, type Failure } from "../lifecycle/lifecycle-error";
import { decide } from "../lifecycle/remedy";
import { it } from "../lifecycle/remedy-words";
import { enumerated, sentences } from "../lifecycle/wording";
import { idOf, objectOf } from "../model/object-ref";
import { matchingNone, plannedRemovals } from "../model/protection";
import { refuseAnotherService } from "./another-service";
import { type Change, readChange } from "./change";
import { declaredElsewhere, isElsewhere } from "./declared-elsewhere";
import type { Run } from "./run";
import { platformCalled } from "./words";

/**
 * Runs before anything is deleted. Refuses the apply if it deletes a protected object, if a name in `retain` matches nothing, or
 * if the service has none of the state's objects: with another service, the state would forget them all. If the URL has changed,
 * it checks the service even if nothing is deleted.
 */
export async function guardDeletions(run: Run): Promise<void> {
  const change = readChange(run.env);
  run.known = [...new Set([...change.before, ...change.after])];
  const removals = plannedRemovals(run.settings, change.before, change.after, change.replaced);
  const refused = await withoutMissing(run, change, removals.refused);
  if (refused.length > 0) throw isProtected(run, change, refused);
  const unknown = matchingNone(removals.unknown, run.journal().released());
  if (removals.going.length > 0 && unknown.length > 0) throw isUnknown(change, removals.going, unknown);
  await refuseElsewhere(run, change, removals.going);
  const released = removals.unknown.filter((exact) => !unknown.includes(exact));
  if (released.length > 0)
    run.say(`retain has ${enumerated(released)}, which an earlier apply has released: remove it from retain`);
  const isAtStake = removals.going.length > 0 || (change.isUrlChanged && change.before.length > 0);
  const owner = change.isOfCode ? "the code declares" : "the state has";
  if (isAtStake) await refuseAnotherService(run, change.before, owner, "Nothing was deleted");
  passed(run, {
    serviceSeen: isAtStake,
    retained: run.settings.retain.filter((exact) => !unknown.includes(exact)),
  });
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

/** An object that is proven absent has nothing to protect. */
async function withoutMissing(run: Run, { replaced }: Change, refused: readonly string[]): Promise<readonly string[]> {
  const recreated = refused.filter((id) => replaced.includes(id));
  if (recreated.length === 0) return refused;
  const missing = await provenAbsent(run.context(), recreated.map(objectOf), "Nothing was deleted");
  const gone = new Set(missing.map(idOf));
  return refused.filter((id) => !gone.has(id));
}

async function refuseElsewhere(run: Run, { elsewhere }: Change, going: readonly string[]): Promise<void> {
  const declared = declaredElsewhere(run, elsewhere, going.map(objectOf));
  if (declared.length === 0) return;
  const missing = await provenAbsent(run.context(), declared, "Nothing was deleted");
  const staying = declared.filter((object) => !missing.includes(object));
  if (staying.length > 0) throw isElsewhere(run, staying, "nothing was deleted");
}

function isProtected({ settings }: Run, change: Change, refused: readonly string[]): LifecycleError {
  const platform = platformCalled(settings);
  return new LifecycleError({
    code: "PROTECTED",
    objects: refused.map(objectOf),
    summary: `${refused.join(", ")} ${refused.length === 1 ? "is" : "are"} protected from deletion; nothing was deleted`,
    ...(change.isDestroy
      ? {
          remedies: [
            decide(
              `To destroy everything, write deletionProtection: false on ${platform} and destroy again. To delete others only, remove their constructs and apply: a hook cannot see what -target spares`,
            ),
          ],
        }
      : waysPast(settings, change, refused)),
  });
}

function waysPast(
  settings: Run["settings"],
  { before, after, replaced }: Change,
  refused: readonly string[],
): Pick<Failure, "detail" | "remedies"> {
  const recreated = refused.filter((id) => replaced.includes(id)).map(objectOf);
  const leaving = refused.filter((id) => !replaced.includes(id)).map(objectOf);
  const idle = matchingNone(settings.allowDeletion, [...before, ...after]);
  return {
    detail: sentences(
      ...(recreated.length > 0
        ? [
            `The declaration of ${recreated.map(idOf).join(", ")} has changed, so the apply would delete ${it(recreated)} and create ${it(recreated)} again; the plan names the fields`,
            "If the plan replaces no protected object, an earlier -target or change of the state is the reason: allow it once as well",
          ]
        : []),
      ...(idle.length > 0 ? [`allowDeletion has ${enumerated(idle)}, which names nothing: is it misspelled?`] : []),
    ),
    remedies: [
      { code: "ALLOW_DELETION", objects: refused.map(objectOf) },
      ...(recreated.length > 0 ? [{ code: "CORRECT_DECLARATION", objects: recreated } as const] : []),
      ...(leaving.length > 0 ? [{ code: "RETAIN", objects: leaving } as const] : []),
    ],
  };
}

function isUnknown({ isOfCode }: Change, going: readonly string[], unknown: readonly string[]): LifecycleError {
  return new LifecycleError({
    code: "INVALID_SETTING",
    objects: going.map(objectOf),
    summary: `Platform: 'retain' must name objects that ${isOfCode ? "the code declares if everything is destroyed" : "the state or the code has"}, got ${enumerated(unknown)}: if that is a typo, the object that it should keep would be deleted now`,
    detail: `Nothing was deleted. The apply would delete or replace ${enumerated(going)}`,
    remedies: [
      decide(
        isOfCode
          ? "Correct the name. If the object has left the code, apply that first, and remove the name from 'retain' before the destroy"
          : "Correct the name, or remove it if an earlier apply has released the object, and apply again",
      ),
    ],
  });
}
