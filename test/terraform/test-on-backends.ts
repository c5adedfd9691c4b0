import { type Backend, backends } from "../support/tools";
import { StackFixture, type StackFixtureOptions } from "./stack-fixture";

/** A test on each of some backends, with a fixture of its own; all of a file run side by side. */
export const testOn =
  (some: readonly Backend[], options: StackFixtureOptions = {}) =>
  (title: string, act: (fixture: StackFixture) => Promise<void>): void => {
    for (const backend of some) {
      test.concurrent(`${title}, on ${backend.title}`, () => StackFixture.run({ ...options, backend }, act), 300_000);
    }
  };

/** A test on every backend that this machine has. */
export const testOnBackends = testOn(backends);
