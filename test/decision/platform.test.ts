import {
  DELETION_CODES,
  decideDeletion,
  type DeletionFacts,
  isRefusal,
  type RefusedBecause,
  refusedFirst,
} from "../../src/decision/deletion";
import {
  ABSENCE_DOMAINS,
  type AbsenceFacts,
  decideAbsence,
  decideOrphan,
  ORPHAN_DOMAINS,
  type OrphanFacts,
  type OrphanRemedy,
  possibleAbsences,
  possibleOrphans,
} from "../../src/decision/platform";
import { type Domains, UNSEEN } from "../../src/decision/possible";
import { combinations, texts } from "./combinations";

/** Every possible combination of facts is decided, for both questions about a Platform. */

const said = (outcome: { happens: string; because?: string; remedies?: readonly string[] }) => [
  outcome.because ?? outcome.happens,
  ...(outcome.remedies ?? []),
];

/** What runs did before these questions had one place. */
describe("today's outcomes", () => {
  // test/hooks/deletion-guard, test/hooks/delete, test/plugin/presence
  const missing = { service: "this one", isSaidGone: false, hasWitness: false, isSeen: false, isDeletionNoted: false } as const;
  test.each<[Partial<AbsenceFacts>, string, ...string[]]>([
    [{}, "doubtful service", "CORRECT_URL", "ACCEPT_GONE"],
    [{ hasWitness: true }, "GONE"],
    [{ isSeen: true }, "GONE"],
    [{ isDeletionNoted: true }, "GONE"],
    [{ isSaidGone: true }, "GONE"],
    [{ service: "another", hasWitness: true }, "another service", "CORRECT_URL", "ACCEPT_GONE"],
    [{ service: "another", isSaidGone: true }, "GONE"],
  ])("missing objects, %j: %s", (facts, expected, ...remedies) => {
    expect(said(decideAbsence({ ...missing, ...facts }))).toEqual([expected, ...remedies]);
  });

  // test/plugin/ready-plan, test/terraform/provider-orphans
  const left = { live: "present", service: "this one", platform: "in the code" } as const;
  test.each<[Partial<OrphanFacts>, string, ...OrphanRemedy[]]>([
    [{}, "still live", "LET_GO", "ADOPT_AND_REMOVE"],
    [{ live: "perhaps late" }, "LOOK"],
    [{ live: "absent" }, "GONE"],
    [{ platform: "retains it" }, "RELEASE"],
    [{ platform: "retains it", live: "perhaps late" }, "RELEASE"],
    [{ platform: "left the code" }, "still live", "RESTORE_PLATFORM", "LET_GO", "ADOPT_AND_REMOVE"],
    [{ service: "another" }, "WARNED", "ADOPT_AND_REMOVE"],
    [{ service: "another", live: "absent" }, "NOTHING"],
    [{ service: "another", platform: "retains it" }, "NOTHING"],
    [{ service: "another", platform: "left the code", live: "absent" }, "created elsewhere", "CORRECT_URL", "DROP_NOTE"],
  ])("an object that an unfinished apply may have left, %j: %s", (facts, expected, ...remedies) => {
    expect(said(decideOrphan({ ...left, ...facts }))).toEqual([expected, ...remedies]);
  });
});

test("the reason that comes first for one object comes first for all", () => {
  // Each reason is decided with every fact that could give a later one.
  const reasons = Object.keys(DELETION_CODES) as RefusedBecause[];
  const worst = {
    protection: "settings",
    hasUnknownRetained: true,
    isSaidGone: true,
    isUsed: true,
  } as const;
  const calm = { isRetained: false, isAdopted: false, transition: "replace", live: "own" } as const;
  const steps: Partial<DeletionFacts>[] = [
    { isRetained: true },
    { live: "absent from a doubtful service" },
    { live: "of another type or provider" },
    { live: "of another spelling" },
    {},
    { isSaidGone: false },
    { isSaidGone: false, protection: "none" },
    {
      isSaidGone: false,

      protection: "none",
      hasUnknownRetained: false,
      live: "on an unknown provider",
    },
    { isSaidGone: false, protection: "none", hasUnknownRetained: false },
  ];
  const refusals = steps.map((step) => decideDeletion({ ...worst, ...calm, ...step })).filter(isRefusal);
  expect(refusals.map(({ because }) => because)).toEqual(reasons);
  const all = refusals.map((refusal) => ({ refusal }));
  for (const [index] of reasons.entries()) expect(refusedFirst(all.slice(index).reverse())).toEqual([all[index]]);
  expect(refusedFirst([])).toEqual([]);
});

