import type { ForeignPart } from "../../../recognition/foreign-part";
import { groupedBy } from "../../report/grouped-by";
import { isSupportResource } from "../../report/instance";
import { registrationsFirst, staysDeleted } from "./apply-order";
import { inSeveralStacks, usedElsewhere } from "./between-stacks";
import { CREATED, DELETED, RISKS, VERDICTS, type ObjectFinding, type Risk, type Verdict } from "./finding";
import { newVersions, renames, services } from "./hints";
import { leftovers } from "./leftovers";
import type { Note } from "./note";
import { providerSettingsChanges } from "./provider-settings-changes";
import { hidesNewSettings, lostProtections, settingsChanges, type SettingChange } from "./settings-changes";
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
  /** Number of objects, the worst verdict first. Verdicts without objects are left out. */
  readonly counts: Readonly<Partial<Record<Verdict, number>>>;
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

export function hasChanges({ findings, settings, others, notes }: Review): boolean {
  return (
    settings.some(({ before }) => before !== null) ||
    findings.some(({ verdict }) => verdict !== "UNCHANGED") ||
    others.some((group) => group.create + group.update + group.delete + group.other > 0) ||
    notes.some(({ code }) => code === "OUTPUTS" || code === "SUPPORT_RESOURCES")
  );
}

export function reviewPlans(stacks: readonly PlannedStack[]): Review {
  const reviewed = stacks.map(reviewPlan);
  const findings = reviewed.flatMap((stack) => stack.findings).sort(worstFirst);
  const count = reviewed.reduce((sum, { supportResources }) => sum + supportResources, 0);
  const elsewhere = usedElsewhere(reviewed);
  const supportResources: Note[] = count > 0 ? [{ code: "SUPPORT_RESOURCES", risk: "none", count }] : [];
  return {
    stacks: reviewed.map(({ summary }) => summary),
    findings,
    settings: reviewed.flatMap(({ settings }) => settings).sort((one, other) => RANK[other.risk] - RANK[one.risk]),
    others: reviewed.flatMap(({ others }) => others),
    notes: [
      ...reviewed.flatMap((stack) => [...stack.notes, ...stack.orderNotes(elsewhere)]),
      ...elsewhere,
      ...(stacks.length > 1 ? inSeveralStacks(reviewed.flatMap((stack) => stack.findings)) : []),
      ...supportResources,
    ].sort((one, other) => RISKS.indexOf(other.risk) - RISKS.indexOf(one.risk)),
  };
}

