import { instanceAddress } from "../contract/addresses";
import type { HookSettings } from "../contract/hook-protocol";
import type { Remedies } from "../lifecycle/context";
import { adviceOn } from "../lifecycle/advice";
import type { ErrorCode } from "../model/errors";
import { idOf, type ObjectRef } from "../model/object-ref";
import { isProtected } from "../model/protection";

/** An error's message, and the way out. */
export function withAdvice(error: Error & { readonly code: ErrorCode }): string {
  const advice = adviceOn(error);
  if (advice === undefined) return error.message;
  return `${error.message}${error.message.endsWith("?") ? "" : "."} ${advice}`;
}

/** How many objects a command names. */
const NAMED = 10;

/** @param blockAddress address of an object's block in Terraform, as in `null_resource.capvs_clusters` */
export function hookRemedies(settings: HookSettings, blockAddress: (object: ObjectRef) => string): Remedies {
  return {
    adopt: (objects) => `apply once with CLUSTER_PLATFORM_ADOPT=${objects.slice(0, NAMED).map(idOf).join(",")}`,
    retain: (objects) => `list ${objects.length === 1 ? "this name" : "these names"} in the Platform's retain`,
    recreate: (objects) => recreating(settings, objects, blockAddress),
    acceptGone: "run it once with CLUSTER_PLATFORM_ACCEPT_GONE=1",
    afterNameTaken: "Terraform marks the instance tainted and will not delete the object",
  };
}

/** The commands that create anew what Terraform's state has and the service has not. What is protected cannot be replaced. */
function recreating(settings: HookSettings, objects: readonly ObjectRef[], blockAddress: (object: ObjectRef) => string): string {
  const instances = objects.map((object) => ({
    address: `'${instanceAddress(blockAddress(object), object.name)}'`,
    isKept: isProtected(settings, idOf(object)),
  }));
  const kept = instances.filter(({ isKept }) => isKept).map(({ address }) => ` ${address}`);
  const others = instances.filter(({ isKept }) => !isKept).map(({ address }) => ` -replace=${address}`);
  const forgetting = kept.length > 0 ? `terraform state rm${kept.join("")}, then ` : "";
  return `${forgetting}terraform apply${others.join("")}`;
}
