import { LifecycleError } from "../../lifecycle/lifecycle-error";
import { decide } from "../../lifecycle/remedy";
import { describeObject } from "../../lifecycle/wording";
import type { ObjectRef } from "../../model/object-ref";
import type { ObjectValue } from "../../terraform/value";
import type { Session } from "./session";

/**
 * Refuses an object whose state names another service than the one of this run. Another service may have somebody else's object
 * of the same name, so nothing there may be compared with the state, deleted or replaced. Only the user knows whether it is the
 * same service at a new URL.
 */
export function refuseAnotherService(object: ObjectRef, state: ObjectValue, session: Session): void {
  if (isOnService(state, session)) return;
  const service = String(state.service);
  throw new LifecycleError({
    code: "INVALID_SETTING",
    objects: [object],
    summary: `the state names ${service} as the service of ${describeObject(object)}, but this run uses the one at ${session.url}`,
    detail: "Another service may have somebody else's object of the same name. Nothing was sent",
    remedies: [
      { code: "CORRECT_URL" },
      { code: "NAME_FORMER_URL", url: service },
      decide(
        "If a move in the code gives the object to a Platform of another service, undo the move. If the object here is somebody else's, remove the entry from the state with terraform state rm",
      ),
    ],
  });
}

/** Refuses to create an object on another service than the one that the plan has read. */
export function refuseUnplannedService(object: ObjectRef, planned: ObjectValue, session: Session): void {
  if (isOnService(planned, session)) return;
  throw new LifecycleError({
    code: "INVALID_SETTING",
    objects: [object],
    summary: `${describeObject(object)} is planned for the service at ${String(planned.service)}, but this run uses the one at ${session.url}`,
    detail: "Nothing was sent",
    remedies: [decide("Plan again with the URL that you apply with")],
  });
}

export function isOnService({ service }: ObjectValue, session: Session): boolean {
  return session.presentUrl(service as string) === session.url;
}
