import { parsePluginResourceType } from "../../../contract/addresses";
import {
  type DeletionFacts,
  type DeletionOutcome,
  isRefusal,
  permissionOf,
  possibleDeletions,
  type RefusedBecause,
} from "../../../decision/deletion";
import { type Partly, UNKNOWN } from "../../../decision/possible";
import type { JsonObject } from "../../../model/provider-type";
import { differingAttributes } from "../../report/declared-fields";
import { parseAddress, type InstanceId } from "../../report/instance";
import type { VerdictWithRisk, Reason, RiskOf, Verdict } from "./finding";
import { fieldsMarkedOtherwise } from "./hidden-fields";
import { movedFrom, type OpenFields, type ResourceChange } from "../plan/plan";
import type { PlatformSettings } from "../plan/platform-settings";

/** What a planned change of an instance does to one object. */
export interface InstanceChange {
  readonly id: InstanceId;
  readonly change: ResourceChange;
  /** Set if the names and addresses in the change decide the verdict already. */
  readonly judgement?: Judgement;
  /** Why the object goes, if it has not left the code. */
  readonly why?: Reason;
}

/** What the rest of the plan says about an instance. */
export interface PlanContext {
  /** Undefined if the plan does not show the settings. */
  settingsOf(id: InstanceId): PlatformSettings | undefined;
  isTainted(change: ResourceChange): boolean;
  destroyHookOf(id: InstanceId, change: ResourceChange): DestroyHook;
  /** The source of the instance's provider, if that is not this package's own. */
  foreignProviderOf(id: InstanceId, change: ResourceChange): string | undefined;
  /** Whether the refresh before the plan found the object deleted. */
  isGone(change: ResourceChange): boolean;
  /** The end of a sentence about the block. Undefined if its hooks are right. */
  hookProblemOf(id: InstanceId): string | undefined;
  /** Whether the orphan check of its Platform stays. It finds objects that a skipped hook leaves behind. */
  hasOrphanCheck(id: InstanceId): boolean;
  /** Clusters of the state that will certainly be on a provider when Terraform deletes the provider, if they live. */
  usersOf(id: InstanceId, values: unknown): readonly string[];
  /** Whether the instance moves to a Platform with another service, whose hooks do not reach the object. */
  leavesService(id: InstanceId, change: ResourceChange): boolean;
  declaredElsewhere(id: InstanceId, values: unknown): DeclaredElsewhere | undefined;
  /** Fields that may change, in a review of two programs. */
  openFieldsOf(change: ResourceChange): OpenFields | undefined;
}

/** Another Platform of the stack that declares the object. */
export interface DeclaredElsewhere {
  readonly address: string;
  /** Otherwise it may be on another service: one of the URLs comes from the environment of the run. */
  readonly isCertain: boolean;
}

/** Whether Terraform will run the destroy hook, and whether that hook refuses. */
export type DestroyHook = "runs" | "runs, although its block left" | "refuses" | "block is gone" | "none";

export type Judgement = VerdictWithRisk & { readonly reasons: readonly Reason[] };

export function judge(entry: InstanceChange, planContext: PlanContext): Judgement {
  const judged = entry.id.byProvider ? judgeByProvider(entry, planContext) : judgeWithHooks(entry, planContext);
  const open = MAY_CHANGE.has(judged.verdict) ? planContext.openFieldsOf(entry.change) : undefined;
  if (!open) return judged;
  const reasons = [...judged.reasons, { code: "TOKENS" as const, fields: open.fields }];
  return { verdict: "UNKNOWN", risk: open.isOtherExpression ? "high" : "medium", reasons };
}

/** The verdicts of an object that stays as it is. */
const MAY_CHANGE: ReadonlySet<Verdict> = new Set(["UNCHANGED", "MOVED", "STATE-ONLY"]);

function judgeWithHooks(entry: InstanceChange, planContext: PlanContext): Judgement {
  const judged = judgeByHooks(entry, planContext);
  if (!entry.change.change.actions.some((action) => action === "create" || action === "delete")) return judged;
  const problem = planContext.hookProblemOf(entry.id);
  if (problem === undefined || judged.reasons.some(({ code }) => code === "NO_DESTROY_HOOK")) return judged;
  const reasons = [...judged.reasons, { code: "FOREIGN_HOOK" as const, problem }];
  return atWorst(entry, judged, reasons);
}

