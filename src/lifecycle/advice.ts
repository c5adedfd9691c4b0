import { RequestError, type ErrorCode } from "../model/errors";

const ADVICE: Partial<Record<ErrorCode, string>> = {
  CONTRACT:
    "Nothing is concluded from such an answer: check that the URL is that of the service, and what is on the way to it, and apply again",
  REJECTED: "The service refused it: correct what it names and apply again",
  CONFLICT: "Something is in the way: look at what the service has (cluster-platform get) and apply again",
  NOT_FOUND: "Check that the URL is that of the service, as in https://platform.example.com, and apply again",
  RATE_LIMITED: "Apply again later; the apply goes on from here",
  SERVICE_ERROR: "Apply again when the service is well; the apply goes on from here",
  UNREACHABLE: "Apply again when the service can be reached; the apply goes on from here",
  DEADLINE_EXCEEDED: "Apply again when the service answers; the apply goes on from here",
};

/** What to do about a request that did not succeed, where its error does not say so itself. */
export function adviceOn(error: Error & { readonly code?: ErrorCode }): string | undefined {
  return error instanceof RequestError ? ADVICE[error.code] : undefined;
}
