import type { ObjectFinding, Verdict } from "./finding";
import type { Policy } from "./policy";
import type { Review } from "./review";

type Allowance = Policy["allow"][number];
type Entry = Policy[keyof Pick<Policy, "allow" | "rules" | "foreign">][number];

/** An entry of the policy that has no effect on a review, and why. It denies nothing. */
export type Unused = { readonly entry: object } & (
  | { readonly code: "EXPIRED"; readonly expires: string }
  | { readonly code: "OTHER_STACK"; readonly stack: string }
  | { readonly code: "OTHER_VERDICT"; readonly verdicts: readonly Verdict[] }
  | { readonly code: "NO_OBJECT"; readonly objects: readonly string[] }
  | { readonly code: "NOT_DENIED" | "NO_FOREIGN_PART" }
);
type Why = Unused extends infer U ? (U extends unknown ? Omit<U, "entry"> : never) : never;

/**
 * @param used entries that allow what the gate would deny
 * @param holds whether an entry has not expired
 */
export function unusedEntries(
  { allow, rules, foreign }: Policy,
  review: Review,
  used: ReadonlySet<Allowance>,
  holds: (entry: Pick<Allowance, "expires">) => boolean,
): Unused[] {
  const digests = new Set(review.notes.flatMap((note) => (note.because === "allowed" ? [note.digest] : [])));
  const expiry = (entry: Pick<Allowance, "expires">): Why | undefined =>
    holds(entry) ? undefined : { code: "EXPIRED", expires: entry.expires! };
  const reported = (entry: Entry, why: Why | undefined) => (why ? [{ entry: asWritten(entry), ...why } as Unused] : []);
  return [
    ...allow.flatMap((entry) => reported(entry, used.has(entry) ? undefined : (expiry(entry) ?? whyNothing(entry, review)))),
    ...rules.flatMap((rule) => reported(rule, "objects" in rule ? matchingNothing(rule.objects, review.findings) : undefined)),
    ...foreign.flatMap((entry) =>
      reported(entry, expiry(entry) ?? (digests.has(entry.digest) ? undefined : { code: "NO_FOREIGN_PART" })),
    ),
  ];
}

function whyNothing({ object, covers, verdict, stack }: Allowance, { stacks, findings }: Review): Why {
  if (stack !== undefined && !stacks.some(({ name }) => name === stack)) return { code: "OTHER_STACK", stack };
  const covered = findings.filter((finding) => covers(finding) && (stack === undefined || finding.stack === stack));
  if (covered.length === 0) return { code: "NO_OBJECT", objects: [object] };
  const verdicts = [...new Set(covered.map((finding) => finding.verdict))];
  return verdicts.includes(verdict) ? { code: "NOT_DENIED" } : { code: "OTHER_VERDICT", verdicts };
}

function matchingNothing(
  patterns: readonly { readonly text: string; readonly matches: (finding: ObjectFinding) => boolean }[],
  findings: readonly ObjectFinding[],
): Why | undefined {
  const objects = patterns.filter(({ matches }) => !findings.some(matches)).map(({ text }) => text);
  return objects.length > 0 ? { code: "NO_OBJECT", objects } : undefined;
}

function asWritten(entry: Entry): object {
  if ("covers" in entry) {
    const { covers: _, ...written } = entry;
    return written;
  }
  return "objects" in entry ? { ...entry, objects: entry.objects.map(({ text }) => text) } : entry;
}
