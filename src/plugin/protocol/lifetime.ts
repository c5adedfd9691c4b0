import type { Log } from "./log";

/** How long handlers may run after Terraform has died, in milliseconds. */
const GRACE_MS = 3_000;
const PARENT_CHECK_MS = 250;

/**
 * Decides when the plugin process ends. Normally Terraform ends it: it sends StopProvider, waits for the answers of the handlers,
 * and then asks for the shutdown. Terminals and CI runners signal all processes at once, so a signal to the plugin must not end
 * it earlier.
 */
export class Lifetime {
  readonly #stopping = new AbortController();
  readonly #abandoned = new AbortController();
  #requests = 0;

  /** Aborts when the user interrupts the run. Terraform still waits for the answers of handlers. */
  readonly stopping: AbortSignal = this.#stopping.signal;
  /** Aborts when Terraform has died. The process then ends within {@link GRACE_MS}. */
  readonly abandoned: AbortSignal = this.#abandoned.signal;

  constructor(
    private readonly log: Log,
    private readonly exit: (code: number) => void = process.exit,
  ) {}

  watch(): this {
    // A terminal sends Ctrl-C to the plugin and to Terraform, and Terraform then calls StopProvider.
    process.on("SIGINT", () => this.log.debug("SIGINT: waiting for Terraform to say what to do"));
    process.on("SIGTERM", () => this.stop("SIGTERM"));
    process.on("SIGHUP", () => this.stop("SIGHUP"));
    // A closed log means that Terraform has died. Without this handler, the failed write would end the process at once.
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => this.abandon("the log is closed"));
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent) this.abandon("Terraform is gone");
    }, PARENT_CHECK_MS).unref();
    return this;
  }

  /** Asks handlers to end early. */
  stop(reason: string): void {
    if (this.stopping.aborted) return;
    this.log.info(`stopping: ${reason}`);
    this.#stopping.abort(new Error(reason));
  }

  /** An abandoned process lives until `work` ends or {@link GRACE_MS} is over. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#requests++;
    try {
      return await work();
    } finally {
      this.#requests--;
      if (this.abandoned.aborted) this.endWhenIdle();
    }
  }

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
