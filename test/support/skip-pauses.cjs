/**
 * Preloaded into hooks and the provider. A pause between polls takes no time and moves the clock to its end.
 * So a test can reach a timeout without waiting, and without a limit that a slow machine would miss. Pauses that overlap move the
 * clock once.
 */
const timers = process.getBuiltinModule("node:timers/promises");
const { now } = Date;
const { setTimeout: sleep } = timers;
let skipped = 0;
Date.now = () => now() + skipped;
timers.setTimeout = async (milliseconds, ...rest) => {
  const end = Date.now() + (milliseconds ?? 0);
  const value = await sleep(0, ...rest);
  skipped = Math.max(skipped, end - now());
  return value;
};
