import { setTimeout as sleep } from "node:timers/promises";
import { ClusterPlatformError } from "../model/errors";

/** A request that changes something may finish within this time; Terraform and people wait no longer. */
const GRACE_MS = 3_000;
const PARENT_CHECK_MS = 250;

/**
 * The wish that the hook ends: a signal, or Terraform gone. Reading and waiting stop at once; a request that changes
 * something is given a few seconds, because half of it cannot be taken back.
 */
export class Interruption {
  private readonly now = new AbortController();
  private readonly later = new AbortController();
  private consequence = "Nothing was changed";
  private finishing = false;
  reason: string | undefined;

  /** For reading and waiting. */
  readonly signal: AbortSignal = this.now.signal;
  /** For requests that change something. */
  readonly graceSignal: AbortSignal = this.later.signal;

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

  /** Says what the service may still be doing, and what the next apply will do, should the hook end now. */
  leaving(consequence: string): void {
    this.consequence = consequence;
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

  /** Waits; ends early, with an error, when the hook is interrupted. */
  async pause(milliseconds: number): Promise<void> {
    try {
      await sleep(milliseconds, undefined, { signal: this.signal });
    } catch {
      throw this.error();
    }
  }

  /** Whether an error is no more than the end that was wished for. */
  explains(error: unknown): boolean {
    return this.reason !== undefined && (error as { code?: unknown }).code === "INTERRUPTED";
  }

  error(): ClusterPlatformError {
    return new ClusterPlatformError("INTERRUPTED", `stopped (${this.reason ?? "interrupted"}). ${this.consequence}`);
  }

  private interrupt(reason: string, finish = false): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    const stop = () => this.now.abort(this.error());
    if (!finish) stop();
    setTimeout(() => {
      stop();
      this.later.abort(this.error());
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
