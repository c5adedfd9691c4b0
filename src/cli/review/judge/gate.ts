import { hasReason, isCreated, isDeleted, keyOf } from "./finding";
import { atLeast } from "../../report/finding";
import type { ObjectFinding } from "./finding";
import type { Risk } from "../../report/finding";
import type { Allowance, Policy, PolicyRule } from "./policy";
import { groupedBy } from "../../report/grouped-by";
import { isRefusal, isSparing, type Note } from "./note";
import { inTotal } from "./other-resources";
import { isWeakened, type SettingChange } from "./settings-changes";
import type { Review } from "./review";

/** The lowest risk at which a plan is denied. All but `none` also deny a plan whose apply will fail. */
export const FAIL_ON = ["critical", "high", "medium", "none"] as const;
export type FailOn = (typeof FAIL_ON)[number];

type Judged = Pick<ObjectFinding, "stack" | "object" | "verdict">;

interface Counted {
  readonly stack: string;
  readonly count: number;
}

/** Data only: `wording.ts` has the text of each denial. */
export type Denial = { readonly why?: string } & (
  | (Judged & { readonly code: "RISK"; readonly risk: Risk; readonly allowedUntil?: string })
  | { readonly code: "NOTE"; readonly note: Note }
  /** `SETTING` is denied by its risk, `WEAKENED_SETTING` by a rule of the policy. */
  | { readonly code: "SETTING" | "WEAKENED_SETTING"; readonly change: SettingChange }
  | (Judged & { readonly code: "REFUSED" })
  | (Counted & { readonly code: "OTHER_DELETES" })
  | (Judged & { readonly code: "FORBID_DESTROY"; readonly pattern: string })
  | (Counted & { readonly code: TooMany; readonly limit: number })
  /** `known` is false if the plan does not show the Platform's settings. */
  | (Omit<Judged, "verdict"> & {
      readonly code: "DELETION_PROTECTION_REQUIRED";
      readonly pattern: string;
      readonly known: boolean;
    })
);

/** What a gate denies in addition to the policy. */
export interface GateOptions {
  readonly failOn: FailOn;
  readonly failOnOtherDeletes: boolean;
}

export interface Gate extends GateOptions {
  readonly policies: readonly string[];
  readonly passed: boolean;
  readonly denials: readonly Denial[];
  /** Findings that the gate would deny without an allowance of the policy. */
  readonly allowed: readonly (Judged & { readonly why?: string })[];
  /** Entries of the policy that allow nothing here, and rules with the patterns that match nothing here. */
  readonly unused: readonly object[];
}

/** An allowance holds until the end of the day on which it expires, in UTC. */
export function holdingOn(now: Date): (allowance: { readonly expires?: string | undefined }) => boolean {
  const today = now.toISOString().slice(0, 10);
  return ({ expires }) => expires === undefined || expires >= today;
}

export function gate(review: Review, options: GateOptions, policy: Policy, now: Date): Gate {
  const { failOn, failOnOtherDeletes } = options;
  const denials: Denial[] = [];
  const allowed: Gate["allowed"][number][] = [];
  const used = new Set<Allowance>();
  const holds = holdingOn(now);

  for (const finding of review.findings) {
    const denied = deniedFor(finding, options, policy.rules);
    if (denied.length === 0) continue;
    const entries = policy.allow.filter((allowance) => isAbout(allowance, finding));
    const valid = entries.filter(holds);
    if (valid.length > 0) {
      for (const entry of valid) used.add(entry);
      const [{ why } = {}] = valid;
      allowed.push({ ...named(finding), ...(why && { why }) });
      continue;
    }
    const expired = entries
      .map(({ expires }) => expires!)
      .sort()
      .at(-1);
    denials.push(...denied.map((denial) => (denial.code === "RISK" && expired ? { ...denial, allowedUntil: expired } : denial)));
  }
  const isDenied = (note: Note) =>
    note.because === "plan failed" ||
    isRisky(note, options) ||
    (failOn !== "none" && isRefusal(note)) ||
    isBeyondRules(note, policy.rules);
  const judged = new Set(review.findings.filter((finding) => finding.refused && hasReason(finding, "protected")).map(keyOf));
  const notes = review.notes.filter((note) => isDenied(note) && !isJudgedByObject(note, judged));
  const others = failOnOtherDeletes ? [...groupedBy(review.others, ({ stack }) => stack)] : [];
  const otherDeletes = others.map(([stack, groups]) => ({ stack, count: inTotal(groups).delete }));
  denials.push(
    ...notes.map((note) => ({ code: "NOTE" as const, note })),
    ...review.settings.filter((change) => isRisky(change, options)).map((change) => ({ code: "SETTING" as const, change })),
    ...otherDeletes.filter(({ count }) => count > 0).map((each) => ({ code: "OTHER_DELETES" as const, ...each })),
    ...policy.rules.flatMap((rule) => ofWholePlans(review, rule)),
  );
  const unused = unusedEntries(policy, review, used);
  return { ...options, policies: policy.digests ?? [], passed: denials.length === 0, denials, allowed, unused };
}

function isRisky({ risk }: { readonly risk: Risk }, { failOn }: Pick<GateOptions, "failOn">): boolean {
  return failOn !== "none" && atLeast(risk, failOn);
}

