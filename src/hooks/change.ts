import { isDeepStrictEqual } from "node:util";
import { platformPrefix, supportAddress, supportId } from "../contract/addresses";
import type { HookNeeds } from "../contract/hook-protocol";
import { changeBetween, type SnapshotChange } from "../contract/snapshot";
import { readAfter, readBefore } from "./environment";
import type { Run } from "./run";

/** What this apply does to the objects of a Platform, as far as the hook of a support resource knows. */
export interface Change extends SnapshotChange {
  /** Whether everything is being destroyed. To a hook, `-target` and `-replace` look the same. */
  readonly isDestroy: boolean;
  /** Whether `before` is from the code, because the hook does not know what the state has. */
  readonly isOfCode: boolean;
  /** What the code's objects need. Undefined if everything is being destroyed. */
  readonly needs: HookNeeds | undefined;
  /** Whether the URL of the service in the code is new or has changed. */
  readonly isUrlChanged: boolean;
}

/** A resource without a snapshot, or with the code's, is not replaced. So its destruction means that everything is destroyed. */
export function readChange(
  { env, settings }: Pick<Run, "env" | "settings">,
  recorder: "deletion_guard" | "orphan_check",
): Change {
  const before = readBefore(env, supportAddress(supportId(platformPrefix(settings.platform), recorder)));
  const code = readAfter(env);
  // The state has no more than this.
  const after = code && { ...(code.url !== undefined && { url: code.url }), objects: code.objects };
  const isDestroy = after === undefined || isDeepStrictEqual(before, after);
  const change = changeBetween(before, isDestroy ? { objects: {} } : after);
  return {
    ...change,
    isDestroy,
    isOfCode: after === undefined,
    needs: isDestroy ? undefined : code?.needs,
    isUrlChanged: after !== undefined && before.url !== after.url,
  };
}
