import { isDeepStrictEqual } from "node:util";
import { idsIn } from "../contract/snapshot";
import { readAfter, readBefore } from "./environment";

/** What is going to happen to the objects of a Platform, as far as the hook of a support resource is told. */
export interface Change {
  /** Objects, as `type/kind/name`, that were declared so far. */
  readonly before: readonly string[];
  /** Those that are declared from now on. */
  readonly after: readonly string[];
  /** Whether everything is being destroyed; `-target` and `-replace` look the same to a hook. */
  readonly isDestroy: boolean;
  /** Whether `before` is what the code declares, because the hook does not know what the state does. */
  readonly isOfCode: boolean;
}

/**
 * A resource without a snapshot in its triggers is destroyed only with everything. So is one whose snapshot is that of the
 * code: nothing in the code replaces it.
 */
export function readChange(env: NodeJS.ProcessEnv): Change {
  const [before, after] = [readBefore(env), readAfter(env)];
  const isDestroy = after === undefined || isDeepStrictEqual(before, after);
  return { before: idsIn(before), after: isDestroy ? [] : idsIn(after), isDestroy, isOfCode: after === undefined };
}
