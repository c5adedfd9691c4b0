import { PLAN_ONLY } from "../../host/run-settings";
import { LifecycleError } from "../../lifecycle/lifecycle-error";
import { decide } from "../../lifecycle/remedy";
import { describeObject } from "../../lifecycle/wording";
import type { ObjectRef } from "../../model/object-ref";
import type { ObjectMemory } from "./object-plan";

/** Terraform plans `clusterplatform_ready` after all objects, so the failed plan has their changes. */
export function planForReview(): LifecycleError {
  return new LifecycleError({
    code: "PLAN_ONLY",
    objects: [],
    summary: `this plan is for a review and cannot be applied, because ${PLAN_ONLY} is set`,
    detail: "It has the changes of all providers and clusters. What a normal plan refuses is a warning here. Nothing was sent",
    remedies: [],
  });
}

/** If a configuration without `clusterplatform_ready` was planned, Terraform applies the plan. */
export function refusePlanForReview(object: ObjectRef, { planOnly }: ObjectMemory = {}): void {
  if (!planOnly) return;
  throw new LifecycleError({
    code: "PLAN_ONLY",
    objects: [object],
    summary: `${describeObject(object)} is not deleted, because the plan was made for a review, with ${PLAN_ONLY}`,
    detail: "Nothing was sent",
    remedies: [decide("Plan again without the variable")],
  });
}
