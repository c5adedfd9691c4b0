import { ClusterPlatformError } from "../../model/errors";
import { failureText } from "../report/failure-text";

export interface CheckResult {
  /** `check`: a person decides whether it is intended. */
  readonly verdict: "good" | "check" | "wrong";
  readonly subject: string;
  readonly message: string;
}

export const good = (subject: string, message: string): CheckResult => ({ verdict: "good", subject, message });
export const doubtful = (subject: string, message: string): CheckResult => ({ verdict: "check", subject, message });
export const wrong = (subject: string, message: string): CheckResult => ({ verdict: "wrong", subject, message });

export function failed(subject: string, error: unknown): CheckResult {
  return wrong(subject, error instanceof ClusterPlatformError ? failureText(error) : String(error));
}
