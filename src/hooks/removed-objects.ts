import { withdrawn } from "../model/protection";
import { readAfter, readBefore } from "./environment";

/**
 * The objects, as `type/kind/name`, that are going: those that the state declares and the code no longer does, or all
 * that the state declares, where the hook says nothing of the code because everything is being destroyed.
 */
export function removedObjects(env: NodeJS.ProcessEnv): readonly string[] {
  return withdrawn(readBefore(env), readAfter(env) ?? []);
}
