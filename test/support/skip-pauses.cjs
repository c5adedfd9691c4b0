/**
 * For hooks, by `node --require`: a pause between two looks takes no time, and the clock goes on by its length. So a test
 * shows what happens when time runs out without waiting for it, and without a limit that a slow machine would miss.
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
