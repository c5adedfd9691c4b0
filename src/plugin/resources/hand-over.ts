import type { Difference } from "../../lifecycle/compare";
import { isLeaving } from "../../lifecycle/live";
import { LifecycleError } from "../../lifecycle/lifecycle-error";
import { decide } from "../../lifecycle/remedy";
import { called, enumerated } from "../../lifecycle/wording";
import type { Settings } from "../../contract/provider-settings";
import type { ErrorCode } from "../../model/errors";
import { idOf, type ObjectRef } from "../../model/object-ref";
import type { ObjectValue } from "../../terraform/value";
import { refuseAnotherService } from "./another-service";
import { changedFields, compareWithLive, fieldName, inWords, shown } from "./comparison";
import type { Ledger } from "./ledger";
import type { ObjectKind } from "./object-kind";
import type { Session } from "./session";

/**
 * Refuses to give an object to an engine with hooks, unless its hook will adopt it. Terraform forgets the object without a word to
 * the provider, so the load of its state is the only occasion.
 */
export async function refuseHandOver(
  kind: ObjectKind,
  state: ObjectValue,
  handOver: NonNullable<Settings["handOver"]>,
  session: Session,
  ledger: Ledger,
): Promise<void> {
  const object = kind.refOf(state)!;
  if (session.isDestroy) throw deletedInHandOver(object);
  if (!handOver.has(idOf(object))) {
    throw refused("INVALID_SETTING", object, "it leaves the code in the same change", "remove it from the code, apply");
  }
  refuseAnotherService(object, state, session);
  // An object that has moved from hooks has no service before its first update.
  if ((state.service ?? null) === null || !ledger.isHandedOver(object)) throw handOverOfUnready([object]);
  const declared = handOver.get(idOf(object));
  if (declared === undefined) {
    const reason = "its declaration has a value that Terraform does not know yet";
    throw refused("INVALID_SETTING", object, reason, "apply until a plan is empty");
  }
  const before = kind.fieldsOf(state);
  const changes = changedFields(before, declared).map(
    (field) => `${fieldName(kind, field, state)} changes from ${shown(before[field])} to ${shown(declared[field])}`,
  );
  if (changes.length > 0) {
    const reason = `its declaration changes, too: ${changes.join("; ")}`;
    throw refused("ADOPT_MISMATCH", object, reason, "change the declaration, apply");
  }
  const live = await session.presence.read(object, session.presentUrl(state.service as string), state.uid as string);
  if (live === undefined || isLeaving(live)) {
    const reason = live ? "the service is deleting it" : "it is not on the service any more";
    throw refused("OBJECT_MISSING", object, reason, "create it again or remove it from the code, apply");
  }
  const { differences } = compareWithLive(kind, before, live);
  if (differences.length === 0) return;
  const reason = `it differs from its declaration: ${inWords(kind, differences, state)}`;
  throw refused("ADOPT_MISMATCH", object, reason, "declare the live values, apply", differences);
}

function refused(
  code: ErrorCode,
  object: ObjectRef,
  reason: string,
  first: string,
  differences?: readonly Difference[],
): LifecycleError {
  return new LifecycleError({
    code,
    objects: [object],
    summary: `${called(object)} cannot move to an engine with hooks, because ${reason}`,
    detail: UNTOUCHED,
    remedies: [decide(`${BACK}, ${first}, and change the engine afterwards`)],
    differences,
  });
}

/** For objects that the state has, and that no complete apply has named in it. */
export function handOverOfUnready(objects: readonly ObjectRef[]): LifecycleError {
  return new LifecycleError({
    code: "INVALID_SETTING",
    objects,
    summary: `${enumerated(objects.map(called))} cannot move to an engine with hooks, because no apply has succeeded since Terraform has ${objects.length === 1 ? "it" : "them"}`,
    detail: UNTOUCHED,
    remedies: [decide(`${BACK}, apply, and change the engine afterwards`)],
  });
}

export function deletedInHandOver(object: ObjectRef): LifecycleError {
  return new LifecycleError({
    code: "INVALID_SETTING",
    objects: [object],
    summary: `the plan deletes ${called(object)} before it has moved to an engine with hooks`,
    detail: UNTOUCHED,
    remedies: [decide(`Apply the change of the engine first. Or delete it with the provider. ${BACK} for that`)],
  });
}

const BACK = "Set engine: Engine.PROVIDER again without migrateFrom";
const UNTOUCHED = "Terraform keeps it in its state. Nothing was sent";
