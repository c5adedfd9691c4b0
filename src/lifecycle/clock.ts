import { setTimeout as sleep } from "node:timers/promises";

/** The time that the lifecycle goes by. Tests play minutes on one of their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves when so many milliseconds are over, or rejects when `signal` is aborted. */
  pause(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: Date.now,
  pause: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
};