/** A critical verdict stays, whatever else happens. Something foreign that runs instead of a deletion may delete the object. */
function atWorst({ change }: InstanceChange, judged: Judgement, reasons: readonly Reason[]): Judgement {
  if (judged.risk === "critical") return { ...judged, reasons };
  return { verdict: "UNKNOWN", risk: change.change.actions.includes("delete") ? "critical" : "high", reasons };
}

function judgeByHooks(entry: InstanceChange, planContext: PlanContext): Judgement {
  const { id, change, judgement: decided } = entry;
  if (decided) return decided;
  const { actions } = change.change;
  if (actions.join() !== "forget" && planContext.leavesService(id, change)) {
    return judgement("ORPHAN", "critical", { code: "MOVED_AWAY", address: change.address });
  }
  const adopts = () => planContext.settingsOf(id)?.adopt.has(id.id) ?? false;
  switch (actions.join()) {
    case "no-op":
    case "read":
      return unchanged(entry, planContext);
    case "create":
      return adopts() ? judgement("ADOPT", "medium", "NEW", "ADOPTS") : CREATED;
    case "update":
      return lostByMove(entry, planContext) ?? updated(change);
    case "forget":
      return forgotten(entry, planContext);
    case "create,forget":
    case "forget,create":
      return forgottenAndCreated(adopts());
    case "delete":
      return removal(entry, planContext);
    case "delete,create":
    case "create,delete":
      return replacement(entry, planContext, adopts());
    default:
      return { verdict: "UNKNOWN", risk: "high", reasons: [{ code: "ACTIONS", actions }] };
  }
}

/**
 * Terraform calls the provider for every deletion, even if the block left the code. If the provider refuses a change during the
 * plan, only a plan for a review has the change.
 */
function judgeByProvider(entry: InstanceChange, planContext: PlanContext): Judgement {
  const judged = entry.judgement ?? changeByProvider(entry, planContext);
  if (entry.change.change.actions.join() === "no-op") return judged;
  const source = planContext.foreignProviderOf(entry.id, entry.change);
  const problem = planContext.hookProblemOf(entry.id);
  if (source === undefined && problem === undefined) return judged;
  return atWorst(entry, judged, [
    ...judged.reasons,
    ...(source === undefined ? [] : [{ code: "FOREIGN_PROVIDER" as const, source }]),
    ...(problem === undefined ? [] : [{ code: "FOREIGN_HOOK" as const, problem }]),
  ]);
}

function changeByProvider(entry: InstanceChange, planContext: PlanContext): Judgement {
  const { change, why: given } = entry;
  const { actions, after } = change.change;
  const adopts = (after as JsonObject | undefined | null)?.adopt === true;
  switch (actions.join()) {
    case "no-op":
    case "read":
    case "update":
      return kept(change);
    case "create":
      if (planContext.isGone(change)) return judgement("CREATE", "low", "GONE");
      return adopts ? judgement("ADOPT", "medium", "NEW", "ADOPTS") : CREATED;
    case "forget":
      return forgotten(entry, planContext);
    case "create,forget":
    case "forget,create":
      return forgottenAndCreated(adopts);
    case "delete":
      return deletion(entry, planContext, given ?? (change.action_reason === undefined ? "DESTROY_ALL" : "REMOVED"));
    case "create,delete": {
      const why = REPLACED[change.action_reason ?? ""] ?? "FIELDS_CHANGED";
      return judgement("DUPLICATE", "high", why, "CREATE_BEFORE_DESTROY", ...(adopts ? ["ADOPTS_OLD" as const] : []));
    }
    case "delete,create":
      // If `retain` and `adopt` keep the object, the provider plans an update.
      return deletion(entry, planContext, REPLACED[change.action_reason ?? ""] ?? "FIELDS_CHANGED", { adopts: false });
    default:
      return { verdict: "UNKNOWN", risk: "high", reasons: [{ code: "ACTIONS", actions }] };
  }
}

function forgotten(entry: InstanceChange, planContext: PlanContext): Judgement {
  return judgement("RETAIN", isReleased(entry, planContext) ? "medium" : "high", "FORGOTTEN");
}

/** The object stays on the service, so its name is in use. */
function forgottenAndCreated(adopts: boolean): Judgement {
  return adopts ? judgement("ADOPT", "medium", "FORGOTTEN", "ADOPTS") : judgement("RETAIN", "high", "FORGOTTEN", "NAME_TAKEN");
}

