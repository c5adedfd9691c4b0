import { certainRefusal, possibleCreations } from "../../../decision/creation";
import { type DeletionFacts, isRefusal, permissionOf, possibleDeletions, type RefusedBecause } from "../../../decision/deletion";
import { type Partly, UNSEEN } from "../../../decision/possible";
import { differingAttributes } from "../../report/declared-fields";
import { hasDeclaration } from "../../report/instance";
import { protectedByState } from "../../report/recorded";
import type { InstanceChange } from "./changed-objects";
import { declaredAt, declares, DROPPED, LEAVING, movesTo, PENDING, noHook, REPLACED_ALREADY, TAKEN, wasAt } from "./finding";
import { hasReason, isLetGo, judgement, refusal, type Judgement, type Reason, type SimpleReason } from "./finding";
import { fieldsMarkedOtherwise } from "./field-changes";
import type { PlanContext } from "./plan-context";
import { runsProvisioners } from "./foreign";
import { movedFrom } from "../plan/plan";

/** What happens to one instance. Each step sees what the steps before it have decided. */
export function judge(entry: InstanceChange, planContext: PlanContext): Judgement {
  const { change } = entry;
  const ofInstance = besideTwin(entry, entry.judgement ?? judgeChange(entry, planContext), planContext);
  const judged = withForeignParts(entry, withoutLoss(entry, ofInstance, planContext), planContext);
  const open = judged.verdict === "UNCHANGED" ? planContext.openFieldsOf(change) : undefined;
  const from = hasReason(judged, "was at") ? undefined : movedFrom(change);
  const reasons: readonly Reason[] = [
    ...judged.reasons,
    ...(open ? [{ code: "UNKNOWN" as const, because: "expressions" as const, fields: open }] : []),
    ...(from === undefined ? [] : [wasAt(from)]),
  ];
  return open ? judgement("UNKNOWN", "critical", ...reasons) : { ...judged, reasons };
}

/** Nothing stays behind of an object that the service does not have, or is deleting. */
function withoutLoss(entry: InstanceChange, judged: Judgement, planContext: PlanContext): Judgement {
  if (judged.verdict !== "LEAVE" || judged.refused) return judged;
  if (isAbsent(entry, planContext)) return judgement("UNCHANGED", "medium", ...judged.reasons, DROPPED);
  return planContext.isLeaving(entry) ? { ...judged, reasons: [...judged.reasons, LEAVING] } : judged;
}

/** If another instance of the Platform keeps the object, no object is lost. */
function besideTwin({ id, change }: InstanceChange, judged: Judgement, planContext: PlanContext): Judgement {
  const twin = judged.verdict === "LEAVE" && !isLetGo(judged) ? planContext.twinOf(id, change) : undefined;
  if (twin === undefined) return judged;
  return judgement("UNCHANGED", "medium", ...judged.reasons, declaredAt(twin));
}

/** A critical verdict stays, whatever else happens. Something foreign that runs instead of a deletion may delete the object. */
function withForeignParts({ id, change }: InstanceChange, judged: Judgement, planContext: PlanContext): Judgement {
  const { actions } = change.change;
  const runs = id.byProvider ? actions.join() !== "no-op" : runsProvisioners(change);
  if (!runs || hasReason(judged, "no destroy hook")) return judged;
  const [source, problem] = [planContext.foreignProviderOf(id, change), planContext.hookProblemOf(id)];
  if (source === undefined && problem === undefined) return judged;
  const reasons: readonly Reason[] = [
    ...judged.reasons,
    ...(source === undefined ? [] : [{ code: "FOREIGN" as const, because: "provider" as const, problem: source }]),
    ...(problem === undefined ? [] : [{ code: "FOREIGN" as const, because: "hook" as const, problem }]),
  ];
  if (judged.risk === "critical") return { ...judged, refused: false, reasons };
  return judgement("UNKNOWN", actions.includes("delete") ? "critical" : "high", ...reasons);
}

/** A change that the provider refuses is not in its plan. */
function judgeChange(entry: InstanceChange, planContext: PlanContext): Judgement {
  const { id, change } = entry;
  const { actions } = change.change;
  if (actions.join() !== "forget" && planContext.leavesService(id, change)) {
    return judgement("LEAVE", "critical", movesTo(change.address));
  }
  switch (actions.join()) {
    case "no-op":
    case "read":
    case "update":
      return kept(entry, planContext);
    case "create":
      return coming(entry, planContext, planContext.isGone(change) ? "GONE" : "NEW");
    case "forget":
      return planContext.stackHasLeft ? judgement("LEAVE", "critical", "REMOVED") : judgement("LEAVE", "medium", FORGOTTEN);
    case "create,forget":
    case "forget,create":
      return besideItself(entry, planContext, FORGOTTEN);
    case "delete":
      return removal(entry, planContext);
    case "delete,create":
    case "create,delete":
      return replacement(entry, planContext);
    default:
      return judgement("UNKNOWN", "high", { code: "UNKNOWN", because: "actions", actions });
  }
}

