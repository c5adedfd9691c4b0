import { setImmediate } from "node:timers/promises";
import { type Clock, systemClock } from "../../src/util/clock";

/** A clock whose pauses take no time and move it to their end, as skip-pauses.cjs does in a process. */
export function skippingClock(): Clock {
  let skipped = 0;
  const now = () => Date.now() + skipped;
  return {
    now,
    after: systemClock.after,
    pause: async (milliseconds, signal) => {
      const end = now() + milliseconds;
      await setImmediate(undefined, { signal });
      skipped = Math.max(skipped, end - Date.now());
    },
  };
}
