import type { Log } from "./log";

/** How long handlers may go on after Terraform is gone, in milliseconds. */
const GRACE_MS = 3_000;
const PARENT_CHECK_MS = 250;

/**
 * How long the plugin lives. Terraform ends it: it asks handlers to stop (StopProvider), waits for their answers, and shuts the process
 * down. Signals that a terminal or a CI runner sends to all processes at once must not cut that short.
 */
export class Lifetime {
  readonly #stopping = new AbortController();
  readonly #abandoned = new AbortController();
  #requests = 0;

  /** Aborted when the user wants the run to end. Terraform still waits for the answers of handlers. */
  readonly stopping: AbortSignal = this.#stopping.signal;
  /** Aborted when nobody reads answers any more; the process ends within {@link GRACE_MS}. */
  readonly abandoned: AbortSignal = this.#abandoned.signal;

  constructor(
    private readonly log: Log,
    private readonly exit: (code: number) => void = process.exit,
  ) {}

  watch(): this {
    // Ctrl-C reaches the plugin as well as Terraform, which then calls StopProvider.
    process.on("SIGINT", () => this.log.debug("SIGINT: waiting for Terraform to say what to do"));
    process.on("SIGTERM", () => this.stop("SIGTERM"));
    process.on("SIGHUP", () => this.stop("SIGHUP"));
    // Only Terraform reads what the plugin prints. What is under way must not die of its end.
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => this.abandon("the log is closed"));
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent) this.abandon("Terraform is gone");
    }, PARENT_CHECK_MS).unref();
    return this;
  }

  /** Asks handlers to come to an end. */
  stop(reason: string): void {
    if (this.stopping.aborted) return;
    this.log.info(`stopping: ${reason}`);
    this.#stopping.abort(new Error(reason));
  }

  /** Keeps the process while `work` goes on. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#requests++;
    try {
      return await work();
    } finally {
      this.#requests--;
      if (this.abandoned.aborted) this.endWhenIdle();
    }
  }

  /** Ends the process as soon as the request for it has its answer. */
  shutDown(answered: AbortSignal): void {
    answered.addEventListener("abort", () => this.exit(0));
  }

  private abandon(reason: string): void {
    if (this.abandoned.aborted) return;
    this.stop(reason);
    this.#abandoned.abort(new Error(reason));
    this.endWhenIdle();
    setTimeout(() => this.exit(1), GRACE_MS);
  }

  private endWhenIdle(): void {
    if (this.#requests === 0) this.exit(0);
  }
}
