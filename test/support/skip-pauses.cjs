/**
 * Preloaded into hooks with `node --import`. A pause between polls takes no time and moves the clock by its length. So a test
 * can reach a timeout without waiting, and without a limit that a slow machine would miss.
 */
const timers = process.getBuiltinModule("node:timers/promises");
const { now } = Date;
const { setTimeout: sleep } = timers;
let skipped = 0;
Date.now = () => now() + skipped;
timers.setTimeout = (milliseconds, ...rest) => {
  skipped += milliseconds ?? 0;
  return sleep(0, ...rest);
};
