import { isHousekeeping } from "../report/instance";
import { RISKS, VERDICTS, type Finding, type Risk, type Verdict } from "./finding";
import { PlannedObjects } from "./objects";
import { otherResources, type OtherResources } from "./other-resources";
import type { Plan } from "./plan";
import type { SynthesizedStack } from "./synthesized-stack";

/** A plan with what belongs to it. */
export interface PlannedStack {
  readonly name: string;
  readonly plan: Plan;
  /** What was planned, as cdktf synthesized it; undefined where it was not given. */
  readonly synthesized?: SynthesizedStack;
}

/** Something about a plan that is not about one object alone. Data; `wording.ts` puts it into words. */
export type Note = { readonly risk: Risk } & (
  | { readonly code: "INCOMPLETE" | "SETTINGS_UNKNOWN" | "REMOVED_BLOCKS_UNSEEN"; readonly stack: string }
  | { readonly code: "FAILED_CHECKS" | "OUTPUTS"; readonly stack: string; readonly count: number }
  | { readonly code: "HOUSEKEEPING"; readonly count: number }
  | { readonly code: "SECRETS"; readonly stack: string; readonly variables: readonly string[]; readonly files: readonly string[] }
  | {
      readonly code: "REGISTRATION_FIRST";
      readonly stack: string;
      readonly type: string;
      readonly providers: readonly string[];
      readonly clusters: readonly string[];
    }
  | { readonly code: "HANDED_OVER"; readonly object: string; readonly from: string; readonly to: string }
  | { readonly code: "DECLARED_TWICE"; readonly object: string; readonly stacks: readonly string[] }
);

export interface StackSummary {
  readonly name: string;
  readonly terraformVersion: string | null;
  /** False where the plan covers a part of the stack only. */
  readonly complete: boolean;
  /** How many objects have which verdict, the worst first; verdicts that no object has are left out. */
  readonly counts: Readonly<Partial<Record<Verdict, number>>>;
}

/** What one or several plans do, in terms of providers and clusters. */
export interface Review {
  readonly stacks: readonly StackSummary[];
  /** The worst first. */
  readonly findings: readonly Finding[];
  readonly others: readonly OtherResources[];
  readonly notes: readonly Note[];
}

/** Whether applying the plans would do anything at all. */
export function hasChanges({ findings, others, notes }: Review): boolean {
  return (
    findings.some(({ verdict }) => verdict !== "UNCHANGED") ||
    others.some((group) => group.create + group.update + group.delete + group.other > 0) ||
    notes.some(({ code }) => code === "OUTPUTS" || code === "HOUSEKEEPING")
  );
}

export function reviewPlans(stacks: readonly PlannedStack[]): Review {
  const reviewed = stacks.map(reviewPlan);
  const findings = reviewed.flatMap((stack) => stack.findings).sort(worstFirst);
  const count = reviewed.reduce((sum, { housekeeping }) => sum + housekeeping, 0);
  const housekeeping: Note[] = count > 0 ? [{ code: "HOUSEKEEPING", risk: "none", count }] : [];
  return {
    stacks: reviewed.map(({ summary }) => summary),
    findings,
    others: reviewed.flatMap(({ others }) => others),
    notes: [
      ...reviewed.flatMap(({ notes }) => notes),
      ...(stacks.length > 1 ? betweenStacks(findings) : []),
      ...housekeeping,
    ].sort((one, other) => RISKS.indexOf(other.risk) - RISKS.indexOf(one.risk)),
  };
}

function reviewPlan(stack: PlannedStack) {
  const { name, plan, synthesized } = stack;
  const objects = new PlannedObjects(stack);
  const { platforms } = objects;
  const housekeeping = new Set(objects.otherChanges.filter((change) => isHousekeeping(change, platforms)));
  const findings = objects.findings();
  const totals = new Map<Verdict, number>();
  for (const { verdict } of findings) totals.set(verdict, (totals.get(verdict) ?? 0) + 1);
  const counts = VERDICTS.toReversed()
    .filter((verdict) => totals.has(verdict))
    .map((verdict) => [verdict, totals.get(verdict)!]);

  const orphanedBlocks = findings.some(({ reasons }) => reasons.at(-1)?.code === "BLOCK_REMOVED");
  const settingsUnknown = findings.some((finding) => finding.protected === null && LOSSES.has(finding.verdict));
  const candidates: (Note | false)[] = [
    !plan.complete && { code: "INCOMPLETE", risk: "high", stack: name },
    settingsUnknown && { code: "SETTINGS_UNKNOWN", risk: "medium", stack: name },
    plan.failedChecks > 0 && { code: "FAILED_CHECKS", risk: "medium", stack: name, count: plan.failedChecks },
    orphanedBlocks && synthesized === undefined && { code: "REMOVED_BLOCKS_UNSEEN", risk: "none", stack: name },
    plan.outputChanges > 0 && { code: "OUTPUTS", risk: "low", stack: name, count: plan.outputChanges },
  ];
  return {
    summary: {
      name,
      terraformVersion: plan.terraformVersion ?? null,
      complete: plan.complete,
      counts: Object.fromEntries(counts),
    },
    findings,
    housekeeping: [...housekeeping].filter(({ change }) => change.actions.join() !== "no-op").length,
    others: otherResources(
      name,
      objects.otherChanges.filter((change) => !housekeeping.has(change)),
    ),
    notes: [...candidates.filter((note) => note !== false), ...registrationsFirst(name, findings), ...secrets(stack, findings)],
  };
}

