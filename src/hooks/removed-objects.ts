import { HOOK_ENV } from "../api/hook-protocol";
import { inflate, required } from "./run";

/**
 * The objects, as `type/kind/name`, that the state declares and the code no longer does. Where both declare the same,
 * the hook runs because everything is being destroyed.
 */
export function removedObjects(env: NodeJS.ProcessEnv): string[] {
  const before = inflate(required(env, HOOK_ENV.before)) as string[];
  const after = new Set(inflate(required(env, HOOK_ENV.after)) as string[]);
  const removed = before.filter((id) => !after.has(id));
  return removed.length === 0 && before.length === after.size ? before : removed;
}
