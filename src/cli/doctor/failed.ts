import { ClusterPlatformError, type ErrorCode } from "../../model/errors";
import { type CheckResult, wrong } from "./check-result";

export function failed(subject: string, error: unknown): CheckResult {
  if (!(error instanceof ClusterPlatformError)) return wrong(subject, String(error));
  const step = STEPS[error.code];
  return wrong(subject, `${error.message}${step === undefined ? "" : `; ${step}`} [${error.code}]`);
}

/** For failures whose message names no remedy. */
const STEPS: Partial<Record<ErrorCode, string>> = {
  UNREACHABLE: "check that the service runs, and check the URL, the proxy (HTTPS_PROXY, NO_PROXY) and firewalls",
  UNTRUSTED_CERTIFICATE: "use a host name of the certificate in the URL, and trust the certificate authority (caFile)",
  DEADLINE_EXCEEDED: "find out what is slow: the service, the network, or CLUSTER_PLATFORM_TOKEN_COMMAND",
  NOT_FOUND: "check the URL and its path; the paths of the interface are appended to it",
  CONFLICT: "see what the service's own log says, and look again",
  REJECTED: "check that the URL is that of the service itself, and read the service's log",
  RATE_LIMITED: "try again later",
  SERVICE_ERROR: "see what the service's own log says, and look again",
  CONTRACT: "set the URL to that of the service itself, not of a login page or a proxy",
};
