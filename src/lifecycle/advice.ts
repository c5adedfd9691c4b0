import { RequestError, type ErrorCode } from "../model/errors";

const ADVICE: Partial<Record<ErrorCode, string>> = {
  CONTRACT:
    "Such an answer proves nothing. Check that the URL is that of the service, check the proxies on the way, and apply again",
  REJECTED: "The service refused the request: correct what it names and apply again",
  CONFLICT: "The request conflicts with what the service has: look at it (cluster-platform get) and apply again",
  NOT_FOUND: "Check that the URL is that of the service, as in https://platform.example.com, and apply again",
  RATE_LIMITED: "Apply again later; the apply continues from here",
  SERVICE_ERROR: "Apply again when the service works again; the apply continues from here",
  UNREACHABLE: "Apply again when the service can be reached; the apply continues from here",
  DEADLINE_EXCEEDED: "Apply again when the service answers; the apply continues from here",
};

/** For errors that do not say it themselves. */
export function adviceOn(error: Error & { readonly code?: ErrorCode }): string | undefined {
  return error instanceof RequestError ? ADVICE[error.code] : undefined;
}
