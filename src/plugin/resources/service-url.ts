import { LifecycleError } from "../../lifecycle/lifecycle-error";
import { decide, type Remedy } from "../../lifecycle/remedy";
import { describeObject, enumerated } from "../../lifecycle/wording";
import { idOf, type ObjectRef } from "../../model/object-ref";
import type { ObjectValue } from "../../terraform/value";
import type { Session } from "./session";

const URL_FIRST = decide(
  "If the service has this new URL, first apply nothing else: leave the objects in the code unchanged, or leave out the others with -target",
);

/**
 * Refuses to delete or replace an object whose state names another service than the one of this run. Another service may have
 * somebody else's object of the same name. Only the user knows whether it is the same service at a new URL.
 */
export function refuseOtherUrl(object: ObjectRef, state: ObjectValue, session: Session): void {
  if (isOnService(state, session)) return;
  throw atOtherUrl(object, state, session, [URL_FIRST]);
}

/** @param differing the attributes whose live values the state does not have */
export function differsAtOtherUrl(
  object: ObjectRef,
  state: ObjectValue,
  session: Session,
  differing: readonly string[],
): LifecycleError {
  return atOtherUrl(object, state, session, [
    decide(
      `The object here differs in ${enumerated(differing)}. If it is this stack's, remove the entry from the state with terraform state rm, declare the live values, and apply once with CLUSTER_PLATFORM_ADOPT=${idOf(object)}`,
    ),
  ]);
}

/** The run was told that the object is gone, and the plan has no refresh that lets Terraform forget it. */
export function goneAtOtherUrl(object: ObjectRef, state: ObjectValue, session: Session): LifecycleError {
  return atOtherUrl(object, state, session, [
    decide("If it is gone, as CLUSTER_PLATFORM_ACCEPT_GONE says, plan without -refresh=false, so that Terraform forgets it"),
  ]);
}

function atOtherUrl(object: ObjectRef, { service }: ObjectValue, session: Session, remedies: readonly Remedy[]) {
  return new LifecycleError({
    code: "INVALID_SETTING",
    objects: [object],
    summary: `the state names ${String(service)} as the service of ${describeObject(object)}, but this run uses the one at ${session.url}`,
    detail: "Another service may have somebody else's object of the same name. Nothing was sent",
    remedies: [
      { code: "CORRECT_URL" },
      ...remedies,
      decide(
        "If a moved block or terraform state mv has brought its entry from a Platform of another service, undo the move. If the object here is somebody else's, remove the entry from the state with terraform state rm",
      ),
    ],
  });
}

/** @param what the plan creates, deletes or replaces */
export function notOnlyAnotherUrl(service: string, what: string): LifecycleError {
  return new LifecycleError({
    code: "INVALID_SETTING",
    objects: [],
    summary: `the state names another service, ${service}, for objects that stay, and the plan creates, deletes or replaces ${what}`,
    detail: "The service of this run may be somebody else's. Nothing was sent",
    remedies: [{ code: "CORRECT_URL" }, URL_FIRST],
  });
}

/** Refuses to create an object on another service than the one that the plan has read. */
export function refuseUnplannedUrl(object: ObjectRef, planned: ObjectValue, session: Session): void {
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
  return service === session.url;
}
