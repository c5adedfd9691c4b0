import { LifecycleError } from "../../lifecycle/lifecycle-error";
import { decide } from "../../lifecycle/remedy";
import { describeObject } from "../../lifecycle/wording";
import type { ObjectRef } from "../../model/object-ref";
import type { ObjectValue } from "../../terraform/value";
import type { ObjectMemory } from "./object-memory";
import type { Session } from "./session";

/**
 * Refuses to delete an object whose Platform has left the code. Terraform then configures the provider with an empty block, which
 * does not know `retain`. If the Platform only has another name now, the object would
 * be deleted although it is declared.
 */
export function refuseWithoutPlatform(
  object: ObjectRef,
  { declared_at: path }: ObjectValue,
  { hasPlatform }: ObjectMemory,
  { settings }: Session,
): void {
  if ((typeof path !== "string" && !hasPlatform) || settings.declared !== undefined) return;
  const platform = typeof path === "string" ? `the Platform of the construct ${path}` : "the Platform that it was imported for";
  throw new LifecycleError({
    code: "MISSING_PLATFORM",
    objects: [object],
    summary: `the plan deletes ${describeObject(object)}, and ${platform} has left the code`,
    detail: "Without the Platform, nothing says what is retained. Nothing was sent",
    remedies: [
      decide(
        "Write the Platform again. To delete its objects, remove their constructs, deploy, and then remove the Platform. To give the Platform another name, write a moved block for each object. In a provider block that is written by hand, write declared = []",
      ),
    ],
  });
}
