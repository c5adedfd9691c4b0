import { isSupportResource } from "../../report/instance";
import { registrationsFirst, staysDeleted } from "./apply-order";
import { inSeveralStacks, usedElsewhere } from "./between-stacks";
import { isAffected, isCreated, isDeleted, VERDICTS, type ObjectFinding, type Verdict } from "./finding";
import { byText, riskiestFirst } from "../../report/finding";
import { foreignNotes, foreignParts } from "./foreign";
import { newVersions, renames } from "./hints";
import { leftovers } from "./leftovers";
import { isSparing, type Note, noted, type NoteOfStack } from "./note";
import { settingsChanges, type SettingChange } from "./settings-changes";
import { PlannedObjects } from "./objects";
import { otherResources, type OtherResources } from "./other-resources";
import { withoutEntry, type PlannedStack } from "../plan/plan";

interface StackSummary {
  readonly name: string;
  /** SHA-256 of the plan as JSON, in hexadecimal. Null if unknown. */
  readonly digest: string | null;
  readonly terraformVersion: string | null;
  /** Whether the plan failed. */
  readonly errored: boolean;
  /** False if the plan failed, or covers only a part of the stack. */
  readonly complete: boolean;
  /** Number of refused objects, and of the others by verdict, the worst first. Zeros are left out. */
  readonly counts: Readonly<Partial<Record<"refused" | Verdict, number>>>;
  /** Number of output values that change. */
  readonly outputs: number;
  /** Number of the Platforms' own resources that change. */
  readonly supportResources: number;
}

export interface Review {
  readonly stacks: readonly StackSummary[];
  /** The worst first. */
  readonly findings: readonly ObjectFinding[];
  /** Changed settings that no finding shows, the worst first. */
  readonly settings: readonly SettingChange[];
  readonly others: readonly OtherResources[];
  readonly notes: readonly Note[];
}

export function hasChanges({ stacks, findings, settings, others }: Review): boolean {
  return (
    settings.some(({ before }) => before !== null) ||
    findings.some(isAffected) ||
    others.some((group) => group.create + group.update + group.delete + group.other > 0) ||
    stacks.some(({ outputs, supportResources }) => outputs + supportResources > 0)
  );
}

export function reviewPlans(stacks: readonly PlannedStack[]): Review {
  const reviewed = stacks.map(reviewPlan);
  const findings = reviewed.flatMap((stack) => stack.findings).sort(worstFirst);
  const elsewhere = usedElsewhere(reviewed);
  return {
    stacks: reviewed.map(({ summary }) => summary),
    findings,
    settings: reviewed.flatMap(({ settings }) => settings).sort(riskiestFirst),
    others: reviewed.flatMap(({ others }) => others),
    notes: [
      ...reviewed.flatMap((stack) => [...stack.notes, ...stack.orderNotes(elsewhere)]),
      ...elsewhere,
      ...(stacks.length > 1 ? inSeveralStacks(reviewed.flatMap((stack) => stack.findings)) : []),
      ...packageVersion(stacks),
    ].sort(riskiestFirst),
  };
}

/** All stacks of a program have one. */
function packageVersion(stacks: readonly PlannedStack[]): Note[] {
  const found = stacks.find(({ packageVersion: version }) => version && version.own !== version.ofStack)?.packageVersion;
  if (!found) return [];
  const { own, ofStack, isOlder } = found;
  return [noted({ because: "package version", risk: isOlder ? "high" : "low", own, ofStack })];
}

