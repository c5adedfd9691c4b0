import type { Cancellation } from "../lifecycle/context";
import type { Clock } from "../util/clock";

/** How long a POST or DELETE may take after an interruption, in milliseconds. */
const GRACE_MS = 3_000;

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

  constructor(
    private readonly clock: Clock,
    private readonly isTerraformGone: () => boolean,
  ) {}

  get interruptedBy(): string | undefined {
    this.look();
    return this.reason;
  }

  look(): void {
    if (this.isTerraformGone()) this.terraformIsGone();
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

  /** @param reason as in `SIGINT` */
  interrupt(reason: string, finish = false): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    const stop = () => this.now.abort(reason);
    if (!finish) stop();
    this.clock.after(GRACE_MS, () => {
      stop();
      this.later.abort(reason);
    });
  }
}
