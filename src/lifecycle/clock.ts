import { setTimeout as sleep } from "node:timers/promises";

/** Tests replace it, so that minutes pass at once. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Rejects when `signal` is aborted. */
  pause(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: Date.now,
  pause: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
};
