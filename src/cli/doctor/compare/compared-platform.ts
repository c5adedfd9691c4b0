import type { ObjectRef } from "../../../model/object-ref";
import type { StateObject } from "../../drift/state-objects";
import type { LiveService } from "../service";
import type { Stack, StackPlatform } from "../stack";

/** One Platform of a stack, its objects in the state, and its service. */
export interface ComparedPlatform {
  readonly stack: Stack;
  readonly platform: StackPlatform;
  readonly service: LiveService;
  /** The objects of this Platform in the state. */
  readonly had: readonly StateObject[];
  readonly env: NodeJS.ProcessEnv;
}

/** The live object that has the name of an object. Cluster names are unique on the service over all types. */
export function liveOf({ type, kind, name }: ObjectRef, { clusters, providers }: LiveService) {
  return kind === "clusters" ? clusters.find(name) : providers.find(type, name);
}