/** What a create comes to. It is refused only if that is certain. */
function coming(entry: InstanceChange, planContext: PlanContext, ...reasons: readonly (Reason | SimpleReason)[]): Judgement {
  const { differing, ...facts } = planContext.creationFacts(entry);
  const refused = certainRefusal(facts);
  if (refused) {
    const fields = refused.because === "differs" ? { fields: differing } : {};
    return refusal(facts.isAdopted ? "ADOPT" : "CREATE", "high", ...reasons, {
      code: "REFUSED",
      because: refused.because,
      ...fields,
    });
  }
  const mayAdopt = possibleCreations(facts).some(({ happens }) => happens === "ADOPT");
  return mayAdopt && !reasons.includes("GONE")
    ? judgement("ADOPT", "medium", ...reasons)
    : judgement("CREATE", "low", ...reasons);
}

/** The object stays on the service, so its name is in use when it is created again. */
function besideItself(
  entry: InstanceChange,
  planContext: PlanContext,
  ...reasons: readonly (Reason | SimpleReason)[]
): Judgement {
  if (isAbsent(entry, planContext)) return coming(entry, planContext, ...reasons, "GONE");
  const isAdopted = planContext.creationFacts(entry).isAdopted === true;
  return isAdopted ? judgement("ADOPT", "medium", ...reasons) : refusal("LEAVE", "high", ...reasons, TAKEN);
}

function isAbsent(entry: InstanceChange, planContext: PlanContext): boolean {
  return planContext.deletionFacts(entry).live === "absent";
}

/** A change that sends nothing to the service. Every change of the object itself is a replacement. */
function kept(entry: InstanceChange, planContext: PlanContext): Judgement {
  const { id, change } = entry;
  const { actions, importing, before, after } = change.change;
  if (importing) return judgement("UNCHANGED", "medium", IMPORTED);
  const address = movedFrom(change);
  // A block without a destroy hook is only named like one of a Platform.
  if (address !== undefined && !id.byProvider && planContext.destroyHookOf(id, change) === "none") {
    return judgement("LEAVE", "critical", noHook("no destroy hook"));
  }
  const isUpdate = actions.join() === "update";
  const fields = isUpdate && (id.byProvider ? differingAttributes(before, after) : fieldsMarkedOtherwise(change));
  const updated: readonly Reason[] = fields ? [{ code: "CHANGED", fields }] : [];
  const unready = planContext.unready(id, change);
  if (unready) {
    const refused = unready !== PENDING && planContext.isWaitedFor(id);
    return { ...judgement("UNCHANGED", "medium", ...updated, unready), refused };
  }
  if (isUpdate) return judgement("UNCHANGED", id.byProvider ? "low" : "medium", ...updated);
  return address === undefined ? judgement("UNCHANGED", "none") : judgement("UNCHANGED", "low", wasAt(address));
}

/** Terraform calls the provider for every deletion, even if the block left the code. */
function removal(entry: InstanceChange, planContext: PlanContext): Judgement {
  const { id, change, why: given } = entry;
  const why = given ?? (change.action_reason === undefined ? "DESTROY_ALL" : "REMOVED");
  if (id.byProvider) return deletion(entry, planContext, why);
  const destroyHook = planContext.destroyHookOf(id, change);
  if (change.deposed !== undefined) return judgement("LEAVE", "critical", noHook("deposed copy"));
  if (destroyHook === "block is gone") return judgement("LEAVE", "critical", noHook("block removed"));
  if (destroyHook === "none") return judgement("LEAVE", "critical", why, noHook("no destroy hook"));
  if (planContext.isTainted(change)) {
    if (isReleased(entry, planContext)) return judgement("LEAVE", "medium", why, RETAINED);
    return judgement("LEAVE", planContext.isLookedFor(id) ? "high" : "critical", why, "TAINTED");
  }
  const misplaced = isReleased(entry, planContext) ? undefined : planContext.misplacedAs(id, change);
  if (misplaced !== undefined) {
    const ofKey = given && hasReason({ reasons: [given] }, "declares") ? [] : [declares({ id: misplaced })];
    return refusal("DESTROY", "high", why, ...ofKey);
  }
  return deletion(entry, planContext, why);
}

