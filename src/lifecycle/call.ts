import type { RequestOptions } from "../api/client";
import { InterruptedError } from "../model/errors";
import type { ObjectRef } from "../model/object-ref";
import type { Context } from "./context";
import { LifecycleError } from "./lifecycle-error";
import { LAST_LOOK_MS } from "./windows";
import { duration } from "./wording";

/** One create, wait or delete: when it began, and what it leaves behind should it end now. */
export class Call {
  readonly started: number;
  private consequence = "Nothing was changed";

  private constructor(
    readonly context: Context,
    private readonly objects: readonly ObjectRef[],
  ) {
    this.started = context.clock.now();
  }

  /** Runs `work`; where it was cancelled, the error says what that leaves behind. */
  static async run<T>(context: Context, objects: readonly ObjectRef[], work: (call: Call) => Promise<T>): Promise<T> {
    const call = new Call(context, objects);
    try {
      return await work(call);
    } catch (error) {
      throw error instanceof InterruptedError && call.isCancelled ? call.cancelled() : error;
    }
  }

  /** Says what the service may still be doing, and what the next apply will do, should the call end now. */
  leaving(consequence: string): void {
    this.consequence = consequence;
  }

  get isCancelled(): boolean {
    const { signal, requestSignal } = this.context.cancellation;
    return signal.aborted || requestSignal.aborted;
  }

  cancelled(): LifecycleError {
    const { signal, requestSignal } = this.context.cancellation;
    const reason = String((signal.aborted ? signal : requestSignal).reason);
    return new LifecycleError({
      code: "INTERRUPTED",
      objects: this.objects,
      summary: `stopped (${reason})`,
      detail: this.consequence,
    });
  }

  /** Waits; ends early, with an error, when the call is cancelled. */
  async pause(milliseconds: number): Promise<void> {
    try {
      await this.context.clock.pause(milliseconds, this.context.cancellation.signal);
    } catch {
      throw this.cancelled();
    }
  }

  now(): number {
    return this.context.clock.now();
  }

  /** Until when a look may take whose outcome decides what the call ends with, although its time may be over. */
  lastLook(deadline: number): number {
    return Math.max(deadline, this.now() + LAST_LOOK_MS);
  }

  /** How long the call has taken, in words. */
  elapsed(): string {
    return duration(this.now() - this.started);
  }

  /** For a request that looks, with its deadline by the context's clock. */
  reading(deadline: number): RequestOptions {
    return { signal: this.context.cancellation.signal, deadline: this.realTime(deadline) };
  }

  /** For a request that changes something. */
  changing(deadline: number): RequestOptions {
    return { signal: this.context.cancellation.requestSignal, deadline: this.realTime(deadline) };
  }

  private realTime(moment: number): number {
    return Date.now() + moment - this.now();
  }
}
