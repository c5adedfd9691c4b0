import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FAIL_ON } from "../../../src/cli/review/judge/gate";
import { readPolicy } from "../../../src/cli/review/judge/policy";
import { reviewJson } from "../../../src/cli/review/render/formats";
import { reviewMarkdown } from "../../../src/cli/review/render/markdown";
import { masked } from "../../../src/cli/review/render/masked";
import { reviewText } from "../../../src/cli/review/render/text";
import { written } from "../../../src/cli/report/phrase";
import { denialPhrase } from "../../../src/cli/review/render/wording";
import { gated, reviewFixture, reviewForeign } from "./plans";

const denied = (review: Parameters<typeof gated>[0], ...rest: [Parameters<typeof gated>[1], Parameters<typeof gated>[2]?]) =>
  gated(review, ...rest).denials.map((denial) => [denial.code, "object" in denial ? denial.object : ""].join(" ").trim());

test.each([
  ["change", ["critical", "high", "medium"]],
  ["protected-change", ["critical", "high", "medium"]],
  ["retain", ["medium"]],
  ["create", []],
  ["targeted", ["critical", "high", "medium"]],
  ["others", ["medium"]],
] as const)("--fail-on denies %s from a risk on: %p", (name, failing) => {
  const review = reviewFixture(name);
  expect(FAIL_ON.filter((failOn) => !gated(review, failOn).passed)).toEqual(failing);
  expect(FAIL_ON).toContain("none");
});

describe("an allowance", () => {
  const review = reviewFixture("remove-all");
  const allow = (...allowances: object[]) => gated(review, "critical", { allow: allowances });
  const prod = { object: "capvs/clusters/prod", verdict: "DESTROY" };

  test("allows exactly its object and verdict", () => {
    const gate = allow(prod);
    expect(gate.denials.map((denial) => "object" in denial && denial.object)).toEqual([
      "capvs/clusters/stage",
      "capvs/providers/vsphere",
    ]);
    expect(gate.allowed).toEqual([{ stack: "remove-all", ...prod }]);
    expect(allow({ ...prod, verdict: "REPLACE" }).allowed).toEqual([]);
    expect(allow({ ...prod, stack: "other" }).allowed).toEqual([]);
    expect(allow({ ...prod, stack: "remove-all" }).allowed).toHaveLength(1);
  });

  test("may have a pattern with a stack and a day, and only there", () => {
    const all = { object: "capvs/clusters/*", verdict: "DESTROY", stack: "remove-all", expires: "2026-05-01" };
    const left = (entry: object) => allow(entry).denials.map((denial) => "object" in denial && denial.object);
    expect(left(all)).toEqual(["capvs/providers/vsphere"]);
    expect(left({ ...all, object: "*" })).toEqual([]);
    expect(left({ ...all, stack: "other" })).toHaveLength(3);
    expect(left({ ...all, expires: "2026-04-30" })).toHaveLength(3);
    for (const lacking of ["stack", "expires"]) {
      expect(() => allow({ ...all, [lacking]: undefined })).toThrow("'allow[0].object' must be one object as type/kind/name");
    }
  });

  test("is valid until the end of the day on which it expires, and the denial then says that it has expired", () => {
    expect(allow({ ...prod, expires: "2026-05-01" }).allowed).toHaveLength(1);
    const late = allow({ ...prod, expires: "2026-03-01" }, { ...prod, expires: "2026-04-30" });
    expect(late.allowed).toEqual([]);
    expect(late.denials[0]).toMatchObject({ object: "capvs/clusters/prod", allowedUntil: "2026-04-30" });
  });

  test("that expired last is reported, in any order, and only for its own object", () => {
    const expired = ["2026-04-30", "2026-03-01"].map((expires) => ({ ...prod, expires }));
    const { denials } = gated(review, "critical", { allow: expired, rules: [{ rule: "forbid-destroy", objects: ["prod"] }] });
    expect(denials).toEqual([
      { code: "RISK", stack: "remove-all", ...prod, risk: "critical", allowedUntil: "2026-04-30" },
      { code: "FORBID_DESTROY", stack: "remove-all", ...prod, pattern: "prod" },
      { code: "RISK", stack: "remove-all", object: "capvs/clusters/stage", verdict: "DESTROY", risk: "critical" },
      { code: "RISK", stack: "remove-all", object: "capvs/providers/vsphere", verdict: "DESTROY", risk: "critical" },
    ]);
  });

  test("is reported with its reason, and only if it was needed", () => {
    expect(allow({ ...prod, why: "INFRA-1" }).allowed).toEqual([{ stack: "remove-all", ...prod, why: "INFRA-1" }]);
    expect(gated(review, "none", { allow: [prod] })).toMatchObject({ failOn: "none", passed: true, denials: [], allowed: [] });
  });

  test("also overrides the rule against destruction, but no limit", () => {
    const rules = [
      { rule: "forbid-destroy", objects: ["prod"] },
      { rule: "max-clusters-deleted", count: 1 },
    ];
    const gate = gated(review, "none", { allow: [prod], rules });
    expect(gate.denials).toEqual([{ code: "MAX_CLUSTERS_DELETED", stack: "remove-all", count: 2, limit: 1 }]);
  });
});

