import type { Context } from "../lifecycle/context";
import { LifecycleError } from "../lifecycle/lifecycle-error";
import { orphans } from "../lifecycle/orphans";
import { idOf, objectOf, type ObjectRef } from "../model/object-ref";
import { isRetained, withdrawn } from "../model/protection";
import { refuseAnotherService } from "./another-service";
import { readChange } from "./change";
import type { Run } from "./run";

/**
 * Runs after all deletions, and fails while an object that left the code still lives. Terraform calls no destroy hook for an
 * instance whose create was killed, because the instance is tainted.
 */
export async function checkOrphans(run: Run): Promise<void> {
  const { before, after, isUrlChanged } = readChange(run.env);
  // The deletion guard has checked the URL, unless it was lost in an earlier run. That run may have created nothing.
  const isServiceSeen = run.journal().receipt(run.settings.platform ?? "")?.serviceSeen || run.journal().hasDeleted();
  if (isUrlChanged && !isServiceSeen) {
    const staying = before.filter((id) => after.includes(id));
    await refuseAnotherService(run, staying, "the last apply declared", "Nothing was created");
  }
  const gone = withdrawn(before, after);
  for (const id of gone.filter((id) => isRetained(run.settings, id))) run.journal().release(objectOf(id));
  const removed = gone.filter((id) => !isRetained(run.settings, id)).map(objectOf);
  if (removed.length === 0) return;
  const live = await orphans(run.context(), removed);
  if (live.length > 0) throw removedFromCode(live, live.filter((object) => run.journal().wasRefused(object)).map(idOf));
}

/**
 * Fails while an object lives that an interrupted apply may have created, and that neither the code nor the state has. The state has
 * lost it if it is remote and Terraform was killed.
 */
export async function refuseUndeclared(run: Run, context: Context, declared: readonly ObjectRef[]): Promise<void> {
  const known = new Set(declared.map(idOf));
  const undeclared = context.journal.creations().filter((object) => !known.has(idOf(object)));
  const suspects = undeclared.filter((object) => !isRetained(run.settings, idOf(object)));
  for (const object of undeclared) if (!suspects.includes(object)) context.journal.release(object);
  if (suspects.length === 0) return;
  const live = await orphans(context, suspects);
  if (live.length === 0) return;
  const ids = live.map(idOf).join(", ");
  throw left(
    live,
    `on the service, but neither in the code nor in the state: ${ids}`,
    `An interrupted apply created ${ids}, and no later apply would delete it`,
  );
}

/** @param refused objects whose create sent nothing, because the name was taken */
function removedFromCode(live: readonly ObjectRef[], refused: readonly string[]): LifecycleError {
  const ids = live.map(idOf);
  const ours = ids.filter((id) => !refused.includes(id));
  return left(
    live,
    `removed from the code, but still on the service: ${ids.join(", ")}`,
    [
      "Terraform called no destroy hook. If this run has -target, -exclude, or -replace of the orphan check, it leaves out the object: apply without it",
      ...(refused.length > 0
        ? [`No request was sent to create ${refused.join(", ")}, because the name was taken, so it is probably somebody else's`]
        : []),
      ...(ours.length > 0
        ? [`Otherwise the create of ${ours.join(", ")} was interrupted or failed, here or on another machine`]
        : []),
    ].join(". "),
  );
}

function left(live: readonly ObjectRef[], summary: string, detail: string): LifecycleError {
  return new LifecycleError({
    code: "STILL_LIVE",
    objects: live,
    summary,
    detail,
    remedies: [
      { code: "LET_GO", objects: live },
      { code: "ADOPT_AND_REMOVE", objects: live },
    ],
  });
}
