/**
 * The code of every error of this package. Match on {@link ClusterPlatformError.code} and not with `instanceof`, which a bundler
 * or a second copy of the package breaks. docs/troubleshooting.md has an entry for each code.
 */
export type ErrorCode =
  // Errors in the code.
  | "INVALID_PROP"
  | "MISSING_PLATFORM"
  | "AMBIGUOUS_PLATFORM"
  | "MISSING_CDK"
  | "CDKTF_MISMATCH"
  // Errors in the environment of the run: variables, files, settings.
  | "MISSING_URL"
  | "INVALID_URL"
  | "INSECURE_URL"
  | "MISSING_TOKEN"
  | "MISSING_SECRET"
  | "INVALID_SETTING"
  | "INVALID_DOCUMENT"
  // Failures of the service or of the network.
  | "UNREACHABLE"
  | "UNTRUSTED_CERTIFICATE"
  | "REDIRECTED"
  | "DEADLINE_EXCEEDED"
  | "UNAUTHORIZED"
  | "FORBIDDEN"
  | "NOT_FOUND"
  | "CONFLICT"
  | "REJECTED"
  | "RATE_LIMITED"
  | "SERVICE_ERROR"
  | "CONTRACT"
  // Reasons why a create, a wait or a delete cannot go on.
  | "NAME_TAKEN"
  | "ADOPT_MISMATCH"
  | "NOT_OURS"
  | "PROVIDER_UNKNOWN"
  | "PROTECTED"
  | "RETAINED"
  | "MISPLACED"
  | "PROVIDER_IN_USE"
  | "OUTCOME_UNKNOWN"
  | "OBJECT_MISSING"
  | "NOT_GONE"
  | "READY_TIMEOUT"
  | "DELETE_TIMEOUT"
  | "STILL_LIVE"
  | "INTERRUPTED";

/** The base of every error that this package throws. */
export class ClusterPlatformError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = "ClusterPlatformError";
  }
}

/** A prop, or the value of a token, breaks its rule. */
export class InvalidPropError extends ClusterPlatformError {
  constructor(
    /** Path of the construct in the tree, as in `prod-stack/eu/cluster`. */
    readonly constructPath: string,
    message: string,
  ) {
    super("INVALID_PROP", `${constructPath}: ${message}`);
    this.name = "InvalidPropError";
  }
}

const CONFIGURATION_CODES = [
  "MISSING_URL",
  "INVALID_URL",
  "INSECURE_URL",
  "MISSING_TOKEN",
  "MISSING_SECRET",
  "INVALID_SETTING",
] as const satisfies readonly ErrorCode[];
type ConfigurationCode = (typeof CONFIGURATION_CODES)[number];

/** Whether the environment or the settings of the run are wrong, incomplete or contradictory. A hook then exits with 2. */
export function isOfConfiguration({ code }: ClusterPlatformError): boolean {
  return (CONFIGURATION_CODES as readonly ErrorCode[]).includes(code);
}

/** The environment or the settings of the run are wrong, incomplete or contradictory. */
export class ConfigurationError extends ClusterPlatformError {
  constructor(code: ConfigurationCode, message: string, options?: ErrorOptions) {
    super(code, message, options);
    this.name = "ConfigurationError";
  }
}

/** A request did not succeed. */
export abstract class RequestError extends ClusterPlatformError {
  constructor(
    code: ErrorCode,
    readonly method: string,
    /** Path of the request below the URL of the service. */
    readonly path: string,
    /** The message without method and path. */
    readonly reason: string,
    /** Whether a POST was sent and no answer refuses it. Then only the service's list can tell whether it was carried out. */
    readonly ambiguous: boolean,
    options?: ErrorOptions,
  ) {
    super(code, `${method} ${path}: ${reason}`, options);
  }
}

export class ApiError extends RequestError {
  constructor(
    method: string,
    path: string,
    readonly status: number,
    /** Bounded and without secrets. */
    readonly serviceMessage: string,
    /** How long the service asks to wait, in milliseconds. */
    readonly retryAfterMs?: number,
    /** Whether the reply is a web page, so a proxy has answered, perhaps after the service has carried out the request. */
    readonly isPage = false,
    /** Whether the service may have carried out an earlier attempt of the request. */
    readonly mayBeDone = false,
  ) {
    const asked = retryAfterMs ? ` (it asks to wait ${Math.ceil(retryAfterMs / 1000)} seconds)` : "";
    const message = `${status}${serviceMessage && `: ${serviceMessage}`}${asked}${adviceOn(status)}`;
    super(codeOfStatus(status), method, path, message, method === "POST" && !isRefusal(status, isPage));
    this.name = "ApiError";
  }

  /** Whether the service has done nothing. */
  get isRefusal(): boolean {
    return isRefusal(this.status, this.isPage) && !this.mayBeDone;
  }

  /** Whether the same request may succeed later without a change by anybody. */
  get retryable(): boolean {
    return this.status === 408 || this.status === 425 || this.status === 429 || this.status >= 500;
  }
}

/** The connection was refused or reset, or timed out. The request may have been carried out. */
export class UnreachableError extends RequestError {
  /** Whether the same request may succeed later without a change by anybody. */
  readonly retryable: boolean;

  constructor(
    method: string,
    path: string,
    message: string,
    options: ErrorOptions & {
      code?: "UNREACHABLE" | "UNTRUSTED_CERTIFICATE";
      ambiguous?: boolean;
      retryable?: boolean;
    } = {},
  ) {
    super(options.code ?? "UNREACHABLE", method, path, message, options.ambiguous ?? false, options);
    this.name = "UnreachableError";
    this.retryable = options.retryable ?? true;
  }
}

export class DeadlineError extends RequestError {
  constructor(method: string, path: string, message: string, ambiguous: boolean, options?: ErrorOptions) {
    super("DEADLINE_EXCEEDED", method, path, message, ambiguous, options);
    this.name = "DeadlineError";
  }
}

export class InterruptedError extends RequestError {
  constructor(method: string, path: string, message: string, ambiguous: boolean, options?: ErrorOptions) {
    super("INTERRUPTED", method, path, message, ambiguous, options);
    this.name = "InterruptedError";
  }
}

export class ContractError extends RequestError {
  constructor(
    method: string,
    path: string,
    /** Path of the field in the reply, as in `items[3].clusterName`; empty for the reply itself. */
    readonly field: string,
    message: string,
  ) {
    super("CONTRACT", method, path, `the reply${field && `'s '${field}'`} ${message}`, method === "POST");
    this.name = "ContractError";
  }
}

function isRefusal(status: number, isPage: boolean): boolean {
  return status === 401 || (status >= 400 && status < 500 && status !== 408 && !isPage);
}

function codeOfStatus(status: number): ErrorCode {
  if (status < 400) return "REDIRECTED";
  if (status === 401) return "UNAUTHORIZED";
  if (status === 403) return "FORBIDDEN";
  if (status === 404) return "NOT_FOUND";
  if (status === 409) return "CONFLICT";
  if (status === 429) return "RATE_LIMITED";
  return status >= 500 ? "SERVICE_ERROR" : "REJECTED";
}

function adviceOn(status: number): string {
  if (status === 401) return "; the token was not accepted: renew it";
  if (status === 403) return "; the token is valid but lacks the permission: ask for it or use another token";
  return "";
}
