import { InterruptedError, RequestError, type ClusterPlatformError, type ErrorCode } from "../model/errors";
import { LifecycleError } from "./lifecycle-error";
import type { Occasion, Remedy } from "./remedy";

const OCCASIONS: Partial<Record<ErrorCode, Occasion>> = {
  CONTRACT: "proxies are checked",
  REJECTED: "request is corrected",
  CONFLICT: "conflict is resolved",
  NOT_FOUND: "URL is checked",
  RATE_LIMITED: "later",
  SERVICE_ERROR: "service works",
  UNREACHABLE: "service is reachable",
  DEADLINE_EXCEEDED: "service answers",
};

/** Empty if the next apply continues without anything else. */
export function remediesOf(error: ClusterPlatformError): readonly Remedy[] {
  if (error instanceof LifecycleError) return error.failure.remedies;
  if (error instanceof InterruptedError) return [];
  const when = error instanceof RequestError ? OCCASIONS[error.code] : undefined;
  return [when === undefined ? { code: "DECIDE" } : { code: "APPLY", when }];
}
