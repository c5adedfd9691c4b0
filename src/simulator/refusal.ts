/** One field of a request body that is wrong. */
export interface WrongField {
  /** Where in the body, as in `cluster.podSubnet` or `provider.workerNodeConfigs[1].workersCount`; empty for the body itself. */
  readonly field: string;
  /** What is wrong with it; never its value, which may be a secret. */
  readonly message: string;
}

/**
 * A request that is refused. The interface shows neither error statuses nor error bodies; this service answers
 * `{ "error": { "code", "message", "details"? } }`, with `details` naming each wrong field of a request body.
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

/** What an error says; `instanceof` would miss those of another realm, a test runner's for example. */
export function reasonOf(error: unknown): string {
  return typeof error === "object" && error !== null && "message" in error ? String(error.message) : String(error);
}