/** A change that sends nothing to the service. Every change of the object itself is a replacement. */
function kept(change: ResourceChange): Judgement {
  const { actions, importing, before, after } = change.change;
  const from = movedFrom(change);
  if (importing) return judgement("STATE-ONLY", "medium", "IMPORTED");
  if (from !== undefined && parsePluginResourceType(parseAddress(from)?.type ?? "") === undefined) {
    return judgement("MOVED", "low", { code: "LEAVES_HOOKS", address: from });
  }
  if (actions.join() !== "update") {
    return from === undefined ? UNCHANGED : judgement("MOVED", "low", { code: "MOVED_FROM", address: from });
  }
  const fields = differingAttributes(before, after);
  return judgement("STATE-ONLY", "low", fields.length > 0 ? { code: "ATTRIBUTES", fields } : "STATE_ONLY");
}

/** This protection holds whatever the provider block says. */
export function protectedByState(values: unknown): boolean {
  return (values as JsonObject | undefined | null)?.deletion_protection === true;
}

function updated(change: ResourceChange): Judgement {
  const inPlace = judgement("STATE-ONLY", "medium", "STATE_ONLY");
  const fields = fieldsMarkedOtherwise(change);
  return fields.length === 0 ? inPlace : { ...inPlace, reasons: [...inPlace.reasons, { code: "SENSITIVITY", fields }] };
}

function unchanged({ id, change }: InstanceChange, planContext: PlanContext): Judgement {
  const { importing } = change.change;
  if (importing !== undefined && importing !== null) return judgement("STATE-ONLY", "medium", "IMPORTED");
  const from = movedFrom(change);
  if (from === undefined) return UNCHANGED;
  return lostByMove({ id, change }, planContext) ?? judgement("MOVED", "low", { code: "MOVED_FROM", address: from });
}

/** An instance that moves to a block without a destroy hook is lost. Such a block is only named like one of a Platform. */
function lostByMove({ id, change }: InstanceChange, planContext: PlanContext): Judgement | undefined {
  if (movedFrom(change) === undefined || planContext.destroyHookOf(id, change) !== "none") return undefined;
  return judgement("ORPHAN", "critical", "NO_DESTROY_HOOK");
}

function removal(entry: InstanceChange, planContext: PlanContext): Judgement {
  const { id, change, why: given } = entry;
  const destroyHook = planContext.destroyHookOf(id, change);
  const why = given ?? (change.action_reason === undefined ? "DESTROY_ALL" : "REMOVED");
  if (change.deposed !== undefined) return judgement("ORPHAN", "critical", "DEPOSED");
  if (destroyHook === "block is gone") return judgement("ORPHAN", "critical", "BLOCK_REMOVED");
  if (destroyHook === "none") return judgement("ORPHAN", "critical", why, "NO_DESTROY_HOOK");
  if (planContext.isTainted(change)) {
    if (isReleased(entry, planContext)) return judgement("RETAIN", "medium", why, "RETAINED");
    return judgement("ORPHAN", planContext.hasOrphanCheck(id) ? "high" : "critical", why, "TAINTED");
  }
  if (destroyHook === "refuses") return judgement("PROTECTED", "high", "ENGINE_SWITCHED");
  return deletion(entry, planContext, destroyHook === "runs" ? why : "RETIRED");
}

function replacement(entry: InstanceChange, planContext: PlanContext, adopts: boolean): Judgement {
  const { id, change } = entry;
  const why = REPLACED[change.action_reason ?? ""] ?? "FIELDS_CHANGED";
  if (change.change.actions[0] === "create") return judgement("DUPLICATE", "critical", why, "CREATE_BEFORE_DESTROY");
  if (planContext.isTainted(change)) {
    return adopts ? judgement("ADOPT", "medium", "TAINTED", "ADOPTS") : judgement("DUPLICATE", "high", "TAINTED");
  }
  if (planContext.destroyHookOf(id, change) === "none") return judgement("DUPLICATE", "critical", why, "NO_DESTROY_HOOK");
  return deletion(entry, planContext, why, { adopts });
}

const REPLACED: Readonly<Record<string, SimpleReason>> = {
  replace_by_request: "REPLACE_REQUESTED",
  replace_by_triggers: "REPLACE_TRIGGERED",
  replace_because_tainted: "TAINTED",
};

/**
 * The worst that can happen where a deletion is planned.
 * @param replacement set if the plan creates the object again
 */
