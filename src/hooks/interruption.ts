import type { Cancellation } from "../lifecycle/context";

/** A request that changes something may finish within this time; Terraform and people wait no longer. */
const GRACE_MS = 3_000;
const PARENT_CHECK_MS = 250;

/**
 * The wish that the hook ends: a signal, or Terraform gone. Reading and waiting stop at once; a request that changes
 * something is given a few seconds, because half of it cannot be taken back.
 */
export class Interruption implements Cancellation {
  private readonly now = new AbortController();
  private readonly later = new AbortController();
  private finishing = false;
  private reason: string | undefined;

  /** For reading and waiting. */
  readonly signal: AbortSignal = this.now.signal;
  /** For requests that change something. */
  readonly requestSignal: AbortSignal = this.later.signal;

  /** Listens until the process ends. */
  watch(): this {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => this.interrupt(signal));
    // The terminal is closed: Terraform, which has had the same signal, dies of it.
    process.on("SIGHUP", () => this.terraformIsGone());
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent || !isAlive(parent)) this.terraformIsGone();
    }, PARENT_CHECK_MS).unref();
    return this;
  }

  /** Not where Terraform is gone, nor where it was told to stop: it marks what it was creating as tainted. */
  isRecorded(): boolean {
    return this.reason === undefined;
  }

  /**
   * From now on the hook has work that is better finished than left when Terraform is gone: a Terraform that is killed
   * cannot mark what it was creating as tainted, and may have noted it as created while the hook was running. Then no
   * later apply would run the hook again.
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

/** Windows leaves a process the number of a parent that has ended. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
