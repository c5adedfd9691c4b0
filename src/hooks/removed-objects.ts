import { HOOK_ENV } from "../api/hook-protocol";
import { inflate, required } from "./run";

/**
 * The objects, as `type/kind/name`, that are going: those that the state declares and the code no longer does, or all
 * that the state declares, where the hook says nothing of the code because everything is being destroyed.
 */
export function removedObjects(env: NodeJS.ProcessEnv): string[] {
  const before = inflate(required(env, HOOK_ENV.before)) as string[];
  const declared = env[HOOK_ENV.after];
  if (declared === undefined) return before;
  const after = new Set(inflate(declared) as string[]);
  return before.filter((id) => !after.has(id));
}
