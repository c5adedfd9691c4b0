import type { ObjectRef } from "../../../model/object-ref";
import type { StateObject } from "../../drift/state-objects";
import type { LiveService } from "../service";
import type { Stack, StackPlatform } from "../stack";

export interface ComparedPlatform {
  readonly stack: Stack;
  readonly platform: StackPlatform;
  readonly service: LiveService;
  /** Only the objects of this Platform. */
  readonly had: readonly StateObject[];
  readonly env: NodeJS.ProcessEnv;
}

/** Cluster names are unique on the service over all types. */
export function liveOf({ type, kind, name }: ObjectRef, { clusters, providers }: LiveService) {
  return kind === "clusters" ? clusters.find(name) : providers.find(type, name);
}

/** With hooks, a tainted object may never have been created, or may belong to somebody else. */
export function isOwned({ id, tainted }: StateObject): boolean {
  return id.byProvider || !tainted;
}
