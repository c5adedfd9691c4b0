import {
  certainRefusal,
  CREATION_DOMAINS,
  type CreationFacts,
  type CreationOutcome,
  type CreationRefusal,
  type CreationRemedy,
  decideCreation,
  possibleCreations,
} from "../../src/decision/creation";
import { UNSEEN } from "../../src/decision/possible";
import { combinations, texts } from "./combinations";

/** Every possible combination of facts is decided. */

const NAMES = Object.keys(CREATION_DOMAINS) as (keyof CreationFacts)[];

const all = combinations(CREATION_DOMAINS);

const decided = all.map((facts) => ({ facts, outcome: decideCreation(facts) }));
const happening = (...outcomes: readonly CreationOutcome["happens"][]) =>
  decided.filter(({ outcome }) => outcomes.includes(outcome.happens));
const refusals = decided.flatMap(({ facts, outcome }) => (outcome.happens === "REFUSED" ? [{ facts, outcome }] : []));

const none = { claim: "none", isAdopted: false, isImported: false, isTemporary: false } as const;
const LOOK = "LOOK";

/** What an apply did before the decision had a place of its own. */
test.each<[Partial<CreationFacts> & Pick<CreationFacts, "live">, string, ...CreationRemedy[]]>([
  [{ live: "absent" }, "CREATE"],
  [{ live: "absent", claim: "of another declaration" }, "CREATE"],
  [{ live: "absent", isAdopted: true }, "CREATE"],
  [{ live: "absent", isImported: true }, "nothing to import", "CORRECT_IMPORT"],
  [{ live: "perhaps late", claim: "certain" }, LOOK],
  [{ live: "leaving", isAdopted: true }, LOOK],
  [{ live: "leaving", isImported: true }, "nothing to import", "CORRECT_IMPORT"],
  [{ live: "lingering", claim: "certain" }, "still leaving", "APPLY"],
  [{ live: "perhaps deleted", isAdopted: true }, LOOK],
  [{ live: "deleted", isAdopted: true }, "still listed", "APPLY"],
  [{ live: "as declared" }, "taken", "RENAME", "ADOPT"],
  [{ live: "as declared", claim: "certain" }, "CONTINUE"],
  [{ live: "as declared", claim: "doubtful" }, "taken", "RENAME", "ADOPT"],
  [{ live: "as declared", claim: "of another declaration" }, "taken", "RENAME", "DECLARE_SENT"],
  [{ live: "as declared", isAdopted: true }, "ADOPT"],
  [{ live: "as declared", claim: "doubtful", isAdopted: true }, "ADOPT"],
  [{ live: "as declared", claim: "of another declaration", isAdopted: true }, "sent otherwise", "DECLARE_SENT"],
  [{ live: "as declared", isImported: true }, "ADOPT"],
  [{ live: "as declared", claim: "of another declaration", isImported: true }, "sent otherwise", "DECLARE_SENT"],
  [{ live: "as declared", claim: "of this run" }, "declared twice", "DECLARE_ONCE"],
  [{ live: "as declared", claim: "of this run", isAdopted: true }, "declared twice", "DECLARE_ONCE"],
  [{ live: "absent", claim: "of this run" }, "declared twice", "DECLARE_ONCE"],
  [{ live: "perhaps deleted", claim: "of this run" }, "declared twice", "DECLARE_ONCE"],
  [{ live: "differing", claim: "certain" }, "taken", "RENAME", "ADOPT"],
  [{ live: "differing", isAdopted: true }, "differs", "DECLARE_LIVE", "RENAME"],
  [{ live: "differing", isImported: true }, "differs", "DECLARE_LIVE", "RENAME"],
  [{ live: "of another type", isAdopted: true }, "differs", "DECLARE_LIVE", "RENAME"],
  [{ live: "another one of the state" }, "taken by the state", "REMOVE_FIRST"],
  [{ live: "of another spelling", isAdopted: true }, "taken", "RENAME", "ADOPT"],
  [{ live: "of another spelling", claim: "certain" }, "taken", "RENAME", "ADOPT"],
])("%j: %s", (facts, expected, ...remedies) => {
  const outcome = decideCreation({ ...none, ...facts });
  expect(outcome.happens === "REFUSED" ? [outcome.because, ...outcome.remedies] : [outcome.happens]).toEqual([
    expected,
    ...remedies,
  ]);
});

test("all combinations are decided", () => {
  expect(decided).toHaveLength(11 * 5 * 2 * 2 * 2);
  expect(new Set(decided.map(({ outcome }) => outcome.happens))).toEqual(
    new Set(["CREATE", "CONTINUE", "ADOPT", "LOOK", "REFUSED"]),
  );
});

test("a request is sent only if the name is free", () => {
  expect(happening("CREATE").filter(({ facts }) => facts.live !== "absent" || facts.isImported)).toEqual([]);
});

test("nothing foreign is taken over unasked, and nothing that differs", () => {
  const isAsked = ({ isAdopted, isImported, claim }: CreationFacts) => isAdopted || isImported || claim === "certain";
  expect(happening("ADOPT", "CONTINUE").filter(({ facts }) => facts.live !== "as declared" || !isAsked(facts))).toEqual([]);
  expect(happening("CONTINUE").filter(({ facts }) => facts.claim !== "certain")).toEqual([]);
});