describe("missing objects", () => {
  const all = combinations(ABSENCE_DOMAINS);

  test("are forgotten only if a person says so, or something shows that the service is the right one", () => {
    expect(all).toHaveLength(2 ** 5);
    const isShown = ({ service, hasWitness, isSeen, isDeletionNoted }: AbsenceFacts) =>
      service === "this one" && (hasWitness || isSeen || isDeletionNoted);
    const gone = all.filter((facts) => decideAbsence(facts).happens === "GONE");
    expect(gone.filter((facts) => !facts.isSaidGone && !isShown(facts))).toEqual([]);
  });

  test("a remedy ends each refusal", () => {
    const after = {
      CORRECT_URL: { service: "this one", hasWitness: true },
      ACCEPT_GONE: { isSaidGone: true },
    } as const;
    const useless = all.flatMap((facts) => {
      const outcome = decideAbsence(facts);
      if (outcome.happens === "GONE") return [];
      expect(outcome.remedies.length).toBeGreaterThan(0);
      return outcome.remedies.filter((remedy) => {
        const next = decideAbsence({ ...facts, ...after[remedy] });
        return next.happens === "REFUSED" && next.because === outcome.because;
      });
    });
    expect(useless).toEqual([]);
  });
});

describe("objects that nobody declares", () => {
  const all = combinations(ORPHAN_DOMAINS);

  test("stop an apply only if they live here, or if no later apply looks for them", () => {
    expect(all).toHaveLength(3 * 2 * 3);
    const stopping = all.filter((facts) => decideOrphan(facts).happens === "REFUSED");
    const isLost = ({ live, service, platform }: OrphanFacts) =>
      service === "this one" ? live === "present" : platform === "left the code";
    expect(stopping.filter((facts) => facts.platform === "retains it" || !isLost(facts))).toEqual([]);
  });

  test("are let go only if retain names them, or no list of a longer time has them", () => {
    const of = (happens: string) => all.filter((facts) => decideOrphan(facts).happens === happens);
    expect(of("RELEASE").filter(({ platform }) => platform !== "retains it")).toEqual([]);
    expect(of("GONE").filter(({ live, service }) => live !== "absent" || service !== "this one")).toEqual([]);
    expect(of("LOOK").filter(({ live }) => live !== "perhaps late")).toEqual([]);
  });

  test("a remedy ends each refusal", () => {
    // Then the code or the state has the object, or nothing names it any more.
    const isNotAsked = new Set<OrphanRemedy>(["RESTORE_PLATFORM", "ADOPT_AND_REMOVE", "DROP_NOTE"]);
    const after: Readonly<Partial<Record<OrphanRemedy, Partial<OrphanFacts>>>> = {
      LET_GO: { platform: "retains it" },
      CORRECT_URL: { service: "this one" },
    };
    const useless = all.flatMap((facts) => {
      const outcome = decideOrphan(facts);
      if (outcome.happens !== "REFUSED") return [];
      expect(outcome.remedies.length).toBeGreaterThan(0);
      return outcome.remedies.filter((remedy) => {
        if (isNotAsked.has(remedy)) return false;
        const next = decideOrphan({ ...facts, ...after[remedy] });
        return next.happens === "REFUSED" && next.because === outcome.because;
      });
    });
    expect(useless).toEqual([]);
  });
});

test.each<[string, (facts: never) => unknown, Domains<object>, (facts: never) => readonly unknown[]]>([
  ["missing objects", decideAbsence, ABSENCE_DOMAINS, possibleAbsences],
  ["orphans", decideOrphan, ORPHAN_DOMAINS, possibleOrphans],
])("more knowledge never contradicts less about %s", (_, decide, domains, possible) => {
  const values = domains as Readonly<Record<string, readonly unknown[]>>;
  const names = Object.keys(values);
  for (const facts of combinations(domains)) {
    for (const [index, name] of names.entries()) {
      for (const other of names.slice(index)) {
        const less = possible({ ...facts, [name]: UNSEEN, [other]: UNSEEN } as never);
        const union = values[name]!.flatMap((value) =>
          (name === other ? [value] : values[other]!).map((another) =>
            decide({ ...facts, [name]: value, [other]: another } as never),
          ),
        );
        expect(texts(less)).toBe(texts(union));
      }
    }
  }
});
