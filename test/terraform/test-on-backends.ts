import { type Backend, backends } from "../support/tools";
import { StackFixture, type StackFixtureOptions } from "./stack-fixture";

/**
 * Those of some backends that this run has for a test. `npm test` has one for each, which the test's title decides, so
 * that the tests take all of them in turn. `npm run test:all` has all of them, and `npm run test:rest` the others
 * (scripts/test.mjs).
 */
export function backendsFor(title: string, some: readonly Backend[]): readonly Backend[] {
  if (process.env.TEST_BACKENDS === "all") return some;
  const usual = some.filter(({ isExtra }) => !isExtra);
  const turn = usual[checksum(title) % usual.length];
  return process.env.TEST_BACKENDS === "others" ? some.filter((backend) => backend !== turn) : turn ? [turn] : [];
}

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
