import { type ClusterPlatformError, type ErrorCode, RequestError } from "../../model/errors";

/** The code, the message, and the next step. */
export function failureText(error: ClusterPlatformError): string {
  const step = error instanceof RequestError ? STEPS[error.code] : undefined;
  return `[${error.code}] ${error.message}${step === undefined ? "" : `; ${step}`}`;
}

/** For failed requests whose message names no remedy. */
const STEPS: Partial<Record<ErrorCode, string>> = {
  UNREACHABLE: "check that the service runs, and check the URL, the proxy (HTTPS_PROXY, NO_PROXY) and firewalls",
  UNTRUSTED_CERTIFICATE:
    "use a host name of the certificate in the URL, and trust the certificate authority (CLUSTER_PLATFORM_CA_FILE)",
  DEADLINE_EXCEEDED: "find out what is slow: the service, the network, or CLUSTER_PLATFORM_TOKEN_COMMAND",
  NOT_FOUND: "check the URL and its path; the paths of the interface are appended to it",
  CONFLICT: "see what the service's own log says, and look again",
  REJECTED: "check that the URL is that of the service itself, and read the service's log",
  RATE_LIMITED: "try again later",
  SERVICE_ERROR: "see what the service's own log says, and look again",
};