describe("an entry without effect denies nothing, and is reported", () => {
  const object = "capvs/clusters/prod";
  const destroy = { object, verdict: "DESTROY" };
  const of = (policy: Parameters<typeof gated>[2], names = ["remove-all"]) => {
    const review = reviewFixture(...names);
    return { review, gate: gated(review, "none", policy), unpolicied: gated(review, "none") };
  };

  test.each<[what: string, policy: { allow?: object[]; rules?: object[]; foreign?: object[] }]>([
    ["expired", { allow: [{ ...destroy, expires: "2026-04-30" }] }],
    ["of a wrong stack", { allow: [{ ...destroy, stack: "remove-al" }] }],
    ["of a misspelt name", { allow: [{ ...destroy, object: `${object}d` }] }],
    ["of another verdict", { allow: [{ ...destroy, verdict: "REPLACE" }] }],
    ["not needed", { allow: [destroy] }],
    [
      "with a misspelt pattern",
      { rules: [{ rule: "require-deletion-protection", objects: ["prd*", "*/*/vs"], why: "INFRA-1" }] },
    ],
    ["of a digest", { foreign: [{ digest: "0".repeat(64) }] }],
    ["of a digest, and expired", { foreign: [{ digest: "0".repeat(64), expires: "2026-01-31" }] }],
  ])("%s", (_, policy) => {
    const { review, gate, unpolicied } = of(policy);
    const [entry] = [...(policy.allow ?? []), ...(policy.rules ?? []), ...(policy.foreign ?? [])];
    expect(gate.unused).toEqual([entry]);
    expect(gate.denials).toEqual(unpolicied.denials);
    expect(reviewText(review, gate, false)).toContain(`\nunused  ${JSON.stringify(entry)}\n`);
    const markdown = reviewMarkdown(review, gate, { id: "default", maxBytes: 60_000 });
    expect(markdown).toContain("<summary>Entries of the policy without effect here: 1</summary>");
    const json = JSON.parse(reviewJson(review, gate)) as { gate: { unused: object[] } };
    expect(json.gate.unused).toEqual([entry]);
  });

  test("and a rule is reported with the patterns that match nothing", () => {
    const rule = { rule: "forbid-destroy", objects: ["st*", "prd*"] };
    expect(of({ rules: [rule] }).gate.unused).toEqual([{ ...rule, objects: ["prd*"] }]);
  });

  test("and one that allows something, or whose rule may deny, is not", () => {
    const review = reviewFixture("remove-all");
    const pattern = { object: "*", verdict: "DESTROY", stack: "remove-all", expires: "2026-05-01" };
    const rules = [
      { rule: "forbid-destroy", objects: ["st*"] },
      { rule: "max-clusters-created", count: 9 },
    ];
    expect(gated(review, "critical", { allow: [destroy, pattern], rules }).unused).toEqual([]);
  });

  test("and its names are masked like all others", () => {
    const { review, gate } = of({ allow: [{ ...destroy, object: "pro*", stack: "remove-all", expires: "2026-04-30" }] });
    const { unused } = masked({ review, gate }, (text) => text.replaceAll("pro", "[hidden]")).gate;
    expect(unused).toMatchObject([{ object: "[hidden]*", verdict: "DESTROY" }]);
  });
});

test("2,000 denials are not 2,000 lines of text", () => {
  const review = reviewFixture("remove-all");
  const stage = review.findings.find(({ name }) => name === "stage")!;
  const findings = Array.from({ length: 2000 }, (_, index) => {
    return { ...stage, name: `dev-${index}`, object: `capvs/clusters/dev-${index}`, declared: true, protected: false };
  });
  const many = { ...review, findings };
  const names = findings.map(({ name }) => name);
  const common = gated(many, "none", { rules: [{ rule: "require-deletion-protection", objects: ["*"] }] });
  expect(common.denials).toHaveLength(2000);
  expect(reviewText(many, common, false)).toMatch(/^denied .*match \*: capvs\/clusters\/dev-0, .* and 1995 more$/m);
  const each = gated(many, "none", { rules: names.map((name) => ({ rule: "forbid-destroy", objects: [name] })) });
  const lines = reviewText(many, each, false).split("\n");
  expect(lines.filter((line) => line.startsWith("denied "))).toHaveLength(31);
  expect(lines).toContain("denied  and 1970 more");
});