test("a run that deletes everything at its end takes nothing over", () => {
  expect(happening("ADOPT", "CONTINUE").filter(({ facts }) => facts.isTemporary)).toEqual([]);
});

test("no object gets two instances in one run", () => {
  const others = decided.filter(({ facts, outcome }) => facts.claim === "of this run" && outcome.happens !== "REFUSED");
  expect(others).toEqual([]);
});

test("no note that contradicts the code is ignored", () => {
  const ignored = ({ facts }: { facts: CreationFacts }) => facts.claim === "of another declaration";
  expect(happening("ADOPT", "CONTINUE").filter(ignored)).toEqual([]);
});

test("what may be no object any more is neither created over nor taken over", () => {
  const isGhost = ({ live }: CreationFacts) => ["leaving", "lingering", "perhaps deleted", "deleted"].includes(live);
  expect(happening("CREATE", "CONTINUE", "ADOPT").filter(({ facts }) => isGhost(facts))).toEqual([]);
});

/** What the lists of a longer time can show. */
const LATER: Partial<Record<CreationFacts["live"], readonly CreationFacts["live"][]>> = {
  "perhaps late": CREATION_DOMAINS.live.filter((live) => live !== "perhaps late"),
  leaving: CREATION_DOMAINS.live.filter((live) => live !== "leaving"),
  "perhaps deleted": CREATION_DOMAINS.live.filter((live) => live !== "perhaps deleted"),
};

test("whoever looks as long as asked, and once for each reason, gets an answer", () => {
  const asks = (facts: CreationFacts, looked: readonly string[]): number => {
    if (decideCreation(facts).happens !== "LOOK") return 0;
    const later = LATER[facts.live]!.filter((live) => ![...looked, facts.live].includes(live));
    return 1 + Math.max(...later.map((live) => asks({ ...facts, live }, [...looked, facts.live])));
  };
  expect(Math.max(...all.map((facts) => asks(facts, [])))).toBe(3);
});

/** What each remedy changes, for a person who follows it. The next run has these facts. */
const AFTER: Readonly<Record<CreationRemedy, () => Partial<CreationFacts>>> = {
  RENAME: () => ({ live: "absent", claim: "none", isAdopted: false, isImported: false }),
  // The other instance has left the code, and its object was deleted or never created.
  DECLARE_ONCE: () => ({ live: "absent", claim: "none", isImported: false }),
  // The declaration has the spelling of the service, and the live values.
  ADOPT: () => ({ live: "as declared", isAdopted: true }),
  DECLARE_LIVE: () => ({ live: "as declared" }),
  DECLARE_SENT: () => ({ live: "as declared", claim: "certain" }),
  REMOVE_FIRST: () => ({ live: "absent" }),
  CORRECT_IMPORT: () => ({ isImported: false }),
  APPLY: () => ({ live: "absent" }),
  TEST_OTHERS: () => ({ live: "absent", isImported: false }),
};

test("every refusal has remedies, and each of them ends this refusal", () => {
  expect(refusals.filter(({ outcome }) => outcome.remedies.length === 0)).toEqual([]);
  const useless = refusals.flatMap(({ facts, outcome: { because, remedies } }) =>
    remedies.filter((remedy) => {
      const next = decideCreation({ ...facts, ...AFTER[remedy]() });
      return next.happens === "REFUSED" && next.because === because;
    }),
  );
  expect(useless).toEqual([]);
});

test("whoever follows any remedy is not refused again, except for what an import has hidden", () => {
  const most = (facts: CreationFacts): number => {
    const outcome = decideCreation(facts);
    if (outcome.happens !== "REFUSED") return 0;
    return 1 + Math.max(...outcome.remedies.map((remedy) => most({ ...facts, ...AFTER[remedy]() })));
  };
  const worst = (isImported: boolean) =>
    Math.max(...all.filter((facts) => facts.isImported === isImported && !facts.isTemporary).map(most));
  expect([worst(false), worst(true)]).toEqual([1, 2]);
});

test("more knowledge never contradicts less", () => {
  const pairs = NAMES.flatMap((name) => NAMES.map((other) => [name, other] as const));
  const wrong = pairs.flatMap(([name, other]) =>
    all.filter((facts) => {
      const less = possibleCreations({ ...facts, [name]: UNSEEN, [other]: UNSEEN });
      const union = CREATION_DOMAINS[name].flatMap((value) =>
        CREATION_DOMAINS[other].map((another) => decideCreation({ ...facts, [name]: value, [other]: another })),
      );
      const same = CREATION_DOMAINS[name].map((value) => decideCreation({ ...facts, [name]: value }));
      return texts(less) !== texts(name === other ? same : union);
    }),
  );
  expect(wrong).toEqual([]);
});

test("a refusal is certain only if every possible outcome is one", () => {
  const wrong = all.filter((facts) => {
    const partly = { ...facts, claim: UNSEEN } as const;
    const isCertain = CREATION_DOMAINS.claim.every((claim) => decideCreation({ ...facts, claim }).happens === "REFUSED");
    return (certainRefusal(partly) !== undefined) !== isCertain;
  });
  expect(wrong).toEqual([]);
  const taken = certainRefusal({ ...none, live: "differing", claim: UNSEEN }) as CreationRefusal;
  expect(taken.because).toBe("taken");
});
