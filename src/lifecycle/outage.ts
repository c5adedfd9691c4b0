import { ApiError, ContractError, RequestError, UnreachableError } from "../model/errors";

/** The service is down, or a proxy answers instead. A wait that has begun continues after such a failure. */
export function mayPass(error: unknown): error is RequestError {
  return error instanceof ContractError || ((error instanceof ApiError || error instanceof UnreachableError) && error.retryable);
}
