import type { Difference } from "./compare";
import { ClusterPlatformError, type ErrorCode } from "../model/errors";
import type { ObjectRef } from "../model/object-ref";
import type { Remedy } from "./remedy";
import { sentences } from "./wording";

/** A hook prints all of it in one line, and a Terraform provider makes a diagnostic of it. */
export interface Failure {
  readonly code: ErrorCode;
  readonly objects: readonly ObjectRef[];
  /** What happened, in one sentence without its full stop. */
  readonly summary: string;
  /** What is known, and what was sent; sentences, the last one without its full stop. */
  readonly detail?: string;
  /** The ways out. Empty if the next apply continues without anything else. */
  readonly remedies: readonly Remedy[];
  /** Fields whose live value differs from the declared one. */
  readonly differences?: readonly Difference[];
  /** Fields whose declaration has changed since an interrupted create was sent. */
  readonly changed?: readonly string[];
  readonly cause?: unknown;
}

/** Its message does not have the remedies, because each engine has its own words for them. */
export class LifecycleError extends ClusterPlatformError {
  constructor(readonly failure: Failure) {
    const { code, summary, detail, cause } = failure;
    super(code, sentences(summary, detail)!, { cause });
    this.name = "LifecycleError";
  }
}
