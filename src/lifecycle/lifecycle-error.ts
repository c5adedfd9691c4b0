import type { Difference } from "./compare";
import { ClusterPlatformError, type ErrorCode } from "../model/errors";
import type { ObjectRef } from "../model/object-ref";

/** A hook prints the parts in one line, and a Terraform provider makes a diagnostic of them. */
export interface Failure {
  readonly code: ErrorCode;
  readonly objects: readonly ObjectRef[];
  /** What happened, in one sentence without its full stop. */
  readonly summary: string;
  /** What is known, and what was sent; sentences, the last one without its full stop. */
  readonly detail?: string;
  /** The way out; sentences, the last one without its full stop. */
  readonly remedy?: string;
  /** Fields whose live value differs from the declared one. */
  readonly differences?: readonly Difference[];
  /** Fields whose declaration has changed since an interrupted create was sent. */
  readonly changed?: readonly string[];
  readonly cause?: unknown;
}

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
