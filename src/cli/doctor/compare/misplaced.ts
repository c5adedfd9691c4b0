import type { SynthesizedObject } from "../../../synthesized/objects";
import { idOf } from "../../../model/object-ref";
import type { StateObject } from "../../drift/state-objects";
import { type CheckResult, wrong } from "../check-result";
import type { ComparedPlatform } from "./compared-platform";
import { isMoved, isOwned } from "./stored";

/** Declared objects that the state has at the address of another one, as after `terraform state mv`. */
export function* misplaced({ stack, platform, storedFor, journal }: ComparedPlatform): Generator<CheckResult> {
  for (const object of platform.declared) {
    const stored = storedFor(object);
    if (!stored || stored.id.platform.module !== "" || !isOwned(stored) || isMoved(stack, stored)) continue;
    const to = addressFor(object, stored);
    if (to === undefined || to === stored.address) continue;
    // A destroy hook lets the state drop it.
    if (!stored.id.byProvider && journal.wasReplaced(stored.id, stored.uid ?? "")) continue;
    yield wrong(
      "state",
      `the state has ${idOf(object)} at ${stored.address}, and the code declares it at ${to}: an apply will fail. Move it: terraform state mv '${stored.address}' '${to}' [DECLARED_ELSEWHERE]`,
    );
  }
}

/** Undefined if the address is right, or if the engine is another one. */
function addressFor({ address }: SynthesizedObject, { id, ownAddress }: StateObject): string | undefined {
  return id.byProvider ? address : address === undefined ? ownAddress : undefined;
}