describe("a rule", () => {
  const rule = (name: string, ...rules: object[]) => denied(reviewFixture(name), "none", { rules });

  test.each([
    ["st*", ["FORBID_DESTROY capvs/clusters/stage"]],
    ["capvs/clusters/*", ["FORBID_DESTROY capvs/clusters/prod", "FORBID_DESTROY capvs/clusters/stage"]],
    ["*/providers/*", ["FORBID_DESTROY capvs/providers/vsphere"]],
    ["!(stage)", ["FORBID_DESTROY capvs/clusters/prod", "FORBID_DESTROY capvs/providers/vsphere"]],
    ["stag", []],
  ])("forbids the destruction of objects that match %s", (pattern, expected) => {
    expect(rule("remove-all", { rule: "forbid-destroy", objects: [pattern] })).toEqual(expected);
  });

  test("forbids the replacement of objects that must not be destroyed, and nothing else", () => {
    expect(rule("change", { rule: "forbid-destroy", objects: ["*"] })).toEqual(["FORBID_DESTROY capvs/clusters/prod"]);
    expect(rule("create", { rule: "forbid-destroy", objects: ["*"] })).toEqual([]);
  });

  test.each([
    ["max-clusters-created", "create", 1, ["MAX_CLUSTERS_CREATED"]],
    ["max-clusters-created", "create", 2, []],
    ["max-clusters-created", "change", 0, ["MAX_CLUSTERS_CREATED"]],
    ["max-clusters-deleted", "remove-all", 1, ["MAX_CLUSTERS_DELETED"]],
    ["max-clusters-deleted", "remove-all", 2, []],
    ["max-clusters-deleted", "change", 0, ["MAX_CLUSTERS_DELETED"]],
  ])("%s holds for %s with a limit of %i", (kind, name, count, expected) => {
    expect(rule(name, { rule: kind, count })).toEqual(expected);
  });

  test.each([{ why: "INFRA-1" }, {}])("is reported with its reason, if it has one: %j", (why) => {
    const { denials } = gated(reviewFixture("change"), "none", {
      rules: [
        { rule: "forbid-destroy", objects: ["*"], ...why },
        { rule: "max-clusters-deleted", count: 0, ...why },
        { rule: "require-deletion-protection", objects: ["stage"], ...why },
      ],
    });
    const stack = "change";
    expect(denials).toStrictEqual([
      { code: "FORBID_DESTROY", stack, object: "capvs/clusters/prod", verdict: "REPLACE", pattern: "*", ...why },
      { code: "MAX_CLUSTERS_DELETED", stack, count: 1, limit: 0, ...why },
      { code: "DELETION_PROTECTION_REQUIRED", stack, object: "capvs/clusters/stage", pattern: "stage", known: true, ...why },
    ]);
  });

  test("counts the clusters of each plan separately", () => {
    const review = reviewFixture("remove", "change");
    expect(denied(review, "none", { rules: [{ rule: "max-clusters-deleted", count: 1 }] })).toEqual([]);
  });

  test("requires deletionProtection for all objects that stay, even without changes", () => {
    const required = { rule: "require-deletion-protection", objects: ["prod", "stage"] };
    const both = ["DELETION_PROTECTION_REQUIRED capvs/clusters/prod", "DELETION_PROTECTION_REQUIRED capvs/clusters/stage"];
    expect(rule("unchanged", required)).toEqual(both);
    expect(rule("remove", required)).toEqual(["DELETION_PROTECTION_REQUIRED capvs/clusters/prod"]);
    expect(rule("protected-change", required)).toEqual([]);
    expect(rule("allowed-removal", required)).toEqual([]);
  });
});

