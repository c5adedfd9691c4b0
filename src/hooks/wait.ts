import { HOOK_ENV } from "../contract/hook-protocol";
import { hasOpenCreates, type Journal } from "../lifecycle/journal";
import { LifecycleError } from "../lifecycle/lifecycle-error";
import { decide } from "../lifecycle/remedy";
import { it } from "../lifecycle/remedy-words";
import { waitForObjects } from "../lifecycle/wait";
import { describeObject, enumerated, recordedOtherwise } from "../lifecycle/wording";
import type { ObjectRef } from "../model/object-ref";
import { readExpected, readWorkspace } from "./environment";
import { refuseUndeclared } from "./orphan-check";
import type { Run } from "./run";

export async function waitHook(run: Run): Promise<void> {
  const objects = readExpected(run.env).flatMap(({ type, kind, ready, present }) => [
    ...ready.map((name) => ({ type, kind, name, waitedFor: true })),
    ...present.map((name) => ({ type, kind, name, waitedFor: false })),
  ]);
  const looksForUndeclared = Boolean(run.env[HOOK_ENV.all]) && hasOpenCreates(run.machine.notes);
  if (objects.length === 0 && !looksForUndeclared) return;
  const context = run.context(readWorkspace(run.env));
  if (looksForUndeclared) await refuseUndeclared(run, context, objects);
  const contradicted = objects.filter((object) => context.journal.of(object).isContradicted);
  if (contradicted.length > 0) throw notAsRecorded(contradicted, context.journal);
  let isOver = false;
  try {
    await waitForObjects(context, objects);
    isOver = true;
  } finally {
    // Terraform starts this hook after its state has all objects. A remote state may lose them if Terraform is killed.
    if (!run.interruption.interruptedBy) {
      // The service may still carry out a create without an answer, and the removal of a missing object then polls for it.
      const settled = isOver ? objects : objects.filter((object) => !context.journal.of(object).mayStillBeCreated);
      for (const object of settled) context.journal.stored(object);
    }
  }
}

/** Terraform records an instance as created before its hook has ended. */
function notAsRecorded(objects: readonly ObjectRef[], journal: Journal): LifecycleError {
  const [them, notes] = [it(objects), objects.length === 1 ? "note" : "notes"];
  return new LifecycleError({
    code: "ADOPT_MISMATCH",
    objects,
    summary: `${enumerated(objects.map(describeObject))}: ${recordedOtherwise()}`,
    remedies: [
      decide(
        `If another machine has created ${them} since, the state is right: remove the ${notes} ${enumerated(objects.map((object) => journal.pathOf(object)))} and apply again`,
      ),
      { code: "REPLACE", objects },
      decide("To keep what lives, declare it, and write retain and adopt: true for one apply"),
    ],
  });
}