function reviewPlan(stack: PlannedStack) {
  const { name, plan, synthesized } = stack;
  const objects = new PlannedObjects(stack);
  const { platforms } = objects;
  const supportResources = new Set(objects.otherChanges.filter((change) => isSupportResource(change, platforms)));
  const findings = objects.findings();
  const byVerdict = groupedBy(findings, ({ verdict }) => verdict);
  const counts = VERDICTS.toReversed().flatMap((verdict) =>
    byVerdict.has(verdict) ? [[verdict, byVerdict.get(verdict)!.length]] : [],
  );

  const orphanedBlocks = findings.some(({ reasons }) => reasons.at(-1)?.code === "BLOCK_REMOVED");
  const settingsUnknown =
    findings.some((finding) => finding.protected === null && DELETED.has(finding.verdict)) || hidesNewSettings(plan);
  const unknown = objects.unknownResources();
  const drifted = objects.drifted(findings);
  const others = objects.otherChanges.filter((change) => !supportResources.has(change));
  const ofOthers = new Set(others.map(({ address }) => address));
  /** An action for an object may do with it what no hook and no provider of this package would do. */
  const risk = ({ trigger }: PlannedStack["plan"]["actions"][number]) =>
    trigger === null || ofOthers.has(trigger) ? "low" : "critical";
  const settings = [...settingsChanges(stack, findings), ...providerSettingsChanges(stack, findings)];
  const foreign = objects.foreignParts();
  const unverified = objects.unverifiedHooks();
  const candidates: (Note | false)[] = [
    stack.programs !== undefined && { code: "SYNTH_ONLY", risk: "none", stack: name, stackIn: stack.programs.stackIn },
    plan.errored && { code: "PLAN_FAILED", risk: "high", stack: name, missing: withoutEntry(plan) },
    !plan.complete && !plan.errored && { code: "INCOMPLETE", risk: "high", stack: name },
    settingsUnknown && { code: "SETTINGS_UNKNOWN", risk: "medium", stack: name },
    plan.failedChecks > 0 && { code: "FAILED_CHECKS", risk: "medium", stack: name, count: plan.failedChecks },
    ...foreign.map((part) => foreignNote(stack, part)),
    ...objects.otherHooks().map((found) => ({ code: "OTHER_HOOKS", risk: "critical", stack: name, ...found }) as const),
    unverified !== undefined && {
      code: "HOOKS_NOT_VERIFIED",
      risk: unverified.run ? "critical" : "none",
      stack: name,
      ...unverified,
    },
    stack.recognized !== undefined && {
      code: "RECOGNIZED",
      risk: "none",
      stack: name,
      blocks: stack.recognized.own,
      program: stack.recognized.ownProgram,
    },
    orphanedBlocks && synthesized === undefined && { code: "REMOVED_BLOCKS_UNSEEN", risk: "none", stack: name },
    ...objects.foreignProviders().map((found) => ({ code: "FOREIGN_PROVIDER", risk: "high", stack: name, ...found }) as const),
    unknown.length > 0 && { code: "UNKNOWN_RESOURCES", risk: "high", stack: name, addresses: unknown },
    ...plan.actions.map((action) => ({ code: "ACTION", risk: risk(action), stack: name, ...action }) as const),
    plan.unknownParts.length > 0 && { code: "UNKNOWN_PARTS", risk: "low", stack: name, parts: plan.unknownParts },
    drifted.length > 0 && { code: "DRIFT", risk: "low", stack: name, objects: drifted },
    plan.outputChanges > 0 && { code: "OUTPUTS", risk: "low", stack: name, count: plan.outputChanges },
  ];
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
    },
    name,
    findings,
    settings: [...settings, ...lostProtections(stack, findings, settings)],
    clustersOn: () => objects.clustersOn(findings),
    supportResources: [...supportResources].filter(({ change }) => change.actions.join() !== "no-op").length,
    others: otherResources(name, others, (block) => foreign.some(({ address }) => address === block)),
    notes: [
      ...candidates.filter((note) => note !== false),
      ...secrets(stack, findings),
      ...renames({ stack: name, findings }),
      ...newVersions({ stack: name, findings }),
      ...services({ stack: name, findings }),
      ...leftovers(stack, findings),
    ],
    orderNotes: (elsewhere: ReturnType<typeof usedElsewhere>) => orderNotes(stack, objects, findings, elsewhere),
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
): Note[] {
  const refusals = objects.refusals();
  const certain = refusals.filter(({ because }) => because !== "retain matches nothing");
  const refused = new Set(certain.map(({ platform }) => platform));
  const ordered = {
    stack,
    findings: findings.filter(({ platform }) => !refused.has(platform)),
    resized: objects.resized,
    usedElsewhere: new Set(elsewhere.filter((note) => note.stack === stack).map(({ object }) => object)),
  };
  const codes = { protected: "REFUSED_AS_PROTECTED", "retain matches nothing": "REFUSED_AS_RETAIN_UNKNOWN" } as const;
  return [
    ...refusals.flatMap(({ because, ...refusal }): Note[] =>
      because in codes ? [{ code: codes[because as keyof typeof codes], risk: "high", stack, ...refusal }] : [],
    ),
    ...staysDeleted(ordered),
    ...registrationsFirst(ordered),
  ];
}

/** What a foreign part does is unknown, so the worst is assumed. */
function foreignNote({ name: stack, allowedForeign }: PlannedStack, part: ForeignPart): Note {
  const allowance = allowedForeign?.get(part.digest);
  if (!allowance) return { code: "FOREIGN", risk: "critical", stack, ...part };
  return { code: "FOREIGN_ALLOWED", risk: "none", stack, ...part, ...(allowance.why && { why: allowance.why }) };
}

/** The secrets that the apply needs. The reviewer can provide them beforehand. */
function secrets({ name, synthesized }: PlannedStack, findings: readonly ObjectFinding[]): Note[] {
  const needing = findings.filter(({ verdict }) => CREATED.has(verdict) || verdict === "ADOPT");
  const required = synthesized?.secretsOf(needing) ?? [];
  if (required.length === 0) return [];
  const named = (kind: string) => [...new Set(required.filter((secret) => secret.kind === kind).map((secret) => secret.name))];
  return [{ code: "SECRETS", risk: "none", stack: name, variables: named("env"), files: named("file") }];
}

const RANK = Object.fromEntries([...RISKS.entries(), ...VERDICTS.entries()].map(([rank, name]) => [name, rank])) as Readonly<
  Record<Risk | Verdict, number>
>;

function worstFirst(one: ObjectFinding, other: ObjectFinding): number {
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
