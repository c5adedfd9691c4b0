import { once, oncePerObject } from "../../../util/once-per";
import { isPlainObject } from "../../../util/prop-path";
import type { JsonObject } from "../../../model/provider-type";
import { permissionOf } from "../../../decision/deletion";
import { declaredIn, textIn } from "../../report/declared-fields";
import { groupedBy } from "../../report/grouped-by";
import { engineOf, isSupportResource, platformKey, platformName, supportInstance, type InstanceId } from "../../report/instance";
import { objectSummary, type ObjectSummary } from "./object-summary";
import { changedObjects, droppedObjects, type InstanceChange } from "./changed-objects";
import { dependentsIn } from "./dependents";
import { declaredAt, hasReason, isAffected, isCreated, isDeleted, isLetGo, judgement } from "./finding";
import { noHook, refusal, TAKEN } from "./finding";
import type { Judgement, ObjectFinding, Reason } from "./finding";
import type { FieldChange } from "../../report/finding";
import { guardRefusals } from "./guard";
import { fieldChanges, hiddenFields } from "./field-changes";
import { type RecordedSettings, protectedByState } from "../../report/recorded";
import type { PlannedStack, ResourceChange } from "../plan/plan";
import { type ClustersByProvider, PlanContext, seen } from "./plan-context";
import { mayBeOneService } from "../../../model/base-url";
import { allowDeletionLine } from "../../../model/protection";
import type { NoteOfStack } from "./note";
import { judge } from "./verdict";

export class PlannedObjects {
  /** Changes of resources that belong to no Platform. */
  readonly others: readonly ResourceChange[];
  /** The keys of all Platforms that the plan shows. */
  readonly platforms: ReadonlySet<string>;
  readonly #changes: readonly InstanceChange[];
  readonly #dropped: readonly InstanceChange[];
  readonly #planContext: PlanContext;
  readonly #dependentsOf: ReturnType<typeof dependentsIn>;

