import { ClusterPlatformError, type ErrorCode } from "../../model/errors";
import { type CheckResult, wrong } from "./check-result";

/** A failure as the result of a check, with its remedy and its error code. */
export function failed(subject: string, error: unknown): CheckResult {
  if (!(error instanceof ClusterPlatformError)) return wrong(subject, String(error));
  const step = STEPS[error.code];
  return wrong(subject, `${error.message}${step === undefined ? "" : `; ${step}`} [${error.code}]`);
}

/** Remedies for failures whose message has none. */
const STEPS: Partial<Record<ErrorCode, string>> = {
  UNREACHABLE: "see that it runs, and that the URL, a proxy (HTTPS_PROXY, NO_PROXY) and firewalls on the way are right",
  UNTRUSTED_CERTIFICATE: "the URL needs a host name that the certificate has, and its authority has to be trusted",
  DEADLINE_EXCEEDED: "see what takes so long: the service, the way to it, or CLUSTER_PLATFORM_TOKEN_COMMAND",
  NOT_FOUND: "check the URL, and the path in it, to which the service's own paths are appended",
  CONFLICT: "see what the service's own log says, and look again",
  REJECTED: "check that the URL is that of the service itself, and see what its log says",
  RATE_LIMITED: "look again later",
  SERVICE_ERROR: "see what the service's own log says, and look again",
  CONTRACT: "set the URL to that of the service itself, not of a login page or a proxy",
};
