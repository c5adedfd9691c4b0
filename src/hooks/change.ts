import { isDeepStrictEqual } from "node:util";
import { platformPrefix, supportAddress, supportId } from "../contract/addresses";
import type { HookNeeds } from "../contract/hook-protocol";
import { changeBetween, type Snapshot, type SnapshotChange } from "../contract/snapshot";
import { readAfter, readBefore } from "./environment";
import type { Run } from "./run";

/** What this apply does to the objects of a Platform, as far as the hook of a support resource knows. */
export interface Change extends SnapshotChange {
  /** Ids of the objects that the code declares, also if everything is being destroyed. */
  readonly declared: readonly string[];
  /** Whether the code declares what the last apply declared. */
  readonly isEqual: boolean;
  /** Whether everything is being destroyed. To a hook, some runs with `-target` and `-replace` look the same. */
  readonly isDestroy: boolean;
  /** Whether `before` is from the code, because the hook does not know what the state has. */
  readonly isOfCode: boolean;
  /** What the code's objects need. Undefined if everything is being destroyed. */
  readonly needs: HookNeeds | undefined;
  /** Whether the URL of the service in the code is new or has changed. */
  readonly isUrlChanged: boolean;
}

/** `protection`, which has no snapshot, is destroyed only with everything. */
export function readChange(run: Run, recorder: "platform" | "ready"): Change {
  const { env, settings } = run;
  const before = readBefore(env, supportAddress(supportId(platformPrefix(settings.platform), recorder)));
  const code = readAfter(env);
  const isOfCode = code === undefined;
  const declared = code ?? before;
  const isDestroy = isOfCode || run.isDestroy();
  return {
    ...changeBetween(before, isDestroy ? { objects: {} } : declared),
    declared: Object.keys(declared.objects),
    isEqual: isDeepStrictEqual(recorded(before), recorded(declared)),
    isDestroy,
    isOfCode,
    needs: isDestroy ? undefined : code.needs,
    isUrlChanged: before.url !== declared.url,
  };
}

const recorded = ({ url, objects }: Snapshot) => ({ url, objects });
