import type { ObjectFinding, Verdict } from "../../../src/cli/review/judge/finding";
import { unusedOf } from "../../../src/cli/review/judge/settings-changes";
import { reviewMarkdown } from "../../../src/cli/review/render/markdown";
import { reasons } from "../../../src/cli/review/render/wording";
import { written } from "../../../src/cli/report/phrase";
import { gated, planDocument, reviewDocument, reviewFixture, type PlanDocument } from "./plans";

type Settings = Record<string, unknown>;
const protectionIn = ({ resource_changes: changes }: PlanDocument) =>
  changes.find(({ name }) => name === "cluster_platform_protection")!.change;
const told = (before: Settings, after: Settings, name = "unchanged") => {
  const document = planDocument(name);
  const protection = protectionIn(document);
  const settings = { deletionProtection: [], allowDeletion: [], retain: [], adopt: [] };
  Object.assign(protection.before!, { input: { ...settings, ...before } });
  Object.assign(protection.after!, { input: { ...settings, ...after } });
  delete document.configuration;
  return reviewDocument(document);
};
const said = (review: ReturnType<typeof told>) =>
  review.settings.map(({ risk, setting, before, after }) => `${risk} ${setting} ${before!.join()} > ${after!.join()}`);

test.each<[string, string[]]>([
  ["weakened", ["high allowDeletion  > stage", "high deletionProtection prod,stage > prod", "high retain  > prod"]],
  [
    "connection-changed",
    [
      "high insecureSkipVerify  > true",
      "low readySeconds 3600 > 900",
      "low requestSeconds  > 30",
      "medium caFile  > /etc/ssl/authorities.pem",
    ],
  ],
  ["protected-removal", ["low deletionProtection  > st*"]],
  ["allowed-removal", ["low deletionProtection  > *"]],
  ["retain", []],
  ["retain-and-adopt", []],
  ["adopt", []],
  ["change", []],
])("settings in plans are reported: %s", (name, expected) => {
  const { settings } = reviewFixture(name);
  expect(
    settings.map(({ risk, setting, before, after }) => `${risk} ${setting} ${before!.join()} > ${after!.join()}`).sort(),
  ).toEqual(expected);
});

test.each<[Settings, Settings, string[]]>([
  [{ deletionProtection: ["a", "b"] }, { deletionProtection: ["a"] }, ["high deletionProtection a,b > a"]],
  [{ deletionProtection: ["a"] }, { deletionProtection: ["*"] }, ["low deletionProtection a > *"]],
  [{ deletionProtection: ["*/clusters/*"] }, { deletionProtection: ["prod"] }, ["high deletionProtection */clusters/* > prod"]],
  [
    { deletionProtection: ["capvs/clusters/a"] },
    { deletionProtection: ["*/clusters/*"] },
    ["low deletionProtection capvs/clusters/a > */clusters/*"],
  ],
  [{ deletionProtection: ["a"] }, { deletionProtection: ["*/clusters/*"] }, ["high deletionProtection a > */clusters/*"]],
  [{ deletionProtection: ["b", "a"] }, { deletionProtection: ["a", "b"] }, []],
  [{ allowDeletion: ["a"] }, {}, ["low allowDeletion a > "]],
  [{}, { allowDeletion: ["stage"] }, ["high allowDeletion  > stage"]],
  [{ retain: ["a"] }, {}, ["low retain a > "]],
  [{ connection: {} }, { connection: { insecureSkipVerify: true } }, ["high insecureSkipVerify  > true"]],
  [{ connection: { allowPlainHttp: true } }, { connection: { allowPlainHttp: false } }, ["low allowPlainHttp true > "]],
  [{ connection: { caFile: "a.pem" } }, { connection: { caFile: "b.pem" } }, ["medium caFile a.pem > b.pem"]],
  [{ connection: { url: "https://a.example.com" } }, { connection: { url: "https://A.example.com:443/" } }, []],
  [{ connection: { requestSeconds: 60 } }, { connection: { requestSeconds: 9 } }, ["low requestSeconds 60 > 9"]],
  [{ readySeconds: 60 }, { readySeconds: 9 }, ["low readySeconds 60 > 9"]],
])("a change from %j to %j is reported as %j", (before, after, expected) => {
  expect(said(told(before, after))).toEqual(expected);
});

