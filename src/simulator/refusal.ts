/** A wrong field of a request body. */
export interface WrongField {
  /**
   * The path in the body, such as `cluster.podSubnet` or `provider.workerNodeConfigs[1].workersCount`. Empty for the body itself.
   */
  readonly field: string;
  /** What is wrong. Without the value, which may be a secret. */
  readonly message: string;
}

/**
 * A refused request. The interface defines no error statuses and bodies, so the simulator answers `{ "error": { "code",
 * "message", "details"? } }`. `details` names each wrong field of a request body.
 */
export class Refusal extends Error {
  constructor(
    readonly status: 400 | 401 | 404 | 405 | 409 | 413 | 500 | 507,
    readonly code: string,
    message: string,
    readonly details?: readonly WrongField[],
    readonly headers?: Record<string, string>,
  ) {
    super(message);
    this.name = "Refusal";
  }

  get body() {
    const { code, details, message } = this;
    return { error: { code, message, ...(details && { details }) } };
  }
}

/** `instanceof` would miss errors of another realm, such as those in a test runner. */
export function reasonOf(error: unknown): string {
  return typeof error === "object" && error !== null && "message" in error ? String(error.message) : String(error);
}
