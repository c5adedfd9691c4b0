import { ApiError, ContractError, RequestError, UnreachableError } from "../model/errors";

/**
 * Whether a look at the service failed in a way that may pass: it is down, or something in between answers for it. A
 * wait that has begun is not given up for that.
 */
export function mayPass(error: unknown): error is RequestError {
  return error instanceof ContractError || ((error instanceof ApiError || error instanceof UnreachableError) && error.retryable);
}
