/**
 * Says loudly that something cannot be tested here. Where everything is required, as in CI, and the machine could have
 * what is missing, that is a failure.
 */
export function notRun(what: string, why: string, { couldBeHad }: { couldBeHad: boolean }): void {
  const message = `NOT RUN: ${what}, because ${why}`;
  if (couldBeHad && process.env.REQUIRE_ALL_TESTS) throw new Error(message);
  console.error(message);
}
