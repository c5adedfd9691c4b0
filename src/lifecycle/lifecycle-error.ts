import type { Difference } from "./compare";
import { ClusterPlatformError, type ErrorCode } from "../model/errors";
import type { ObjectRef } from "../model/object-ref";

/** What went wrong, in parts: a hook prints them one after the other, a Terraform provider makes a diagnostic of them. */
export interface Failure {
  readonly code: ErrorCode;
  /** The objects that it is about. */
  readonly objects: readonly ObjectRef[];
  /** What happened, in one sentence without its full stop. */
  readonly summary: string;
  /** What is known about it, and what was sent; sentences, the last one without its full stop. */
  readonly detail?: string;
  /** What to do about it; sentences, the last one without its full stop. */
  readonly remedy?: string;
  /** Fields that the service shows otherwise than they were declared. */
  readonly differences?: readonly Difference[];
  /** Fields whose declaration has changed since a create was sent that has no answer on record. */
  readonly changed?: readonly string[];
  readonly cause?: unknown;
}

/** A create, a wait or a delete did not come to its end. */
export class LifecycleError extends ClusterPlatformError {
  constructor(readonly failure: Failure) {
    const { code, summary, detail, remedy, cause } = failure;
    const parts = [summary, detail, remedy].filter((part) => part !== undefined);
    super(
      code,
      parts.reduce((text, part) => `${text}${text.endsWith("?") ? "" : "."} ${part}`),
      { cause },
    );
    this.name = "LifecycleError";
  }
}
