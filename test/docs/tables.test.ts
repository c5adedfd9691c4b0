import { NOTE_RISKS } from "../../src/cli/review/judge/note";
import { VERDICT_RISKS } from "../../src/cli/review/judge/finding";
import { decideDeletion, type DeletionFacts, isRefusal, LIVES } from "../../src/decision/deletion";
import { DRIFTS } from "../../src/cli/drift/finding";
import { table } from "../support/docs-table";

/** The risks of each name in a table of review, in any order. */
function risksIn(header: string): Record<string, string[]> {
  const risks: Record<string, Set<string>> = {};
  for (const [name, , risk] of table("docs/review.md", header)) {
    for (const each of risk!.split(", ")) (risks[name!] ??= new Set()).add(each);
  }
  return Object.fromEntries(Object.entries(risks).map(([name, each]) => [name, [...each].sort()]));
}

const sorted = (risks: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(Object.entries(risks).map(([name, each]) => [name, [...each].sort()]));

test("the table of verdicts has each verdict with its risks", () => {
  expect(risksIn("| verdict | what the apply does | risk |")).toEqual(sorted(VERDICT_RISKS));
});

test("the table of notes has each note with its risks", () => {
  expect(risksIn("| note | means | risk |")).toEqual(sorted(NOTE_RISKS));
});

test("the table of drifts has each drift", () => {
  const drifts = DRIFTS.toReversed();
  expect(table("docs/drift.md", "| drift | means | repair |").map(([drift]) => drift)).toEqual(drifts);
  expect(table("docs/drift.md", "| drift | repair |").map(([drift]) => drift)).toEqual(drifts);
});

/** What each event of the table about protected objects means for the decision. */
const EVENTS: Readonly<Record<string, readonly Partial<DeletionFacts>[]>> = {
  "its construct is removed, or a field changes": [{ transition: "remove" }, { transition: "replace" }],
  "-replace, or another value of a token": [{ transition: "replace" }],
  "it is gone from the service, and is created again (-replace, or a changed field)": [{ transition: "replace", live: "absent" }],
  destroy: [{ transition: "remove" }],
  "destroy -target of something else": [{ transition: "remove" }],
  "apply -target, OpenTofu's apply -exclude": [{ transition: "remove" }, { transition: "replace" }],
  RetiredPlatform: [{ transition: "remove" }],
};

test("the table of events says which deletions of a protected object are refused", () => {
  const said = table("docs/protection.md", "| Event | What happens with a protected object |").map(([event, happens]) => [
    event,
    /\brefuse(s|d)\b/.test(happens!) && !happens!.startsWith("nothing is refused"),
  ]);
  const PROTECTED = { ...LIVES, isRetained: false, isAdopted: false, protection: "settings", transition: "remove" } as const;
  const decided = Object.entries(EVENTS).map(([event, facts]) => [
    event,
    facts.every((each) => isRefusal(decideDeletion({ ...PROTECTED, ...each }))),
  ]);
  expect(Object.fromEntries(said)).toEqual(Object.fromEntries(decided));
});
