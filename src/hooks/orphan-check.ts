import { LifecycleError } from "../lifecycle/lifecycle-error";
import { orphans } from "../lifecycle/orphans";
import { idOf, objectOf, type ObjectRef } from "../model/object-ref";
import { isRetained, retainLine, withdrawn } from "../model/protection";
import { allowing, platformCalled } from "./advice";
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
  for (const id of gone.filter((id) => isRetained(run.settings, id))) run.journal().forget([objectOf(id)]);
  const removed = gone.filter((id) => !isRetained(run.settings, id)).map(objectOf);
  if (removed.length === 0) return;
  const live = await orphans(run.context(), removed);
  if (live.length > 0) throw left(run, live, live.filter((object) => run.journal().wasRefused(object)).map(idOf));
}

/** @param refused objects whose create sent nothing, because the name was taken */
function left(run: Run, live: readonly ObjectRef[], refused: readonly string[]): LifecycleError {
  const ids = live.map(idOf);
  const ours = ids.filter((id) => !refused.includes(id));
  const allowed = allowing(run.settings, ids);
  return new LifecycleError({
    code: "STILL_LIVE",
    objects: live,
    summary: `removed from the code, but still on the service: ${ids.join(", ")}`,
    detail: [
      "Terraform called no destroy hook. If this run has -target, or -replace of the orphan check, it leaves out the object: apply without it",
      ...(refused.length > 0
        ? [`No request was sent to create ${refused.join(", ")}, because the name was taken, so it is probably somebody else's`]
        : []),
      ...(ours.length > 0
        ? [`Otherwise the create of ${ours.join(", ")} was interrupted or failed, here or on another machine`]
        : []),
    ].join(". "),
    remedy: [
      `If it belongs to somebody else or must stay: ${retainLine(run.settings, ids)} on ${platformCalled(run.settings)}, for one apply`,
      `If it is this stack's: declare it again, apply with CLUSTER_PLATFORM_ADOPT=${ids.join(",")}, and then remove it${allowed === undefined ? "" : ` with ${allowed}`}`,
    ].join(". "),
  });
}
