/**
 * Reports a test that cannot run here. With REQUIRE_ALL_TESTS, as in CI, it fails if the machine could have what is missing.
 */
export function notRun(what: string, why: string, { couldBeHad }: { couldBeHad: boolean }): void {
  const message = `NOT RUN: ${what}, because ${why}`;
  if (couldBeHad && process.env.REQUIRE_ALL_TESTS) throw new Error(message);
  console.error(message);
}