describe("a plan whose apply will fail", () => {
  const refused = (...names: string[]) => denied(reviewFixture(...names), "critical").filter((each) => !each.startsWith("RISK"));

  test.each([
    [["protected-change"], ["REFUSED capvs/clusters/prod"]],
    [["provider-in-use"], ["REFUSED capvs/providers/vsphere"]],
    [["protected-removal"], ["REFUSED capvs/clusters/stage"]],
    [["retain-unknown"], ["NOTE"]],
    [["provider-free", "unchanged"], ["NOTE"]],
    [["change"], []],
  ])("is denied whatever its risk, and passes on request: %j", (names, expected) => {
    expect(refused(...names)).toEqual(expected);
    expect(denied(reviewFixture(...names), "none")).toEqual([]);
  });

  test("is allowed by a policy, and denied only once if its risk is denied", () => {
    const review = reviewFixture("protected-change");
    const allow = [{ object: "capvs/clusters/prod", verdict: "REPLACE" }];
    expect(denied(review, "critical", { allow })).toEqual([]);
    expect(denied(review, "high")).toEqual(["RISK capvs/clusters/prod"]);
  });
});

const [CLUSTERS, GUARD] = ["null_resource.capvs_clusters", "terraform_data.cluster_platform_ready"];

test.each([
  ["foreign-hook", [CLUSTERS]],
  ["foreign-hook-and-frozen-guard", [CLUSTERS, GUARD]],
])("a plan that is worse than a refused one is denied by every gate that denies the refused one: %s", (name, foreign) => {
  const [refused, worse] = [reviewFixture("protected-removal"), reviewForeign(name, foreign)];
  expect(refused.findings[0]).toMatchObject({ name: "stage", verdict: "DESTROY", refused: true });
  expect(worse.findings[0]).toMatchObject({ name: "stage", verdict: "UNKNOWN", risk: "critical" });
  const rules = [{ rule: "forbid-destroy", objects: ["*"] }];
  for (const failOn of FAIL_ON) {
    for (const policy of [{}, { rules }]) {
      if (gated(refused, failOn, policy).passed) continue;
      expect(gated(worse, failOn, policy)).toMatchObject({ failOn, passed: false });
    }
  }
});

test("a protected object that something foreign may delete is denied like a refused one", () => {
  const { findings, ...review } = reviewForeign("foreign-hook-and-frozen-guard", [CLUSTERS, GUARD]);
  const [denial] = gated({ ...review, findings: findings.map((each) => ({ ...each, risk: "high" })) }).denials;
  expect(written(denialPhrase(denial!, false), String)).toBe(
    "capvs/clusters/stage UNKNOWN: it must not be deleted, and this review cannot tell whether something foreign deletes it",
  );
});

describe("the Markdown says how to allow a change", () => {
  const advice = (...names: string[]) => {
    const review = reviewFixture(...names);
    const gate = gated(review);
    expect(gate.passed).toBe(false);
    return /\*\*If meant:\*\* (.*) \*\*If not/.exec(reviewMarkdown(review, gate, { id: "default", maxBytes: 60_000 }))?.[1];
  };

  test.each([
    ["protected-change", 'write `allowDeletion: ["prod"]` on the Platform.'],
    ["change", 'merge `{"object":"capvs/clusters/prod","verdict":"REPLACE"}` into `allow` of the policy first.'],
    [
      "protected-and-replace",
      'merge `{"object":"capvs/clusters/prod","verdict":"REPLACE"}` into `allow` of the policy first, and write `allowDeletion: ["stage"]` on the Platform.',
    ],
  ])("of the policy and of the code: %s", (name, expected) => {
    expect(advice(name)).toBe(expected);
  });

  test("but not if the plan failed", () => {
    expect(advice("errored")).toBeUndefined();
  });
});

test("deletions of other resources are denied on request", () => {
  expect(gated(reviewFixture("others"), { failOnOtherDeletes: true }).denials).toEqual([
    { code: "OTHER_DELETES", stack: "others", count: 1 },
  ]);
  expect(denied(reviewFixture("others"), "none")).toEqual([]);
  expect(denied(reviewFixture("change"), { failOnOtherDeletes: true })).toEqual([]);
});

