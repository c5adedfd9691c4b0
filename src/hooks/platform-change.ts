import { isDeepStrictEqual } from "node:util";
import { platformPrefix, supportAddress, supportId, type SupportResource } from "../contract/addresses";
import type { HookNeeds } from "../contract/hook-protocol";
import { changeBetween, type Snapshot } from "../contract/snapshot";
import type { GuardedChange } from "../lifecycle/guarded-deletions";
import { readAfter, readBefore } from "./environment";
import type { Run } from "./run";

/** What an apply does to the objects of a Platform, as far as the hook of a support resource knows. */
export interface PlatformChange extends GuardedChange {
  /** Whether everything is being destroyed. */
  readonly isDestroy: boolean;
  /** What the code's objects need, if the hook knows it. */
  readonly needs: HookNeeds | undefined;
}

/** The objects of the last complete apply, and those of the code. A resource without a snapshot has those of the code twice. */
export class Snapshots {
  private readonly before: Snapshot;
  private readonly code: Snapshot;

  constructor({ env, settings }: Pick<Run, "env" | "settings">, recorder: SupportResource) {
    this.before = readBefore(env, supportAddress(supportId(platformPrefix(settings.platform), recorder)));
    this.code = readAfter(env) ?? this.before;
  }

  /** Ids of the objects of either. */
  get ids(): readonly string[] {
    return [...new Set([...Object.keys(this.before.objects), ...Object.keys(this.code.objects)])];
  }

  /** Whether the code declares what the last apply declared. */
  get areEqual(): boolean {
    return isDeepStrictEqual(recorded(this.before), recorded(this.code));
  }

  /** The change of an apply. */
  get edit(): PlatformChange {
    const { before, code } = this;
    const change = changeBetween(before, code);
    return {
      ...change,
      isDestroy: false,
      declared: change.after,
      applied: new Set(Object.keys(before.objects)),
      needs: code.needs,
      isUrlChanged: before.url !== code.url,
    };
  }

  /** The change of a destroy. The state may have objects of the code, because an apply that failed has created them. */
  get destroy(): PlatformChange {
    const { edit } = this;
    const before = [...new Set([...edit.before, ...edit.declared])];
    return { ...edit, before, after: [], replaced: [], isDestroy: true };
  }
}

const recorded = ({ url, objects }: Snapshot) => ({ url, objects });
