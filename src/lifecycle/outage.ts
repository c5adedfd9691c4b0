import { ApiError, ContractError, RequestError, UnreachableError } from "../model/errors";

/**
 * Whether a failed look may succeed later: the service is down, or a proxy answers in its place. A wait that has begun
 * continues after such a failure.
 */
export function mayPass(error: unknown): error is RequestError {
  return error instanceof ContractError || ((error instanceof ApiError || error instanceof UnreachableError) && error.retryable);
}
