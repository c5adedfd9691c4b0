import type { Cancellation } from "../lifecycle/context";

/** How long a POST or DELETE may take after an interruption, in milliseconds. */
const GRACE_MS = 3_000;
const PARENT_CHECK_MS = 250;

/**
 * Ends the hook after a signal, or if Terraform is gone. Reads and pauses stop at once. A POST or DELETE has a few more seconds,
 * because the service may have carried out half of it.
 */
export class Interruption implements Cancellation {
  private readonly now = new AbortController();
  private readonly later = new AbortController();
  private finishing = false;
  private reason: string | undefined;

  /** Aborts reads and pauses. */
  readonly signal: AbortSignal = this.now.signal;
  /** Aborts a POST or DELETE. */
  readonly requestSignal: AbortSignal = this.later.signal;

  watch(): this {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => this.interrupt(signal));
    // The terminal is closed. Terraform gets the same signal and dies.
    process.on("SIGHUP", () => this.terraformIsGone());
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent || !isAlive(parent)) this.terraformIsGone();
    }, PARENT_CHECK_MS).unref();
    return this;
  }

  /**
   * From now on the hook continues for a few seconds if Terraform is gone. A killed Terraform cannot mark the object as tainted
   * and may have recorded it as created, so no later apply would run the hook again.
   */
  finishWithoutTerraform(): void {
    this.finishing = true;
  }

  terraformIsGone(): void {
    this.interrupt("Terraform is gone", this.finishing);
  }

  private interrupt(reason: string, finish = false): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    const stop = () => this.now.abort(reason);
    if (!finish) stop();
    setTimeout(() => {
      stop();
      this.later.abort(reason);
    }, GRACE_MS).unref();
  }
}

/** On Windows, `process.ppid` stays the same after the parent has ended. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
