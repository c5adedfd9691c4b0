import type { Context } from "../lifecycle/context";
import { refuseOrphans, type Suspects } from "../lifecycle/orphans";
import { leftBehind, removedFromCode } from "../lifecycle/refused-orphans";
import { idOf, objectOf, type ObjectRef } from "../model/object-ref";
import { isRetained, withdrawn } from "../model/protection";
import { refuseAnotherService } from "./another-service";
import { Snapshots } from "./platform-change";
import type { Run } from "./run";

/**
 * Runs after all deletions and before all creations, and fails while an object that left the code still lives. Terraform calls no
 * destroy hook for an instance whose create was killed, because the instance is tainted.
 */
export async function verifyDeletions(run: Run): Promise<void> {
  const snapshots = new Snapshots(run, "orphan_check");
  // Equal names are those of a destroy, except with -replace.
  const { before, after, isUrlChanged } = snapshots.areEqual ? snapshots.destroy : snapshots.edit;
  // The deletion guard does not run after a wait that failed. A deletion of this run shows that the service is the right one.
  if (isUrlChanged && !run.journal().hasDeleted()) {
    const staying = before.filter((id) => after.includes(id));
    await refuseAnotherService(run, staying, { owner: "the last apply declared", soFar: "Nothing was created" });
  }
  const objects = withdrawn(before, after).map(objectOf);
  const textOf = (live: readonly ObjectRef[]) => removedFromCode(live, (object) => run.journal().of(object).wasNameTaken);
  await refuseOrphans(run.context(), { objects, platformOf: platformIn(run), textOf });
}

/**
 * Fails while an object lives that an interrupted apply may have created, and that neither the code nor the state has. The state has
 * lost it if it is remote and Terraform was killed.
 */
export async function refuseUndeclared(run: Run, context: Context, declared: readonly ObjectRef[]): Promise<void> {
  const known = new Set(declared.map(idOf));
  const open = context.journal.openCreates().filter(({ isHere, isOfPlatform }) => isHere && isOfPlatform);
  const objects = open.map(({ object }) => object).filter((object) => !known.has(idOf(object)));
  const textOf = (live: readonly ObjectRef[]) => leftBehind(live, true);
  await refuseOrphans(context, { objects, platformOf: platformIn(run), textOf });
}

const platformIn =
  (run: Run): Suspects["platformOf"] =>
  (object) =>
    isRetained(run.settings, idOf(object)) ? "retains it" : "in the code";
