/**
 * Preloaded into hooks and the provider. A pause between polls takes almost no time and moves the clock to its end.
 * So a test can reach a timeout without waiting, and without a limit that a slow machine would miss. Pauses that overlap move the
 * clock once.
 *
 * A pause keeps a few milliseconds of real time. The service of a test needs up to two real seconds until a cluster is ready. Without
 * them, a fast machine reaches the time limit of an hour before.
 */
const timers = process.getBuiltinModule("node:timers/promises");
const { now } = Date;
const { setTimeout: sleep } = timers;
const REAL_MS = 5;
let skipped = 0;
Date.now = () => now() + skipped;
timers.setTimeout = async (milliseconds, ...rest) => {
  const pause = milliseconds ?? 0;
  const end = Date.now() + pause;
  const value = await sleep(Math.min(pause, REAL_MS), ...rest);
  skipped = Math.max(skipped, end - now());
  return value;
};