const LOSSES: ReadonlySet<Verdict> = new Set(["DESTROY", "RE-CREATE"]);

/**
 * Terraform's order is by block: every cluster of a type is deleted before any provider of the type is registered. A
 * registration that fails leaves the clusters that were to be replaced deleted.
 */
function registrationsFirst(stack: string, findings: readonly Finding[]): Note[] {
  const blocks = new Map<string, { type: string; providers: string[]; clusters: string[] }>();
  for (const { type, platform, kind, verdict, name } of findings) {
    const risky = kind === "cluster" ? verdict === "RE-CREATE" : REGISTERS.has(verdict);
    if (!risky) continue;
    const key = `${platform} ${type}`;
    if (!blocks.has(key)) blocks.set(key, { type, providers: [], clusters: [] });
    blocks.get(key)![`${kind}s`].push(name);
  }
  return [...blocks.values()]
    .filter(({ providers, clusters }) => providers.length > 0 && clusters.length > 0)
    .map((block) => ({ code: "REGISTRATION_FIRST", risk: "high", stack, ...block }));
}

const REGISTERS: ReadonlySet<Verdict> = new Set(["CREATE", "RE-CREATE", "DUPLICATE"]);

/** What the machine that applies must have, so that whoever reviews can see to it before. */
function secrets({ name, synthesized }: PlannedStack, findings: readonly Finding[]): Note[] {
  const required = synthesized?.secretsOf(findings.filter(({ verdict }) => NEEDS_SECRETS.has(verdict))) ?? [];
  if (required.length === 0) return [];
  const named = (kind: string) => [...new Set(required.filter((secret) => secret.kind === kind).map((secret) => secret.name))];
  return [{ code: "SECRETS", risk: "none", stack: name, variables: named("env"), files: named("file") }];
}

const NEEDS_SECRETS: ReadonlySet<Verdict> = new Set(["CREATE", "RE-CREATE", "DUPLICATE", "ADOPT"]);

/** What is to be seen only of several plans at once. */
function betweenStacks(findings: readonly Finding[]): Note[] {
  const byObject = new Map<string, Finding[]>();
  for (const finding of findings) {
    const group = byObject.get(finding.object);
    if (group) group.push(finding);
    else byObject.set(finding.object, [finding]);
  }
  return [...byObject.values()].flatMap((group): Note[] => {
    const stacks = [...new Set(group.map(({ stack }) => stack))];
    if (stacks.length < 2) return [];
    const { object } = group[0]!;
    const from = group.find(({ verdict }) => verdict === "RETAIN");
    const to = group.find(({ verdict }) => verdict === "ADOPT");
    if (from && to && group.length === 2) return [{ code: "HANDED_OVER", risk: "low", object, from: from.stack, to: to.stack }];
    const declaring = group.filter(({ declared }) => declared).map(({ stack }) => stack);
    const isNew = group.some(({ verdict }) => verdict === "CREATE" || verdict === "ADOPT");
    return isNew && declaring.length > 1 ? [{ code: "DECLARED_TWICE", risk: "low", object, stacks: declaring }] : [];
  });
}

const RANK = Object.fromEntries([...RISKS.entries(), ...VERDICTS.entries()].map(([rank, name]) => [name, rank])) as Readonly<
  Record<Risk | Verdict, number>
>;

function worstFirst(one: Finding, other: Finding): number {
  return (
    RANK[other.risk] - RANK[one.risk] ||
    RANK[other.verdict] - RANK[one.verdict] ||
    byText(one.stack, other.stack) ||
    byText(one.object, other.object)
  );
}

function byText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
