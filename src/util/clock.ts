import { setTimeout as sleep } from "node:timers/promises";

/** All time of a run comes from here, so that tests and the simulated world can let days pass at once. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Rejects when `signal` is aborted. */
  pause(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Calls `act` later, unless the returned function is called before. Does not keep the process alive. */
  after(milliseconds: number, act: () => void): () => void;
}

/** The longest delay of a Node timer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: Date.now,
  pause: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
  after: (milliseconds, act) => {
    if (milliseconds > LONGEST_TIMER_MS) return () => {};
    const timer = setTimeout(act, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};
