import { atLeast, type ObjectFinding, type Risk, type Verdict } from "./finding";
import type { Allowance, Policy, PolicyRule } from "./policy";
import type { Note } from "./note";
import type { Review } from "./review";

/** From which risk on a plan is denied. */
export const FAIL_ON = ["critical", "high", "medium", "none"] as const;
export type FailOn = (typeof FAIL_ON)[number];

/** Why a plan does not pass. Data; `wording.ts` puts it into words. */
export type Denial = { readonly why?: string } & (
  | {
      readonly code: "RISK";
      readonly stack: string;
      readonly object: string;
      readonly verdict: Verdict;
      readonly risk: Risk;
      /** When what allowed it ended. */
      readonly allowedUntil?: string;
    }
  | { readonly code: "NOTE"; readonly note: Note }
  | {
      readonly code: "FORBID_DESTROY";
      readonly stack: string;
      readonly object: string;
      readonly verdict: Verdict;
      readonly pattern: string;
    }
  | {
      readonly code: "MAX_CLUSTERS_CREATED" | "MAX_CLUSTERS_DELETED";
      readonly stack: string;
      readonly count: number;
      readonly limit: number;
    }
  | {
      readonly code: "DELETION_PROTECTION_REQUIRED";
      readonly stack: string;
      readonly object: string;
      readonly pattern: string;
      /** False where the plan does not show the Platform's settings. */
      readonly known: boolean;
    }
);

export interface Gate {
  readonly failOn: FailOn;
  readonly passed: boolean;
  readonly denials: readonly Denial[];
  /** What would have been denied, had not the policy allowed it. */
  readonly allowed: readonly {
    readonly stack: string;
    readonly object: string;
    readonly verdict: Verdict;
    readonly why?: string;
  }[];
}

/**
 * Holds a review against the policy of a team.
 *
 * @param now an allowance holds until the end of the day on which it expires, in UTC
 */
export function gate(review: Review, failOn: FailOn, policy: Policy, now: Date): Gate {
  const today = now.toISOString().slice(0, 10);
  const denials: Denial[] = [];
  const allowed: Gate["allowed"][number][] = [];

  for (const finding of review.findings) {
    const denied = deniedFor(finding, failOn, policy.rules);
    if (denied.length === 0) continue;
    const matching = policy.allow.filter((allowance) => isAbout(allowance, finding));
    const valid = matching.find(({ expires }) => expires === undefined || expires >= today);
    if (valid) {
      allowed.push({ ...named(finding), ...(valid.why && { why: valid.why }) });
      continue;
    }
    const expired = matching
      .map(({ expires }) => expires!)
      .sort()
      .at(-1);
    denials.push(...denied.map((denial) => (denial.code === "RISK" && expired ? { ...denial, allowedUntil: expired } : denial)));
  }
  const notes = failOn === "none" ? [] : review.notes.filter(({ risk }) => atLeast(risk, failOn));
  denials.push(
    ...notes.map((note) => ({ code: "NOTE" as const, note })),
    ...policy.rules.flatMap((rule) => ofWholePlans(review, rule)),
  );
  return { failOn, passed: denials.length === 0, denials, allowed };
}

/** What an allowance for the object can lift. */
function deniedFor(finding: ObjectFinding, failOn: FailOn, rules: readonly PolicyRule[]): Denial[] {
  const risky = failOn !== "none" && atLeast(finding.risk, failOn);
  const forbidden = rules.flatMap((rule): Denial[] => {
    if (rule.rule !== "forbid-destroy" || !DESTROYS.has(finding.verdict)) return [];
    const pattern = rule.objects(finding);
    return pattern === undefined ? [] : [{ code: "FORBID_DESTROY", ...named(finding), pattern, ...because(rule) }];
  });
  return [...(risky ? [{ code: "RISK" as const, ...named(finding), risk: finding.risk }] : []), ...forbidden];
}

const DESTROYS: ReadonlySet<Verdict> = new Set(["DESTROY", "RE-CREATE"]);
const CREATES: ReadonlySet<Verdict> = new Set(["CREATE", "RE-CREATE", "DUPLICATE"]);

/** What is about a plan as a whole, or about what it leaves as it is. */
function ofWholePlans(review: Review, rule: PolicyRule): Denial[] {
  const clusters = (stack: string, verdicts: ReadonlySet<Verdict>) =>
    review.findings.filter((finding) => finding.stack === stack && finding.kind === "cluster" && verdicts.has(finding.verdict))
      .length;
  switch (rule.rule) {
    case "forbid-destroy":
      return [];
    case "max-clusters-created":
    case "max-clusters-deleted": {
      const [code, verdicts] =
        rule.rule === "max-clusters-created"
          ? (["MAX_CLUSTERS_CREATED", CREATES] as const)
          : (["MAX_CLUSTERS_DELETED", DESTROYS] as const);
      return review.stacks
        .map(({ name }) => ({ code, stack: name, count: clusters(name, verdicts), limit: rule.count, ...because(rule) }))
        .filter(({ count, limit }) => count > limit);
    }
    case "require-deletion-protection":
      return review.findings.flatMap((finding): Denial[] => {
        const pattern = finding.declared && finding.protected !== true ? rule.objects(finding) : undefined;
        if (pattern === undefined) return [];
        const { stack, object } = finding;
        const known = finding.protected !== null;
        return [{ code: "DELETION_PROTECTION_REQUIRED", stack, object, pattern, known, ...because(rule) }];
      });
  }
}

function named({ stack, object, verdict }: ObjectFinding) {
  return { stack, object, verdict };
}

function because({ why }: PolicyRule) {
  return why === undefined ? {} : { why };
}

function isAbout({ object, verdict, stack }: Allowance, finding: ObjectFinding): boolean {
  return object === finding.object && verdict === finding.verdict && (stack === undefined || stack === finding.stack);
}