describe("a policy file", () => {
  const folder = mkdtempSync(join(tmpdir(), "cluster-platform-policy-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (content: unknown, name = "policy.json") => {
    const path = join(folder, name);
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    return path;
  };

  test("is combined with the other files", () => {
    const one = file({ version: 1, allow: [{ object: "capvs/clusters/a", verdict: "DESTROY", why: "INFRA-1" }] }, "one.json");
    const other = file({ version: 1, rules: [{ rule: "max-clusters-deleted", count: 1 }] }, "other.json");
    expect(readPolicy([one, other])).toMatchObject({
      allow: [{ object: "capvs/clusters/a", verdict: "DESTROY", why: "INFRA-1" }],
      rules: [{ rule: "max-clusters-deleted", count: 1 }],
    });
  });

  test.each([
    [{}, "'version' must be 1"],
    [{ version: 2 }, "'version' must be 1"],
    [[], "'the document' must be an object"],
    [{ version: 1, allowed: [] }, "'allowed' is not a field here"],
    [{ version: 1, allow: {} }, "'allow' must be a list"],
    [{ version: 1, allow: [{ object: "prod", verdict: "DESTROY" }] }, "'allow[0].object' must be one object as type/kind/name"],
    [{ version: 1, allow: [{ object: "capvs/clusters/*", verdict: "DESTROY" }] }, "'allow[0].object' must be one object"],
    [{ version: 1, allow: [{ object: "capxy/clusters/a", verdict: "DESTROY" }] }, "'allow[0].object' must be one object"],
    [{ version: 1, allow: [{ object: "capvs/clusters/a", verdict: "DELETE" }] }, "'allow[0].verdict' must be one of UNCHANGED"],
    [{ version: 1, allow: [{ verdict: "DESTROY" }] }, "'allow[0].object' must be one object"],
    [
      { version: 1, allow: [{ object: "capvs/clusters/a", verdict: "DESTROY", expires: "31.01.2026" }] },
      "'allow[0].expires' must be a date, for example 2026-01-31",
    ],
    [
      { version: 1, allow: [{ object: "capvs/clusters/a", verdict: "DESTROY", until: "2026-01-31" }] },
      "'allow[0].until' is not a field here",
    ],
    [{ version: 1, rules: [{ rule: "no-destroy" }] }, "'rules[0].rule' must be one of forbid-destroy"],
    [{ version: 1, rules: [{ rule: "forbid-destroy", objects: [] }] }, "'rules[0].objects' must be a list of at least one"],
    [{ version: 1, rules: [{ rule: "max-clusters-deleted", count: -1 }] }, "'rules[0].count' must be a whole number, 0 or more"],
    [
      { version: 1, rules: [{ rule: "max-clusters-deleted", count: 1, why: 5 }] },
      "'rules[0].why' must be text that is not empty",
    ],
    ["{ version: 1 }", "text that is not JSON"],
  ])("that is %j is refused: %s", (content, message) => {
    expect(() => readPolicy([file(content)])).toThrow(expect.objectContaining({ code: "INVALID_DOCUMENT" }));
    expect(() => readPolicy([file(content)])).toThrow(message);
  });

  test.each([
    "capvs/cluster/stage",
    "clusters/stage",
    "*/stage",
    "capxy/clusters/*",
    "{capxy,capxz}/clusters/*",
    "capvs/!(clusters|providers)/*",
    "capvs/clusters/a/b",
    "[",
    "(",
    ")",
    "{a",
    "a,b",
    "!(a",
    "!a",
    "{a}",
    "*a*b!(c)*",
    "stage ",
    "-stage",
    "",
  ])("with the pattern %j, which cannot match anything, is refused with a suggestion", (pattern) => {
    const path = file({ version: 1, rules: [{ rule: "forbid-destroy", objects: ["prod", pattern] }] });
    expect(() => readPolicy([path])).toThrow(
      `but 'rules[0].objects[1]' must be a name or type/kind/name, as in capvs/clusters/prod. Each part may contain '*', '?', '{a,b}' and '!(a|b)', with at most 3 of '*' and '!(', got ${JSON.stringify(pattern)}`,
    );
  });

  test.each([
    "prod",
    "prod-?",
    "*",
    "{prod,st{ag,}e}-*",
    "!(prod|st*)",
    "!(st{a,o}*)",
    "*/*/*",
    "{capvs,capov}/!(providers)/a.b_c",
  ])("may have the pattern %j", (pattern) => {
    const path = file({ version: 1, rules: [{ rule: "require-deletion-protection", objects: [pattern] }] });
    expect(readPolicy([path]).rules).toHaveLength(1);
  });

  test("in a wrong format is refused with an example", () => {
    expect(() => readPolicy([file("no")])).toThrow('must be a review policy as JSON, as in {"version":1,"allow":[{"object":');
    expect(() => readPolicy([file("no")])).not.toThrow("docs/");
  });

  test("is refused with all its errors at once", () => {
    const path = file({ version: 1, allow: [{ object: "x/y", verdict: "y" }] });
    expect(() => readPolicy([path])).toThrow(/allow\[0\]\.object.*allow\[0\]\.verdict/);
  });
});
