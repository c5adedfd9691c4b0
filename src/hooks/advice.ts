import { instanceAddress } from "../contract/addresses";
import type { HookSettings } from "../contract/hook-protocol";
import type { Remedies } from "../lifecycle/context";
import { adviceOn } from "../lifecycle/advice";
import type { ErrorCode } from "../model/errors";
import { idOf, type ObjectRef } from "../model/object-ref";
import { allowDeletionLine, isProtected } from "../model/protection";

export function withAdvice(error: Error & { readonly code: ErrorCode }): string {
  const advice = adviceOn(error);
  if (advice === undefined) return error.message;
  return `${error.message}${error.message.endsWith("?") ? "" : "."} ${advice}`;
}

const NAMED = 10;

/** @param blockAddress address of an object's block in Terraform, as in `null_resource.capvs_clusters` */
export function hookRemedies(settings: HookSettings, blockAddress: (object: ObjectRef) => string): Remedies {
  const replacing = (object: ObjectRef) => ` -replace='${instanceAddress(blockAddress(object), object.name)}'`;
  return {
    adopt: (objects) => `apply once with CLUSTER_PLATFORM_ADOPT=${objects.slice(0, NAMED).map(idOf).join(",")}`,
    retain: (objects) => `list ${objects.length === 1 ? "this name" : "these names"} in the Platform's retain`,
    recreate: (objects) => `terraform apply${objects.map(replacing).join("")}`,
    allowDeletion: (objects) => allowing(settings, objects.map(idOf)),
    acceptGone: "run once with CLUSTER_PLATFORM_ACCEPT_GONE=1",
    afterNameTaken: "Terraform marks the instance tainted and will not delete the object",
  };
}

/** Undefined if none of the objects is protected. */
export function allowing(settings: HookSettings, ids: readonly string[], known?: readonly string[]): string | undefined {
  const refused = ids.filter((id) => isProtected(settings, id));
  return refused.length === 0 ? undefined : `${allowDeletionLine(settings, refused, known)} on ${platformCalled(settings)}`;
}

export function platformCalled({ platform }: HookSettings): string {
  return platform === undefined ? "the Platform" : `the Platform ${platform}`;
}
