import { readAfter, readBefore } from "./environment";

/**
 * The objects, as `type/kind/name`, that are going: those that the state declares and the code no longer does, or all
 * that the state declares, where the hook says nothing of the code because everything is being destroyed.
 */
export function removedObjects(env: NodeJS.ProcessEnv): readonly string[] {
  const after = new Set(readAfter(env) ?? []);
  return readBefore(env).filter((id) => !after.has(id));
}
