import type { ObjectRef } from "../model/object-ref";
import type { ErrorCode } from "../model/errors";
import type { Difference } from "./compare";
import { LifecycleError } from "./lifecycle-error";
import { decide } from "./remedy";
import { describeObject, differing, enumerated } from "./wording";

/** What decides whether the hooks of the code take over an object of the Terraform provider. Their create hook adopts it. */
export interface HandOver {
  readonly object: ObjectRef;
  readonly isDeclared: boolean;
  /** Whether a complete apply with the provider has named it in the state. */
  readonly isNamed: boolean;
  /** How the code differs from the state, for a reader. Unknown if the code has a value that Terraform does not know yet. */
  readonly changes: readonly string[] | "unknown";
  /** What the service has. Undefined if the caller has not looked yet. */
  readonly live?: "missing" | "leaving" | readonly Difference[];
}

/**
 * The refusal of a hand-over that the hook would not accept. Terraform forgets the object without asking anybody, so the plan is the
 * only occasion.
 * @param named how a reader calls a field
 */
export function refusedHandOver(
  { object, isDeclared, isNamed, changes, live }: HandOver,
  named?: (field: string) => string,
): LifecycleError | undefined {
  const refused = (code: ErrorCode, reason: string, first: string, differences?: readonly Difference[]) =>
    new LifecycleError({
      code,
      objects: [object],
      summary: `${describeObject(object)} cannot move to an engine with hooks, because ${reason}`,
      detail: UNTOUCHED,
      remedies: [decide(`${BACK}, ${first}, and change the engine afterwards`)],
      differences,
    });
  if (!isDeclared) return refused("INVALID_SETTING", "it leaves the code in the same change", "remove it from the code, apply");
  if (!isNamed) return handOverOfUnready([object]);
  if (changes === "unknown") {
    return refused(
      "INVALID_SETTING",
      "its declaration has a value that Terraform does not know yet",
      "apply until a plan is empty",
    );
  }
  if (changes.length > 0) {
    return refused("ADOPT_MISMATCH", `its declaration changes, too: ${changes.join("; ")}`, "change the declaration, apply");
  }
  if (live === undefined) return undefined;
  if (live === "missing" || live === "leaving") {
    const reason = live === "leaving" ? "the service is deleting it" : "it is not on the service any more";
    return refused("OBJECT_MISSING", reason, "create it again or remove it from the code, apply");
  }
  if (live.length === 0) return undefined;
  const reason = `it differs from its declaration: ${differing(live, named)}`;
  return refused("ADOPT_MISMATCH", reason, "declare the live values, apply", live);
}

/** For objects that the state has, and that no complete apply has named in it. */
export function handOverOfUnready(objects: readonly ObjectRef[]): LifecycleError {
  return new LifecycleError({
    code: "INVALID_SETTING",
    objects,
    summary: `${enumerated(objects.map(describeObject))} cannot move to an engine with hooks, because no apply has succeeded since Terraform has ${objects.length === 1 ? "it" : "them"}`,
    detail: UNTOUCHED,
    remedies: [decide(`${BACK}, apply, and change the engine afterwards`)],
  });
}

export function deletedInHandOver(object: ObjectRef): LifecycleError {
  return new LifecycleError({
    code: "INVALID_SETTING",
    objects: [object],
    summary: `the plan deletes ${describeObject(object)} before it has moved to an engine with hooks`,
    detail: UNTOUCHED,
    remedies: [decide(`Apply the change of the engine first. Or delete it with the provider. ${BACK} for that`)],
  });
}

// Without migrateFrom, an apply would forget what a half-finished move from hooks has left there.
const BACK = "Set engine: Engine.PROVIDER again, with its former migrateFrom if no apply has succeeded since";
const UNTOUCHED = "Terraform keeps it in its state. Nothing was sent";

/**
 * The ids of the objects that hooks take over. An apply that ended early may have released an object before it came to the resource
 * that names it.
 * @param named ids that the state names for this
 * @param released ids of the objects that earlier applies have left on the service
 * @param stored ids of the provider's objects in the state
 */
export function takenOver(named: readonly string[], released: readonly string[], stored: readonly string[]): readonly string[] {
  return named.filter((id) => stored.includes(id) || !released.includes(id));
}
