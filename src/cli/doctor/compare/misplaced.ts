import { liveUnder } from "../../../lifecycle/live";
import { idOf } from "../../../model/object-ref";
import type { StateObject } from "../../drift/state-objects";
import { parseAddress } from "../../report/instance";
import { type CheckResult, wrong } from "../check-result";
import type { StackPlatform } from "../stack";
import { deletionOf } from "./changes";
import type { ComparedPlatform } from "./compared-platform";
import { creation } from "./creation";
import { handedOverFrom } from "./hand-over";
import { destination, isOwned } from "./stored";

/** Declared objects that the state has at the address of another one, as after `terraform state mv`. */
export function* misplaced(compared: ComparedPlatform): Generator<CheckResult> {
  const { stack, platform, service, storedFor, journal, adopted } = compared;
  for (const object of platform.declared) {
    const stored = storedFor(object);
    if (!stored || stored.id.platform.module !== "" || !isOwned(stored)) continue;
    const declaredAt = object.address ?? handedOverFrom(stack, object);
    const at = destination(stack.moved, stored.address);
    const to = ownAddress(declaredAt, stored, at);
    if (to === undefined) continue;
    // A destroy hook, or the refresh of the provider, lets the state drop it.
    const { byProvider } = stored.id;
    const live = liveUnder(stored.id, service);
    if (byProvider ? !live : journal.wasReplaced(stored.id, stored.uid ?? "")) continue;
    // A plan of the provider refuses an object that leaves one address of a Platform and comes at another one.
    const isAnother = (each: StackPlatform) => each !== platform && each.declared.some(({ address }) => address === at);
    const left = byProvider ? stack.platforms.find(isAnother) : platform;
    if (left && deletionOf(left, stored).happens === "RETAIN") {
      const how = { isAdopted: adopted.has(object), isImported: false, withoutNotes: !byProvider };
      if (live) yield creation(compared, object, live, how);
      continue;
    }
    yield wrong(
      "state",
      `the state has ${idOf(object)} at ${stored.address}, and the code expects it at ${destination(stack.moved, to)}: an apply will fail. Move it: terraform state mv '${stored.address}' '${to}' [DECLARED_ELSEWHERE]`,
    );
  }
}

/**
 * Where the state must have the object. Undefined if it has it there, or if the engine is another one.
 * @param address in the code, with the provider
 * @param moved the address after the moves in the code
 */
function ownAddress(address: string | undefined, { id, ownAddress }: StateObject, moved: string): string | undefined {
  if (id.byProvider) return address === moved ? undefined : address;
  const isRight = address === undefined ? parseAddress(moved)?.index === id.name : address === moved;
  return isRight ? undefined : ownAddress;
}