function deletion(
  entry: InstanceChange,
  planContext: PlanContext,
  why: Reason | SimpleReason,
  replacement?: { readonly adopts: boolean },
): Judgement {
  const { id, change } = entry;
  const { importing, before } = change.change;
  const facts = factsOf(entry, planContext, replacement);
  const outcomes = possibleDeletions(facts);
  const worst = RANKS.map((rank) => outcomes.find(rank)).find((outcome) => outcome !== undefined)!;
  if (!isRefusal(worst)) {
    switch (worst.happens) {
      case "RETAIN":
        return judgement("RETAIN", "medium", why, "RETAINED");
      case "ADOPT":
        return judgement("ADOPT", "medium", why, "RETAINED", "ADOPTS");
      default: {
        const lifted: SimpleReason[] = facts.protection === "lifted" ? ["ALLOWED"] : [];
        const imported: SimpleReason[] = importing && id.byProvider ? ["IMPORTED"] : [];
        return judgement(replacement ? "REPLACE" : "DESTROY", "critical", why, ...lifted, ...imported);
      }
    }
  }
  switch (worst.because) {
    case "retained":
      return judgement("RETAIN", "high", why, "RETAINED", "NAME_TAKEN");
    case "declared elsewhere":
      return judgement("PROTECTED", "high", why, {
        code: "ON_ANOTHER_PLATFORM",
        address: planContext.declaredElsewhere(id, before)!.address,
      });
    case "in use":
      return judgement("IN-USE", "high", why, { code: "IN_USE", clusters: planContext.usersOf(id, before) });
    default:
      return judgement("PROTECTED", "high", why, "PROTECTED");
  }
}

/** From worst to harmless. The refusals are those that a plan shows: the service may show others first. */
const RANKS: readonly ((outcome: DeletionOutcome) => boolean)[] = [
  ({ happens }) => happens === "DESTROY" || happens === "REPLACE",
  (outcome) => isRefusal(outcome) && SHOWN.has(outcome.because),
  () => true,
];

const SHOWN: ReadonlySet<RefusedBecause> = new Set<RefusedBecause>(["retained", "declared elsewhere", "protected", "in use"]);

/** Whether Terraform's removal of the object leaves it on the service because the settings say so. */
function isReleased(entry: InstanceChange, planContext: PlanContext): boolean {
  return possibleDeletions(factsOf(entry, planContext)).every(({ happens }) => happens === "RETAIN");
}

/** A plan does not show the service, and the provider looks again when it applies. */
function factsOf(
  { id, change }: InstanceChange,
  planContext: PlanContext,
  replacement?: { readonly adopts: boolean },
): Partly<DeletionFacts> {
  const { before, after } = change.change;
  const settings = planContext.settingsOf(id);
  const elsewhere = planContext.declaredElsewhere(id, before);
  const byState = id.byProvider && (protectedByState(before) || protectedByState(after));
  return {
    transition: replacement ? "replace" : "remove",
    ...(settings ? permissionOf(settings, id.id, byState) : { isRetained: UNKNOWN, protection: UNKNOWN }),
    isAdopted: replacement?.adopts ?? false,
    isDeclaredElsewhere: elsewhere !== undefined && (elsewhere.isCertain || UNKNOWN),
    // An earlier apply may have released what a name means.
    hasUnknownRetained: UNKNOWN,
    isSaidGone: UNKNOWN,
    live: UNKNOWN,
    isUsed: planContext.usersOf(id, before).length > 0 || (id.kind === "providers" ? UNKNOWN : false),
  };
}

type SimpleReason = Exclude<
  Reason,
  | { address: string }
  | { object: string }
  | { name: string }
  | { clusters: readonly string[] }
  | { actions: readonly string[] }
  | { fields: readonly string[] }
  | { problem: string }
  | { source: string }
  | { line: string }
>["code"];

function judgement<V extends Verdict>(
  verdict: V,
  risk: RiskOf<V>,
  ...reasons: readonly (Reason | SimpleReason)[]
): VerdictWithRisk & { readonly reasons: readonly Reason[] } {
  const judged = { verdict, risk } as VerdictWithRisk;
  return { ...judged, reasons: reasons.map((reason) => (typeof reason === "string" ? { code: reason } : reason)) };
}

const CREATED = judgement("CREATE", "low", "NEW");
const UNCHANGED = judgement("UNCHANGED", "none");