/** Whether hooks may delete objects that the review does not count, although a rule is about all deletions. */
function isBeyondRules(note: Note, rules: readonly PolicyRule[]): boolean {
  return note.because === "hooks not verified" && note.run && rules.some(({ rule }) => OF_DELETIONS.has(rule));
}

const OF_DELETIONS: ReadonlySet<PolicyRule["rule"]> = new Set(["forbid-destroy", "max-clusters-deleted"]);

/** Whether each object that the note names is denied or allowed by itself, so that a refusal is one denial. */
function isJudgedByObject(note: Note, judged: ReadonlySet<string>): boolean {
  return isSparing(note) && note.names.every((object) => judged.has(keyOf({ stack: note.stack, object })));
}

/** The denials that an allowance for the object can lift. */
function deniedFor(finding: ObjectFinding, options: GateOptions, rules: readonly PolicyRule[]): Denial[] {
  const forbidden = rules.flatMap((rule): Denial[] => {
    if (rule.rule !== "forbid-destroy" || !mayDestroy(finding)) return [];
    const pattern = matching(rule.objects, finding);
    return pattern === undefined ? [] : [{ code: "FORBID_DESTROY", ...named(finding), pattern, ...because(rule) }];
  });
  if (isRisky(finding, options)) return [{ code: "RISK", ...named(finding), risk: finding.risk }, ...forbidden];
  return options.failOn !== "none" && mustBeRefused(finding) ? [{ code: "REFUSED", ...named(finding) }, ...forbidden] : forbidden;
}

/** Also if something foreign runs, so that the refusal is not certain. */
export function mustBeRefused(finding: ObjectFinding): boolean {
  return finding.refused || (finding.verdict === "UNKNOWN" && hasReason(finding, "protected", "in use"));
}

/** For something foreign, and an unknown Platform or value, the worst is assumed. */
function mayDestroy(finding: ObjectFinding): boolean {
  if (isDeleted(finding)) return true;
  return finding.verdict === "UNKNOWN" && hasReason(finding, "FOREIGN", "platform", "expressions") && !hasReason(finding, "NEW");
}

/** Rules about a whole plan, or about objects that the plan does not change. */
function ofWholePlans(review: Review, rule: PolicyRule): Denial[] {
  const tooMany = (code: TooMany, limit: number, counts: (finding: ObjectFinding) => boolean): Denial[] => {
    const clusters = review.findings.filter((finding) => finding.kind === "cluster" && counts(finding));
    return review.stacks
      .map(({ name }) => ({ stack: name, count: clusters.filter(({ stack }) => stack === name).length }))
      .flatMap((each) => (each.count > limit ? [{ code, ...each, limit, ...because(rule) }] : []));
  };
  switch (rule.rule) {
    case "forbid-destroy":
      return [];
    case "forbid-weakened-settings":
      return review.settings.filter(isWeakened).map((change) => ({ code: "WEAKENED_SETTING", change, ...because(rule) }));
    case "max-clusters-created":
      return tooMany("MAX_CLUSTERS_CREATED", rule.count, isCreated);
    case "max-clusters-deleted":
      return tooMany("MAX_CLUSTERS_DELETED", rule.count, mayDestroy);
    case "require-deletion-protection":
      return review.findings.flatMap((finding): Denial[] => {
        const pattern = finding.declared && finding.protected !== true ? matching(rule.objects, finding) : undefined;
        if (pattern === undefined) return [];
        const { stack, object } = finding;
        const known = finding.protected !== null;
        return [{ code: "DELETION_PROTECTION_REQUIRED", stack, object, pattern, known, ...because(rule) }];
      });
  }
}

type TooMany = "MAX_CLUSTERS_CREATED" | "MAX_CLUSTERS_DELETED";

function named({ stack, object, verdict }: ObjectFinding): Judged {
  return { stack, object, verdict };
}

function because({ why }: PolicyRule) {
  return why === undefined ? {} : { why };
}

/** The text of the first pattern that matches. */
function matching(patterns: Extract<PolicyRule, { objects: unknown }>["objects"], finding: ObjectFinding): string | undefined {
  return patterns.find(({ matches }) => matches(finding))?.text;
}

function isAbout({ covers, verdict, stack }: Allowance, finding: ObjectFinding): boolean {
  return covers(finding) && verdict === finding.verdict && (stack === undefined || stack === finding.stack);
}

function unusedEntries({ allow, rules, foreign }: Policy, review: Review, used: ReadonlySet<Allowance>): object[] {
  const digests = new Set(review.notes.flatMap((note) => (note.because === "allowed" ? [note.digest] : [])));
  const unmatched = rules.flatMap((rule) => {
    const patterns = "objects" in rule ? rule.objects.filter(({ matches }) => !review.findings.some(matches)) : [];
    return patterns.length > 0 ? [{ ...rule, objects: patterns.map(({ text }) => text) }] : [];
  });
  return [
    ...allow.filter((entry) => !used.has(entry)).map(({ covers: _, ...written }) => written),
    ...unmatched,
    ...foreign.filter(({ digest }) => !digests.has(digest)),
  ];
}