  constructor(private readonly stack: PlannedStack) {
    const { plan } = stack;
    const [changes, others]: [InstanceChange[], ResourceChange[]] = [[], []];
    for (const change of plan.changes) {
      const ofObjects = changedObjects(change, plan);
      if (ofObjects.length > 0) changes.push(...ofObjects);
      else others.push(change);
    }
    this.#changes = changes;
    this.#dropped = droppedObjects(plan, changes);
    this.#planContext = new PlanContext(stack, changes, () => this.#clusters());
    const ofObjects = new Set([...changes, ...this.#dropped].map(({ id }) => id.platform));
    this.platforms = new Set([...this.#planContext.platforms, ...[...ofObjects].map(platformKey)]);
    this.others = others.filter((change) => !isSupportResource(change, this.platforms));
    this.#dependentsOf = dependentsIn(stack, this.others);
  }

  /** Platforms that gain or lose objects. Terraform replaces their orphan check. */
  get resized(): ReadonlySet<string> {
    const replaced = this.stack.plan.changes
      .filter(({ change }) => change.actions.join() === "delete,create")
      .map(supportInstance);
    return new Set(replaced.flatMap((support) => (support?.resource === "orphan_check" ? [platformName(support.platform)] : [])));
  }

  drifted(findings: readonly ObjectFinding[]): string[] {
    const staying = new Set(findings.filter(({ verdict }) => verdict === "UNCHANGED").map(({ object }) => object));
    const isDrifted = ({ id, change }: InstanceChange) => id.byProvider && hasDrift(change.change.after);
    return [...new Set(this.#changes.filter(isDrifted).map(({ id }) => id.id))].filter((object) => staying.has(object)).sort();
  }

  /** Clusters whose provider cannot make them. A provider that the plan registers is not on the service yet. */
  unmetNeeds(findings: readonly ObjectFinding[]): NoteOfStack[] {
    const created = new Set(findings.filter(isCreated).map(({ object }) => object));
    return this.#changes.flatMap(({ id, change }) => {
      const look = id.kind === "clusters" && created.has(id.id) ? this.#planContext.lookAt(id, change) : undefined;
      const provider = textIn(change, change.change.after, "provider");
      const isRegistered = created.has(`${id.type}/providers/${provider}`);
      return (look && !isRegistered && seen().unmetNeed(look, id, change)) || [];
    });
  }

  /** The refusals that stop the apply before it deletes anything. */
  readonly refusals = once(() => guardRefusals(this.stack.plan.changes, this.#planContext));

  clustersOn(findings: readonly ObjectFinding[]): ClustersByProvider {
    const leavesProvider = (finding: ObjectFinding) =>
      isDeleted(finding) &&
      (finding.verdict === "DESTROY" || finding.changes().some(({ field }) => field === "provider" || field === "*"));
    return this.#planContext.clustersOn(findings.filter(leavesProvider).map(({ object }) => object));
  }

  findings(): ObjectFinding[] {
    const objects = [...this.#judged("providers"), ...this.#clusters()];
    // The change of a dropped object does not show whether the code still declares it. A refresh-only plan leaves it there.
    const dropped = this.#dropped.map((entry) => ({
      ...this.#finding(entry, entry, judge(entry, this.#planContext)),
      declared: this.stack.plan.configuration.find(entry.id.platform.module, entry.id.block) !== undefined,
    }));
    return [...objects.map(({ from, to, judged }) => this.#finding(from, to, judged)), ...dropped];
  }

  readonly #clusters = once(() => this.#judged("clusters"));

  #judged(kind: InstanceId["kind"]): JudgedObject[] {
    const ofKind = this.#changes.filter(({ id }) => id.kind === kind);
    return [...groupedBy(ofKind, ({ id }) => id.id).values()].flatMap((group) => this.#judgedOf(group));
  }

  /** An object has several changes if it goes from one address to another, or has deposed copies. */
  #judgedOf(group: readonly InstanceChange[]): JudgedObject[] {
    const isDeposed = ({ id, change }: InstanceChange) => change.deposed !== undefined && !id.byProvider;
    const current = group.filter((entry) => !isDeposed(entry));
    const leaving = current.find(({ change }) => ["delete", "forget"].includes(change.change.actions.join()));
    const coming = current.find(({ change }) => change.change.actions.join() === "create");
    const isMoving = current.length === 2 && leaving && coming && this.#mayBeOneObject(leaving, coming);
    const single = current.length === 0 ? group.slice(0, 1) : current;
    return (isMoving ? [[leaving, coming] as const] : single.map((entry) => [entry, entry] as const)).map(([from, to], index) => {
      const judged = from === to ? judge(from, this.#planContext) : this.#moving(from, to);
      const isCopied = index === 0 && current.length > 0 && current.length < group.length;
      return { from, to, judged: isCopied ? withDeposed(judged) : judged };
    });
  }

  /** Two services can have objects of one name. Two Platforms that a program declares are on two services. */
  #mayBeOneObject(leaving: InstanceChange, coming: InstanceChange): boolean {
    const [from, to] = [leaving.id, coming.id];
    const { configuration } = this.stack.plan;
    const stays = !from.byProvider && configuration.find(from.platform.module, from.block) !== undefined;
    if (stays && from.platform !== to.platform && from.platform.module === to.platform.module) return false;
    return mayBeOneService(this.#serviceOf(leaving), this.#serviceOf(coming));
  }

  /** The object leaves one address and is declared at another: another engine, Platform or module. */
  #moving(from: InstanceChange, to: InstanceChange): Judgement {
    const [leaving, coming] = [judge(from, this.#planContext), judge(to, this.#planContext)];
    const reasons = [...leaving.reasons, declaredAt(to.change.address)];
    if (leaving.verdict === "DESTROY") return { ...leaving, verdict: "REPLACE", reasons };
    if (leaving.verdict !== "LEAVE") return { ...leaving, reasons };
    if (coming.verdict === "ADOPT" || (coming.refused && hasReason(leaving, "TAINTED"))) {
      return { ...coming, reasons: [...reasons, ...coming.reasons.filter(({ code }) => code === "REFUSED")] };
    }
    if (isLetGo(leaving)) return refusal("LEAVE", "high", ...reasons, TAKEN);
    // The create of a tainted one did not finish, so its name may be free.
    return hasReason(leaving, "TAINTED")
      ? judgement("CREATE", "low", ...reasons)
      : refusal("LEAVE", "critical", ...reasons, TAKEN);
  }

  #finding(from: InstanceChange, to: InstanceChange, { verdict, refused, risk, reasons }: Judgement): ObjectFinding {
    const { id, change } = verdict === "ADOPT" ? to : from;
    const declared = to.change.change.after !== null && to.change.change.after !== undefined;
    const isMoved = verdict === "UNCHANGED" && hasReason({ reasons }, "was at");
    const showsFields = declared && isAffected({ verdict, reasons }) && !isMoved && !hasReason({ reasons }, "expressions");
    // Computed when somebody asks for it, because reports of large plans show few.
    const before = once(() => summaryOf(from, from.change.change.before, undefined));
    const after = once(() => summaryOf(to, to.change.change.after, to.change.change.after_unknown));
    const path = once(() => this.#pathOf(to));
    return {
      stack: this.stack.name,
      verdict,
      refused,
      risk,
      kind: id.kind === "clusters" ? "cluster" : "provider",
      type: id.type,
      name: id.name,
      object: id.id,
      platform: nameOfPlatform(id.platform),
      engine: engineOf(to.id, to.change),
      provider: shownProvider(from.change, to.change),
      get before() {
        return before();
      },
      get after() {
        return after();
      },
      address: change.address,
      get path() {
        return path();
      },
      declared,
      protected: this.#isProtected(to),
      unprotected: this.#isUnprotected(from, to),
      seen: this.#planContext.lookAt(id, change) !== undefined,
      reasons: this.#withRemedy(from.id, reasons),
      dependents: verdict === "DESTROY" || verdict === "REPLACE" ? this.#dependentsOf(id) : [],
      changes: once((): readonly FieldChange[] => (showsFields ? fieldChanges(from.change, to.change) : [])),
      service: once(() => this.#serviceOf(to) ?? this.#serviceOf(from)),
      endpoint: once(() => endpointOf(to.change)),
    };
  }

  /** The note about a deletion guard has the remedy for all objects. Without the guard, the row of the object has it. */
  #withRemedy(id: InstanceId, reasons: readonly Reason[]): readonly Reason[] {
    const isSaid = () => this.refusals().some(({ because, names }) => because === "protected" && names.includes(id.id));
    if (!hasReason({ reasons }, "protected") || isSaid()) return reasons;
    const { allowDeletion = [] } = this.#planContext.settingsOf(id) ?? {};
    const allowedBy = allowDeletionLine({ allowDeletion }, [id.id]);
    return reasons.map((reason) =>
      reason.code === "REFUSED" && reason.because === "protected" ? { ...reason, allowedBy } : reason,
    );
  }

  #serviceOf({ id, change }: InstanceChange): string | undefined {
    return this.#planContext.serviceOf(id, change.change.after ?? change.change.before);
  }

  #isProtected({ id, change }: InstanceChange): boolean | null {
    const byState = id.byProvider && protectedByState(change.change.after ?? change.change.before);
    const settings = this.#planContext.settingsOf(id);
    return settings ? permissionOf(settings, id.id, byState).protection !== "none" : byState || null;
  }

  /** Compares both sides of one object, because it may come from another Platform. */
  #isUnprotected({ id, change }: InstanceChange, to: InstanceChange): boolean {
    const { before } = change.change;
    if (!before) return false;
    if (id.byProvider) return protectedByState(before) && Boolean(to.change.change.after) && this.#isProtected(to) === false;
    const [was, is] = [this.#planContext.settingsBefore(id, change), this.#planContext.settingsOf(to.id)];
    if (!was || !is) return false;
    const isHeld = (settings: RecordedSettings, object: string) => permissionOf(settings, object).protection === "settings";
    return isHeld(was, id.id) && !isHeld(is, to.id.id);
  }

  #pathOf({ id, change }: InstanceChange): string | null {
    const { before, after } = change.change;
    const { declared_at: path } = (after ?? before ?? {}) as JsonObject;
    if (id.byProvider) return typeof path === "string" ? path : null;
    return (id.platform.module === "" && this.stack.synthesized?.pathOf({ ...id, prefix: id.platform.prefix })) || null;
  }
}

/** The changes of an object at its address before and at its address after, and what becomes of it. */
interface JudgedObject {
  readonly from: InstanceChange;
  readonly to: InstanceChange;
  readonly judged: Judgement;
}

const nameOfPlatform = oncePerObject(platformName);

const ENDPOINTS = ["apiEndpoint", "server", "url", "authUrl"] as const;

function endpointOf(change: ResourceChange): readonly [field: string, value: string] | undefined {
  const { before, after, after_unknown: unknown } = change.change;
  const declared = (after ? declaredIn(change, after, unknown) : declaredIn(change, before)) ?? {};
  const field = ENDPOINTS.find((each) => declared[each] !== undefined && declared[each] !== "");
  return field === undefined || hiddenFields(change, change)(field, declared[field]) ? undefined : [field, declared[field]!];
}

function hasDrift(values: unknown): boolean {
  return isPlainObject(values) && isPlainObject(values.drift) && Object.keys(values.drift).length > 0;
}

function summaryOf({ id, change }: InstanceChange, values: unknown, unknown: unknown): ObjectSummary | null {
  return id.kind === "clusters" ? objectSummary(change, values, unknown, hiddenFields(change, change)) : null;
}

/** The provider to display. Null if it is hidden or there is none. {@link PlanContext.usersOf} reads the triggers themselves. */
function shownProvider(from: ResourceChange, to: ResourceChange): string | null {
  const providerOf = ({ type, change }: ResourceChange) => textIn({ type }, change.after ?? change.before, "provider");
  const provider = providerOf(to) ?? providerOf(from);
  return provider === undefined || hiddenFields(from, to)("provider", provider) ? null : provider;
}

/** Terraform removes a deposed copy from the state without a hook. The deposed copy may stand for the live object. */
function withDeposed({ verdict, refused, reasons }: Judgement): Judgement {
  if (verdict === "ADOPT") return judgement("ADOPT", "medium", noHook("deposed copy"), ...reasons);
  return { ...judgement("LEAVE", "critical", noHook("deposed copy"), ...reasons), refused: refused && verdict === "LEAVE" };
}