function replacement(entry: InstanceChange, planContext: PlanContext): Judgement {
  const { id, change } = entry;
  const why = REPLACED[change.action_reason ?? ""] ?? "CHANGED";
  const { isAdopted } = planContext.creationFacts(entry);
  if (change.change.actions[0] === "create") {
    return refusal("REPLACE", id.byProvider ? "high" : "critical", why, noHook("create_before_destroy"));
  }
  // If `retain` and `adopt` keep the object, the provider plans an update.
  if (id.byProvider) return deletion(entry, planContext, why, { isAdopted: false });
  if (planContext.isTainted(change)) return coming(entry, planContext, "TAINTED");
  if (planContext.destroyHookOf(id, change) === "none") return refusal("REPLACE", "critical", why, noHook("no destroy hook"));
  return deletion(entry, planContext, why, { isAdopted });
}

const REPLACED: Readonly<Record<string, Reason | SimpleReason>> = {
  replace_by_request: { code: "REQUESTED", because: "-replace" },
  replace_by_triggers: { code: "REQUESTED", because: "replace_triggered_by" },
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
  replacement?: Pick<Partly<DeletionFacts>, "isAdopted">,
): Judgement {
  const { id, change } = entry;
  const { importing, before } = change.change;
  const verdict = replacement ? "REPLACE" : "DESTROY";
  if (!id.byProvider && !hasDeclaration(change, before, id))
    return refusal(verdict, "high", why, { code: "REFUSED", because: "no declaration" });
  const facts = factsOf(entry, planContext, replacement);
  const outcomes = possibleDeletions(facts);
  // Without a look, the refusals are those that a plan shows: the service may show others first.
  const shown = outcomes.find((outcome) => isRefusal(outcome) && SHOWN.has(outcome.because));
  const worst = outcomes.find(({ happens }) => happens === "DESTROY" || happens === "REPLACE") ?? shown ?? outcomes[0]!;
  switch (worst.because ?? worst.happens) {
    case "DESTROY":
    case "REPLACE": {
      const lifted: SimpleReason[] = facts.protection === "lifted" ? ["ALLOWED"] : [];
      const imported = importing ? [IMPORTED] : [];
      return judgement(verdict, "critical", why, ...lifted, ...imported);
    }
    case "RETAIN":
      return judgement("LEAVE", "medium", why, RETAINED);
    case "GONE":
      return replacement ? coming(entry, planContext, why, "GONE") : judgement("UNCHANGED", "medium", why, DROPPED);
    case "REPLACED":
      return coming(entry, planContext, why, REPLACED_ALREADY);
    case "ADOPT":
      return coming(entry, planContext, why, RETAINED);
    case "retained":
      if (!id.byProvider) return besideItself(entry, planContext, why, RETAINED);
  }
  const because = worst.because!;
  const clusters = because === "in use" ? { clusters: planContext.usersOf(id) } : {};
  return refusal(verdict, "high", why, { code: "REFUSED", because, ...clusters });
}

const IMPORTED: Reason = { code: "MOVED", because: "imported" };
const RETAINED: Reason = { code: "RETAINED", because: "retain" };
const FORGOTTEN: Reason = { code: "RETAINED", because: "destroy = false" };

const SHOWN: ReadonlySet<RefusedBecause> = new Set<RefusedBecause>(["retained", "protected", "in use"]);

/** Whether Terraform's removal of the object leaves it on the service because the settings say so. */
function isReleased(entry: InstanceChange, planContext: PlanContext): boolean {
  return possibleDeletions(factsOf(entry, planContext)).every(({ happens }) => happens === "RETAIN");
}

function factsOf(
  entry: InstanceChange,
  planContext: PlanContext,
  replacement?: Pick<Partly<DeletionFacts>, "isAdopted">,
): Partly<DeletionFacts> {
  const { id, change } = entry;
  const { before, after } = change.change;
  const settings = planContext.settingsOf(id);
  const byState = id.byProvider && (protectedByState(before) || protectedByState(after));
  return {
    transition: replacement ? "replace" : "remove",
    ...(settings ? permissionOf(settings, id.id, byState) : { isRetained: UNSEEN, protection: UNSEEN }),
    isAdopted: replacement?.isAdopted ?? false,
    ...planContext.deletionFacts(entry),
  };
}
