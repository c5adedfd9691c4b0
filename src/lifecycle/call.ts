import type { RequestOptions } from "../api/client";
import { InterruptedError } from "../model/errors";
import type { ObjectRef } from "../model/object-ref";
import type { Context } from "./context";
import { LifecycleError } from "./lifecycle-error";
import type { Remedy } from "./remedy";
import { duration } from "./wording";

/** One create, wait or delete. */
export class Call {
  readonly started: number;
  private consequence = "Nothing was changed";
  private remedies: readonly Remedy[] = [];

  private constructor(
    readonly context: Context,
    private readonly objects: readonly ObjectRef[],
  ) {
    this.started = context.clock.now();
  }

  /** If it is cancelled, the error says what it leaves behind. */
  static async run<T>(context: Context, objects: readonly ObjectRef[], work: (call: Call) => Promise<T>): Promise<T> {
    const call = new Call(context, objects);
    try {
      return await work(call);
    } catch (error) {
      throw error instanceof InterruptedError && call.isCancelled ? call.cancelled() : error;
    }
  }

  /**
   * Sets what the error says if the call is cancelled from now on: what the service may still do, and what the next apply does.
   */
  leaving(consequence: string, ...remedies: readonly Remedy[]): void {
    this.consequence = consequence;
    this.remedies = remedies;
  }

  get isCancelled(): boolean {
    const { signal, requestSignal } = this.context.cancellation;
    return signal.aborted || requestSignal.aborted;
  }

  cancelled(): LifecycleError {
    return new LifecycleError({
      code: "INTERRUPTED",
      objects: this.objects,
      summary: `stopped (${this.context.cancellation.interruptedBy})`,
      detail: this.consequence,
      remedies: this.remedies,
    });
  }

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

  /**
   * Deadline of a look that decides the outcome of the call. Each list of the look has the time of two requests at least: it may wait
   * for the end of another request for the same list.
   */
  lastLook(deadline: number): number {
    return Math.max(deadline, this.now() + 2 * this.context.client.requestSeconds * 1000);
  }

  elapsed(): string {
    return duration(this.now() - this.started);
  }

  reading(deadline: number): RequestOptions {
    return { signal: this.context.cancellation.signal, limitMs: deadline - this.now() };
  }

  /** Like {@link reading}, for a POST or DELETE. What was sent may still be answered, but nothing is sent again. */
  changing(deadline: number): RequestOptions {
    const { signal, requestSignal } = this.context.cancellation;
    return { signal: requestSignal, repeating: signal, limitMs: deadline - this.now() };
  }
}
