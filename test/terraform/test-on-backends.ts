import { type Backend, backends } from "../support/tools";
import { StackFixture, type StackFixtureOptions } from "./stack-fixture";
// What src loads on first use: Jest refuses to load a module after one of several concurrent tests has ended.
import "picomatch/posix";
import "undici/lib/dispatcher/pool.js";

/**
 * The backends of this run for one test. `npm test` takes one backend for each test in turn, and `npm run test:rest` those that it
 * needs besides for each program and each engine to have its turn. `npm run test:all` takes all pairs of a program and an engine
 * (scripts/test.mjs).
 */
export function backendsInTurn(some: readonly Backend[], turn: number): readonly Backend[] {
  if (process.env.TEST_BACKENDS === "all") return some;
  const ofUsual = some.filter(({ isExtra }) => !isExtra);
  const usual = ofUsual[turn % ofUsual.length];
  if (process.env.TEST_BACKENDS !== "others") return usual ? [usual] : [];
  const first = usual ?? some[turn % some.length];
  return first ? covering(some, first).filter((backend) => backend !== usual) : [];
}

/** As few backends as have each program and each engine. */
function covering(some: readonly Backend[], first: Backend): readonly Backend[] {
  const chosen = [first];
  const news = ({ binary, engine }: Backend) =>
    Number(chosen.every((other) => other.binary !== binary)) + Number(chosen.every((other) => other.engine !== engine));
  for (;;) {
    const next = some.reduce((best, each) => (news(each) > news(best) ? each : best));
    if (news(next) === 0) return chosen;
    chosen.push(next);
  }
}

/** Backends of tests that `npm test` leaves out, because another test or the simulated world proves the same there. */
export const inRest = (some: readonly Backend[]): readonly Backend[] => some.map((backend) => ({ ...backend, isExtra: true }));

/** The test's title decides which backend has its turn. */
export const backendsFor = (title: string, some: readonly Backend[] = backends) => backendsInTurn(some, checksum(title));

function checksum(text: string): number {
  return [...text].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 65_521, 7);
}

/** Each backend has a fixture of its own. All tests of a file run concurrently. */
export const testOn =
  (some: readonly Backend[], options: StackFixtureOptions = {}) =>
  (title: string, act: (fixture: StackFixture) => Promise<void>): void => {
    for (const backend of backendsFor(title, some)) {
      test.concurrent(`${title}, on ${backend.title}`, () => StackFixture.run({ ...options, backend }, act));
    }
  };

export const testOnBackends = testOn(backends);

/** A test of {@link inRest}. */
export const testInRest = testOn(inRest(backends));

/** Whether this run has tests that `npm test` leaves out. */
export const isRest = ["all", "others"].includes(process.env.TEST_BACKENDS ?? "");

/** A test of {@link inRest} without a backend, or with that of its `describe`. */
export const testOnceInRest = isRest ? test : Object.assign(() => undefined, { each: () => () => undefined });
