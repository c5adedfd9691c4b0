import { NOTE_RISKS } from "../../src/cli/review/judge/note";
import { VERDICT_RISKS } from "../../src/cli/review/judge/finding";
import { REASONS } from "../../src/cli/review/render/wording";
import { App, TerraformStack } from "cdktf";
import { platformSettings, type PlatformProps } from "../../src/constructs/platform-props";
import {
  decideDeletion,
  type DeletionFacts,
  type DeletionOutcome,
  isRefusal,
  LIVE_AND_UNUSED,
  permissionOf,
} from "../../src/decision/deletion";
import { DRIFTS } from "../../src/cli/drift/finding";
import { readRunSettings } from "../../src/host/run-settings";
import { matchingNone } from "../../src/model/protection";
import { table } from "../support/docs-table";

/** The risks of each name in a table of review, in any order. */
function risksIn(page: string, header: string): Record<string, string[]> {
  const risks: Record<string, Set<string>> = {};
  for (const [name, , risk] of table(page, header)) {
    for (const each of risk!.split(", ")) (risks[name!] ??= new Set()).add(each);
  }
  return Object.fromEntries(Object.entries(risks).map(([name, each]) => [name, [...each].sort()]));
}

const sorted = (risks: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(Object.entries(risks).map(([name, each]) => [name, [...each].sort()]));

test("the table of verdicts has each verdict with its risks", () => {
  expect(risksIn("docs/review.md", "| verdict | what the apply does | risk |")).toEqual(sorted(VERDICT_RISKS));
});

test("the table of reasons has each reason", () => {
  expect(table("docs/review-report.md", "| reason | means |").map(([reason]) => reason)).toEqual(Object.keys(REASONS));
});

test("the table of notes has each note with its risks", () => {
  expect(risksIn("docs/review-report.md", "| note | means | risk |")).toEqual(sorted(NOTE_RISKS));
});

test("the table of drifts has each drift", () => {
  const drifts = DRIFTS.toReversed();
  const rows = table("docs/drift.md", "| drift | means | repair with hooks | repair with `Engine.PROVIDER` |");
  expect(rows.map(([drift]) => drift)).toEqual(drifts);
});

/** What each event of the table about protected objects means for the decision. */
const EVENTS: Readonly<Record<string, readonly Partial<DeletionFacts>[]>> = {
  "its construct is removed, or a field changes": [{ transition: "remove" }, { transition: "replace" }],
  "-replace, or another value of a token": [{ transition: "replace" }],
  "it is gone from the service, and is created again (-replace, or a changed field)": [{ transition: "replace", live: "absent" }],
  destroy: [{ transition: "remove" }],
  "destroy -target of something else": [{ transition: "remove" }],
  "apply -target, OpenTofu's apply -exclude": [{ transition: "remove" }, { transition: "replace" }],
};

test("the table of events says which deletions of a protected object are refused", () => {
  const said = table("docs/protection.md", "| Event | What happens with a protected object |").map(([event, happens]) => [
    event,
    /\brefuse(s|d)\b/.test(happens!) && !happens!.startsWith("nothing is refused"),
  ]);
  const PROTECTED = {
    ...LIVE_AND_UNUSED,
    isRetained: false,
    isAdopted: false,
    protection: "settings",
    transition: "remove",
  } as const;
  const decided = Object.entries(EVENTS).map(([event, facts]) => [
    event,
    facts.every((each) => isRefusal(decideDeletion({ ...PROTECTED, ...each }))),
  ]);
  expect(Object.fromEntries(said)).toEqual(Object.fromEntries(decided));
});

const HAPPENS: Readonly<Record<DeletionOutcome["happens"], string>> = {
  REFUSED: "refused",
  DESTROY: "deleted",
  REPLACE: "deleted and created again",
  RETAIN: "stays on the service",
  ADOPT: "stays, and the state has the new declaration",
  GONE: "nothing is sent",
  REPLACED: "nothing is sent",
};

const settingsRows = table("docs/protection.md", "| Settings | Object | It leaves the code, or `destroy` | It is replaced |");

/** The props of a Platform, or the variables of a run, that the first cell of a row names. */
const propsIn = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/(\w+): (\[[^\]]*\]|true|false)/g)].map(([, prop, value]) => [prop!, JSON.parse(value!) as unknown]),
  );
const variablesIn = (text: string) =>
  Object.fromEntries([...text.matchAll(/(CLUSTER_PLATFORM_\w+)=([^\s,]+)/g)].map(([, name, value]) => [name!, value!]));

/** What happens to the live object of a row. */
function happensTo(id: string, settings: string, { adopt, ...props }: PlatformProps & { readonly adopt?: boolean }): string[] {
  const platform = platformSettings(new TerraformStack(new App(), "stack"), props);
  const run = readRunSettings(variablesIn(settings));
  const facts = {
    ...LIVE_AND_UNUSED,
    ...permissionOf(platform, id, settings.includes("the state still protects the object")),
    isAdopted: adopt === true || run.adoptions.has(id),
    hasUnknownRetained: matchingNone(platform.retain, [id]).length > 0,
    isSaidGone: run.gone.has(id),
  };
  return (["remove", "replace"] as const).map((transition) => HAPPENS[decideDeletion({ ...facts, transition }).happens]);
}

test.each(settingsRows)("with %s, %s is decided as the table of protection says", (settings, id, ...happens) => {
  expect(happens).toEqual(happensTo(id!, settings!, propsIn(settings!)));
  if (settings!.startsWith("none")) expect(happens).toEqual(happensTo(id!, settings!, {}));
});

test("the table of protection has each setting", () => {
  const named = settingsRows.flatMap(([settings]) => [
    ...Object.keys(propsIn(settings!)),
    ...Object.keys(variablesIn(settings!)),
  ]);
  const settings = [
    "deletionProtection",
    "allowDeletion",
    "retain",
    "adopt",
    "CLUSTER_PLATFORM_ADOPT",
    "CLUSTER_PLATFORM_ACCEPT_GONE",
  ];
  expect([...new Set(named)].sort()).toEqual(settings.sort());
});
