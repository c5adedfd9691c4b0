import { LifecycleError } from "../../lifecycle/lifecycle-error";
import { decide } from "../../lifecycle/remedy";
import { called } from "../../lifecycle/wording";
import type { ObjectRef } from "../../model/object-ref";
import type { ObjectValue } from "../../terraform/value";
import type { Session } from "./session";

/**
 * Refuses to delete an object whose Platform has left the code. Terraform then configures the provider with an empty block, which
 * knows neither `retain` nor what other Platforms of the stack declare. If the Platform only has another name now, the object would
 * be deleted although it is declared.
 */
export function refuseWithoutPlatform(object: ObjectRef, { declared_at: path }: ObjectValue, { settings }: Session): void {
  if (typeof path !== "string" || settings.declared !== undefined) return;
  throw new LifecycleError({
    code: "MISSING_PLATFORM",
    objects: [object],
    summary: `the plan deletes ${called(object)}, and the Platform of the construct ${path} has left the code`,
    detail: "Without the Platform, nothing says what is retained and what other Platforms of the stack declare. Nothing was sent",
    remedies: [
      decide(
        "To delete all objects of the Platform, replace it by a RetiredPlatform with its props. To give the Platform another name, write a moved block for each object. In a provider block that is written by hand, write declared = []",
      ),
    ],
  });
}
