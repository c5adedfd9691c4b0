import type { ObjectRef } from "../../../model/object-ref";
import type { StateObject } from "../../drift/state-objects";
import type { LiveService } from "../service";
import type { Stack, StackPlatform } from "../stack";

/** One Platform of a stack with what the state has of it, and its service. */
export interface ComparedPlatform {
  readonly stack: Stack;
  readonly platform: StackPlatform;
  readonly service: LiveService;
  /** What the state has of this Platform. */
  readonly had: readonly StateObject[];
  readonly env: NodeJS.ProcessEnv;
}

/** What lives under the name of an object; names of clusters are the service's, whatever their type. */
export function liveOf({ type, kind, name }: ObjectRef, { clusters, providers }: LiveService) {
  return kind === "clusters" ? clusters.find(name) : providers.find(type, name);
}
