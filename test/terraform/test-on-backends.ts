import { type Backend, backends } from "../support/tools";
import { StackFixture, type StackFixtureOptions } from "./stack-fixture";
// What src loads on first use: Jest refuses to load a module after one of several concurrent tests has ended.
import "picomatch/posix";
import "undici/lib/dispatcher/pool.js";

const RUN = process.env.TEST_BACKENDS ?? "usual";

/**
 * The backends of this run for one test. A test has one backend in turn, in `npm test` or, if it is one of {@link inRest}, in
 * `npm run test:rest`. `npm run test:campaigns` adds those that it needs besides for each program and each engine to have its turn
 * (scripts/test.mjs). `TEST_BACKENDS=all` takes all.
 */
function backendsInTurn(some: readonly TestBackend[], turn: number): readonly Backend[] {
  if (RUN === "all") return some;
  const onThisMachine = some.filter(({ isNewer }) => !isNewer);
  const inTurn = onThisMachine[turn % onThisMachine.length];
  if (RUN !== "campaigns") return inTurn && RUN === (inTurn.isInRest ? "rest" : "usual") ? [inTurn] : [];
  const first = inTurn ?? some[turn % some.length];
  return first ? covering(some, first).filter((backend) => backend !== inTurn) : [];
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

type TestBackend = Backend & { readonly isInRest?: boolean };

/** Backends of tests that `npm test` leaves out, because another test or the simulated world proves the same there. */
export const inRest = (some: readonly Backend[]): readonly TestBackend[] =>
  some.map((backend) => ({ ...backend, isInRest: true }));

/** The test's title decides which backend has its turn. */
export const backendsFor = (title: string, some: readonly TestBackend[] = backends) => backendsInTurn(some, checksum(title));

function checksum(text: string): number {
  return [...text].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 65_521, 7);
}

/** Each backend has a fixture of its own. All tests of a file run concurrently. */
export const testOn =
  (some: readonly TestBackend[], options: StackFixtureOptions = {}) =>
  (title: string, act: (fixture: StackFixture) => Promise<void>): void => {
    for (const backend of backendsFor(title, some)) {
      test.concurrent(`${title}, on ${backend.title}`, () => StackFixture.run({ ...options, backend }, act));
    }
  };

export const testOnBackends = testOn(backends);

/** A test of {@link inRest}. */
export const testInRest = testOn(inRest(backends));

/** Whether this run has the tests of {@link inRest}. */
export const isRest = ["all", "rest"].includes(RUN);

/** A test of {@link inRest} without a backend, or with that of its `describe`. */
export const testOnceInRest = isRest ? test : Object.assign(() => undefined, { each: () => () => undefined });