test("a name in allowDeletion is shown with the object that this plan deletes, and as a setting otherwise", () => {
  expect(said(told({}, { allowDeletion: ["stage"] }, "remove"))).toEqual([]);
  expect(said(told({}, { allowDeletion: ["capvs/clusters/stage"] }, "remove"))).toEqual([]);
  expect(said(told({}, { allowDeletion: ["stage", "prod"] }, "remove"))).toEqual(["high allowDeletion  > prod,stage"]);
});

test("without a guard that names it, the permission of a refused object keeps those that the code has", () => {
  const document = planDocument("connected");
  const settings = protectionIn(document).after!.input as Settings;
  settings.allowDeletion = ["stage"];
  const { findings } = reviewDocument(document);
  expect(findings.find(({ refused }) => refused)!.reasons.at(-1)).toEqual({
    code: "REFUSED",
    because: "protected",
    allowedBy: 'allowDeletion: ["stage", "capvs/clusters/prod"]',
  });
});

test("another URL is reported as another receiver of the token", () => {
  const [one, other] = ["https://platform.example.com", "https://attacker.example.com"];
  const review = told({ connection: { url: one } }, { connection: { url: other } });
  expect(said(review)).toEqual(["high url https://platform.example.com > https://attacker.example.com"]);
  expect(gated(review, "high").denials.map(({ code }) => code)).toEqual(["SETTING"]);
  expect(gated(review, "critical").passed).toBe(true);
});

test("a rule denies weakened settings for any --fail-on, and nothing else", () => {
  const rules = [{ rule: "forbid-weakened-settings" as const, why: "ask security" }];
  const denied = (name: string) => gated(reviewFixture(name), "none", { rules }).denials;
  expect(denied("weakened").map((denial) => [denial.code, denial.why])).toEqual(
    Array.from({ length: 3 }, () => ["WEAKENED_SETTING", "ask security"]),
  );
  expect(denied("protected-change")).toEqual([]);
});

test.each(["platform-renamed-moved", "provider/platform-renamed-moved"])(
  "a Platform that gets another name and protects less is denied like any weakened setting: %s",
  (name) => {
    const review = reviewFixture(name);
    const [change] = review.settings.filter(({ setting }) => setting === "deletionProtection");
    expect(change).toMatchObject({ platform: "eu", after: [], risk: "high", objects: ["capvs/clusters/prod"] });
    const { denials } = gated(review, "none", { rules: [{ rule: "forbid-weakened-settings" }] });
    expect(denials).toContainEqual(expect.objectContaining({ code: "WEAKENED_SETTING", change }));
    expect(reviewMarkdown(review, gated(review), { id: "default", maxBytes: 60_000 })).toContain(
      "| 🟠 | Platform `eu` | **SETTING, weaker**: no longer protects `capvs/clusters/prod` | `deletionProtection` is now empty |",
    );
  },
);

test.each<[Verdict, string, string, boolean]>([
  ["LEAVE", "", "retain", true],
  ["LEAVE", "eu", "retain", false],
  ["UNCHANGED", "", "retain", false],
  ["ADOPT", "", "adopt", true],
  ["ADOPT", "eu", "adopt", false],
])(
  "%s of an object on the Platform '%s' needs its name in %s of the Platform without a name: %s",
  (verdict, platform, setting, isUsed) => {
    const reasons = [{ code: "RETAINED" }];
    const finding = { verdict, platform, object: "capvs/clusters/prod", name: "prod", reasons } as unknown as ObjectFinding;
    expect(unusedOf(setting, ["prod"], "", [finding])).toEqual(isUsed ? [] : ["prod"]);
  },
);

test("a lost object says that it was protected until this plan", () => {
  const document = planDocument("change");
  const protection = document.resource_changes.find(({ name }) => name === "cluster_platform_protection")!;
  Object.assign(protection.change.before!.input!, { deletionProtection: ["prod"] });
  const of = (settings: object) => {
    Object.assign(protection.change.before!.input!, settings);
    return reviewDocument(document).findings.find(({ name }) => name === "prod")!;
  };
  expect(of({})).toMatchObject({ verdict: "REPLACE", unprotected: true });
  expect(written(reasons(of({})), String)).toBe("controlPlane.count 3 → 5; it was protected until this plan");
  expect(of({ allowDeletion: ["prod"] }).unprotected).toBe(false);
});