function reviewPlan(stack: PlannedStack) {
  const { name, plan } = stack;
  const objects = new PlannedObjects(stack);
  const { platforms, others } = objects;
  const findings = objects.findings();
  const numberOf = (test: (finding: ObjectFinding) => boolean) => findings.filter(test).length;
  const counts = [
    ["refused" as const, numberOf(({ refused }) => refused)] as const,
    ...VERDICTS.toReversed().map((each) => [each, numberOf(({ verdict, refused }) => verdict === each && !refused)] as const),
  ].filter(([, count]) => count > 0);

  const settingsUnknown = findings.some((finding) => finding.protected === null && isDeleted(finding));
  const drifted = objects.drifted(findings);
  const foreign = foreignParts(stack);
  const candidates: (NoteOfStack | false)[] = [
    stack.programs !== undefined && { because: "programs only", risk: "none", stackIn: stack.programs.stackIn },
    plan.errored && { because: "plan failed", risk: "high", missing: withoutEntry(plan) },
    !plan.complete && !plan.errored && { because: "part of the stack", risk: "high" },
    settingsUnknown && { because: "settings unknown", risk: "medium" },
    plan.failedChecks > 0 && { because: "checks failed", risk: "medium", count: plan.failedChecks },
    ...foreignNotes(stack, others, foreign),
    plan.unknownParts.length > 0 && { because: "unknown parts", risk: "low", parts: plan.unknownParts },
    drifted.length > 0 && { because: "drift", risk: "low", objects: drifted },
    ...secrets(stack, findings),
    ...objects.unmetNeeds(findings),
    ...renames(findings),
    ...newVersions(findings),
    ...leftovers(stack, findings),
  ];
  const named = (note: NoteOfStack): Note => noted({ stack: name, ...note });
  return {
    summary: {
      name,
      get digest() {
        return stack.digest?.() ?? null;
      },
      terraformVersion: plan.terraformVersion ?? null,
      errored: plan.errored,
      complete: plan.complete,
      counts: Object.fromEntries(counts),
      outputs: plan.outputChanges,
      supportResources: plan.changes.filter(
        (each) => each.change.actions.join() !== "no-op" && isSupportResource(each, platforms),
      ).length,
    },
    name,
    findings,
    settings: settingsChanges(stack, findings),
    clustersOn: () => objects.clustersOn(findings),
    others: otherResources(name, others, (block) => foreign.some(({ addresses }) => addresses.includes(block))),
    notes: candidates.filter((note) => note !== false).map(named),
    orderNotes: (elsewhere: ReturnType<typeof usedElsewhere>) => orderNotes(stack, objects, findings, elsewhere).map(named),
  };
}

/**
 * Notes about refusals of deletion guards, and about the order of the apply. For the order, a Platform whose guard certainly
 * refuses is left out, because the apply stops before it reaches the Platform's objects.
 */
function orderNotes(
  { name: stack }: PlannedStack,
  objects: PlannedObjects,
  findings: readonly ObjectFinding[],
  elsewhere: ReturnType<typeof usedElsewhere>,
): NoteOfStack[] {
  const refusals = objects.refusals();
  const refused = new Set(refusals.filter(isSparing).map(({ platform }) => platform));
  const ordered = {
    findings: findings.filter(({ platform }) => !refused.has(platform)),
    resized: objects.resized,
    usedElsewhere: new Set(elsewhere.filter((note) => note.stack === stack).map(({ object }) => object)),
  };
  return [...refusals, ...staysDeleted(ordered), ...registrationsFirst(ordered)];
}

/** The secrets that the apply needs. The reviewer can provide them beforehand. */
function secrets({ synthesized, look }: PlannedStack, findings: readonly ObjectFinding[]): NoteOfStack[] {
  const needing = findings.filter((finding) => isCreated(finding) || finding.verdict === "ADOPT");
  const required = synthesized?.secretsOf(needing) ?? [];
  if (required.length === 0) return [];
  const named = (kind: string) => [...new Set(required.filter((secret) => secret.kind === kind).map((secret) => secret.name))];
  const found = { because: "secrets", variables: named("env"), files: named("file") } as const;
  const missing = look ? [...new Set(required.flatMap((secret) => look.problemOf(secret) ?? []))] : [];
  return [missing.length > 0 ? { ...found, risk: "medium", missing } : { ...found, risk: "none" }];
}

function worstFirst(one: ObjectFinding, other: ObjectFinding): number {
  return (
    riskiestFirst(one, other) ||
    VERDICTS.indexOf(other.verdict) - VERDICTS.indexOf(one.verdict) ||
    byText(one.stack, other.stack) ||
    byText(one.object, other.object)
  );
}
