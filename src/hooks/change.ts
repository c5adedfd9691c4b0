import { isDeepStrictEqual } from "node:util";
import { changeBetween, type SnapshotChange } from "../contract/snapshot";
import { readAfter, readBefore } from "./environment";

/** What is going to happen to the objects of a Platform, as far as the hook of a support resource is told. */
export interface Change extends SnapshotChange {
  /** Whether everything is being destroyed; `-target` and `-replace` look the same to a hook. */
  readonly isDestroy: boolean;
  /** Whether `before` is what the code declares, because the hook does not know what the state does. */
  readonly isOfCode: boolean;
  /** Whether the code says another URL of the service than before, or one where it said none. */
  readonly isUrlChanged: boolean;
}

/**
 * A resource without a snapshot in its triggers is destroyed only with everything. So is one whose snapshot is that of the
 * code: nothing in the code replaces it.
 */
export function readChange(env: NodeJS.ProcessEnv): Change {
  const [before, after] = [readBefore(env), readAfter(env)];
  const isDestroy = after === undefined || isDeepStrictEqual(before, after);
  return {
    ...changeBetween(before, isDestroy ? { objects: {} } : after),
    isDestroy,
    isOfCode: after === undefined,
    isUrlChanged: after !== undefined && before.url !== after.url,
  };
}
