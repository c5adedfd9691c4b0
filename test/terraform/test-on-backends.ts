import { type Backend, backends } from "../support/tools";
import { StackFixture, type StackFixtureOptions } from "./stack-fixture";

/**
 * Those of some backends that this run has for a test. `npm test` has one for each test, the one whose turn it is;
 * `npm run test:all` has all of them, and `npm run test:rest` the others (scripts/test.mjs).
 */
export function backendsInTurn(some: readonly Backend[], turn: number): readonly Backend[] {
  if (process.env.TEST_BACKENDS === "all") return some;
  const usual = some.filter(({ isExtra }) => !isExtra);
  const chosen = usual.slice(turn % usual.length).slice(0, 1);
  return process.env.TEST_BACKENDS === "others" ? some.filter((backend) => !chosen.includes(backend)) : chosen;
}

/** The same where a test's title decides whose turn it is. */
export const backendsFor = (title: string, some: readonly Backend[] = backends) => backendsInTurn(some, checksum(title));

function checksum(text: string): number {
  return [...text].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 65_521, 7);
}

/** A test on some backends, with a fixture of its own for each; all of a file run side by side. */
export const testOn =
  (some: readonly Backend[], options: StackFixtureOptions = {}) =>
  (title: string, act: (fixture: StackFixture) => Promise<void>): void => {
    for (const backend of backendsFor(title, some)) {
      test.concurrent(`${title}, on ${backend.title}`, () => StackFixture.run({ ...options, backend }, act), 300_000);
    }
  };

/** A test of what must hold on every backend. */
export const testOnBackends = testOn(backends);
