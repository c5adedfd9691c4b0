import { setTimeout as sleep } from "node:timers/promises";
import { ClusterPlatformError } from "../api/errors";

/** A request that changes something may finish within this time; Terraform and people wait no longer. */
const GRACE_MS = 3_000;
const PARENT_CHECK_MS = 500;

/**
 * The wish that the hook ends: a signal, or Terraform gone. Reading and waiting stop at once; a request that changes
 * something is given a few seconds, because half of it cannot be taken back.
 */
export class Interruption {
  private readonly now = new AbortController();
  private readonly later = new AbortController();
  private consequence = "Nothing was changed";
  reason: string | undefined;

  /** For reading and waiting. */
  readonly signal: AbortSignal = this.now.signal;
  /** For requests that change something. */
  readonly graceSignal: AbortSignal = this.later.signal;

  /** Listens until the process ends. */
  watch(): this {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => this.interrupt(signal));
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent) this.interrupt("Terraform is gone");
    }, PARENT_CHECK_MS).unref();
    return this;
  }

  /** Says what the service may still be doing, and what the next apply will do, should the hook end now. */
  leaving(consequence: string): void {
    this.consequence = consequence;
  }

  /** Waits; ends early, with an error, when the hook is interrupted. */
  async pause(milliseconds: number): Promise<void> {
    try {
      await sleep(milliseconds, undefined, { signal: this.signal });
    } catch {
      throw this.error();
    }
  }

  error(): ClusterPlatformError {
    return new ClusterPlatformError("INTERRUPTED", `stopped (${this.reason ?? "interrupted"}). ${this.consequence}`);
  }

  private interrupt(reason: string): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    this.now.abort(this.error());
    setTimeout(() => this.later.abort(this.error()), GRACE_MS).unref();
  }
}
