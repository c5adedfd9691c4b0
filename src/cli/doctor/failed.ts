import { ClusterPlatformError } from "../../model/errors";
import { failureText } from "../report/failure-text";
import { type CheckResult, wrong } from "./check-result";

export function failed(subject: string, error: unknown): CheckResult {
  return wrong(subject, error instanceof ClusterPlatformError ? failureText(error) : String(error));
}
