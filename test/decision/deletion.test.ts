import {
  decideDeletion,
  type DeletionFacts,
  type DeletionOutcome,
  type DeletionRemedy,
  DELETION_DOMAINS,
  isRefusal,
  permissionOf,
  possibleDeletions,
} from "../../src/decision/deletion";
import { UNSEEN } from "../../src/decision/possible";
import { combinations, texts } from "./combinations";

/** Every possible combination of facts is decided. */

const NAMES = Object.keys(DELETION_DOMAINS) as (keyof DeletionFacts)[];

const all = combinations(DELETION_DOMAINS);

const decided = all.map((facts) => ({ facts, outcome: decideDeletion(facts) }));
const happening = (...verdicts: readonly DeletionOutcome["happens"][]) =>
  decided.filter(({ outcome }) => verdicts.includes(outcome.happens));

test("all combinations are decided", () => {
  expect(decided).toHaveLength(2 * 2 * 2 * 4 * 2 * 2 * 7 * 2);
  expect(new Set(decided.map(({ outcome }) => outcome.happens))).toEqual(
    new Set(["DESTROY", "REPLACE", "RETAIN", "ADOPT", "GONE", "REPLACED", "REFUSED"]),
  );
});

test("only the stack's own live object is deleted, and only if nothing speaks against it", () => {
  const wrong = happening("DESTROY", "REPLACE").filter(
    ({ facts }) =>
      facts.live !== "own" ||
      !["none", "lifted"].includes(facts.protection) ||
      facts.isRetained ||
      facts.hasUnknownRetained ||
      facts.isSaidGone ||
      facts.isUsed,
  );
  expect(wrong).toEqual([]);
});

test("an object is forgotten only if it is retained, or proven to be absent", () => {
  const isProven = ({ facts }: { facts: DeletionFacts }) => facts.isRetained || facts.live === "absent";
  expect(happening("RETAIN", "GONE").filter((each) => !isProven(each))).toEqual([]);
  expect(happening("ADOPT").filter(({ facts }) => !facts.isRetained || !facts.isAdopted)).toEqual([]);
});

test("an object is created again only in a replacement", () => {
  expect(happening("REPLACE", "ADOPT").filter(({ facts }) => facts.transition === "remove")).toEqual([]);
  expect(happening("DESTROY", "RETAIN").filter(({ facts }) => facts.transition === "replace")).toEqual([]);
});

/** What each remedy changes, for a person who follows it. The next run has these facts. */
const AFTER: Readonly<Record<DeletionRemedy, (facts: DeletionFacts) => Partial<DeletionFacts> | "nothing is deleted">> = {
  ALLOW_DELETION: () => ({ protection: "lifted" }),
  UNPROTECT_FIRST: () => ({ protection: "none" }),
  KEEP: () => "nothing is deleted",
  RETAIN: () => ({ isRetained: true }),
  CORRECT_RETAIN: () => ({ hasUnknownRetained: false }),
  UNRETAIN: () => ({ isRetained: false }),
  CORRECT_URL: () => ({ live: "own" }),
  ACCEPT_GONE: () => ({ live: "absent" }),
  APPLY_PLAIN: () => ({ isSaidGone: false }),
  APPLY: () => ({ live: "own" }),
  LET_GO: () => ({ isRetained: true, isAdopted: true }),
  ADOPT: () => ({ isRetained: true, isAdopted: true }),
  REMOVE_USERS: () => ({ isUsed: false }),
  ADOPT_AND_REMOVE: () => ({ isUsed: false }),
};

test("every refusal has remedies, and each of them ends this refusal", () => {
  const refusals = decided.flatMap(({ facts, outcome }) => (isRefusal(outcome) ? [{ facts, outcome }] : []));
  expect(refusals.filter(({ outcome }) => outcome.remedies.length === 0)).toEqual([]);
  const useless = refusals.flatMap(({ facts, outcome: { because, remedies } }) =>
    remedies.filter((remedy) => {
      const after = AFTER[remedy](facts);
      if (after === "nothing is deleted") return false;
      const next = decideDeletion({ ...facts, ...after });
      return isRefusal(next) && next.because === because;
    }),
  );
  expect(useless).toEqual([]);
});

test("whoever follows the first remedy of each refusal is refused at most five times", () => {
  const refusals = (facts: DeletionFacts): number => {
    const outcome = decideDeletion(facts);
    if (!isRefusal(outcome)) return 0;
    const after = AFTER[outcome.remedies[0]!](facts);
    return after === "nothing is deleted" ? 1 : 1 + refusals({ ...facts, ...after });
  };
  expect(Math.max(...all.map(refusals))).toBe(5);
});

/** With the first value for each of these names, because their values are tried. */
const without = (...names: readonly (keyof DeletionFacts)[]) =>
  all.filter((facts) => names.every((name) => facts[name] === DELETION_DOMAINS[name][0]));

test.each(NAMES)("without the fact %s, all that its values lead to can happen, and nothing else", (name) => {
  const wrong = without(name).filter((facts) => {
    const union = DELETION_DOMAINS[name].map((value) => decideDeletion({ ...facts, [name]: value }));
    return texts(possibleDeletions({ ...facts, [name]: UNSEEN })) !== texts(union);
  });
  expect(wrong).toEqual([]);
});

test("more knowledge never contradicts less", () => {
  const pairs = NAMES.flatMap((name, index) => NAMES.slice(index + 1).map((other) => [name, other] as const));
  const wrong = pairs.flatMap(([name, other]) =>
    without(name, other).filter((facts) => {
      const less = possibleDeletions({ ...facts, [name]: UNSEEN, [other]: UNSEEN });
      const union = DELETION_DOMAINS[name].flatMap((value) => possibleDeletions({ ...facts, [name]: value, [other]: UNSEEN }));
      return texts(less) !== texts(union);
    }),
  );
  expect(wrong).toEqual([]);
});

test.each([
  [{}, false, { isRetained: false, protection: "settings" }],
  [{ allowDeletion: ["prod"] }, false, { isRetained: false, protection: "lifted" }],
  [{ allowDeletion: ["prod"] }, true, { isRetained: false, protection: "lifted" }],
  [{ deletionProtection: [] }, false, { isRetained: false, protection: "none" }],
  [{ deletionProtection: [] }, true, { isRetained: false, protection: "state" }],
  [{ retain: ["capvs/clusters/prod"] }, false, { isRetained: true, protection: "settings" }],
] as const)("the permission of %j, protected in the state: %s", (more, byState, permission) => {
  const settings = { deletionProtection: ["*/clusters/*"], allowDeletion: [], retain: [], ...more };
  expect(permissionOf(settings, "capvs/clusters/prod", byState)).toEqual(permission);
});
