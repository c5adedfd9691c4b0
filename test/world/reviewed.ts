import { hasReason, isAffected, isDeleted, isLetGo, type ObjectFinding } from "../../src/cli/review/judge/finding";
import type { Look } from "../../src/cli/review/plan/look";
import { CREATION_CODES } from "../../src/decision/creation";
import { DELETION_CODES } from "../../src/decision/deletion";
import { isRefusal, type Note } from "../../src/cli/review/judge/note";
import { type Review, reviewPlans } from "../../src/cli/review/judge/review";
import { type PlannedStack, readPlan } from "../../src/cli/review/plan/plan";
import { SynthesizedStack } from "../../src/cli/review/plan/synthesized-stack";
import { comparisonOf } from "../../src/cli/review/synth/comparison";
import { STACK_FILE } from "../../src/synthesized/folder";
import { objectId } from "../../src/model/object-ref";
import type { JsonObject } from "../../src/model/provider-type";
import { foreignPlaces, type ForeignPlace } from "../../src/recognition/recognize";
import { sharedStackOf, stackOf, type Program } from "./programs";
import { isNamed } from "./judge";
import { planDocument } from "./terraform/documents";
import type { Plan } from "./terraform/plan-walk";
import type { Outcome } from "./terraform/terraform";

/** What `review` says of a plan and its synthesized stack, as in a pipeline. */
export function reviewOf(program: Program, plan: Plan, look?: Look): Review {
  const { configuration, ...stack } = stackFor(program);
  const document = readPlan(planDocument(plan, configuration), "the plan of the world");
  return reviewPlans([{ name: "world", plan: document, ...stack, ...(look && { look }) }]);
}

type Reviewed = Pick<PlannedStack, "synthesized" | "foreign"> & { readonly configuration: unknown };

const stacks = new WeakMap<object, Reviewed>();
const foreignOnce = new WeakMap<object, readonly ForeignPlace[]>();

function stackFor(program: Program): Reviewed {
  const json = stackOf(program) as JsonObject;
  let stack = stacks.get(json);
  if (!stack) {
    // A test compares it with that of real plans.
    const { configuration } = comparisonOf(undefined, json).document;
    stack = { configuration, synthesized: new SynthesizedStack(json), foreign: foreignIn(sharedStackOf(program)) };
    stacks.set(json, stack);
  }
  return stack;
}

/** It takes as long as a synth. */
function foreignIn(stack: object): readonly ForeignPlace[] {
  let foreign = foreignOnce.get(stack);
  if (!foreign) {
    const files = new Map([[STACK_FILE, Buffer.from(JSON.stringify(stack, undefined, 2))]]);
    foreignOnce.set(stack, (foreign = foreignPlaces({ files })));
  }
  return foreign;
}

/** What a run does to one object on one service. `taken`: somebody else does it. */
export type Fate = "stays" | "deleted" | "replaced" | "taken" | "created" | "absent";

/** Whether the state has the object after the run. `new` is an instance that it did not have, `twin` one of two that it had. */
export type Entry = "same" | "new" | "twin" | "none";

/** After a move by hand, the state may have had two instances of one object. */
export function entryOf(before: unknown, after: unknown, stored: ReadonlySet<unknown>): Entry {
  if (after === undefined) return "none";
  if (after === before) return "same";
  return stored.has(after) ? "twin" : "new";
}

export interface Happened {
  readonly object: string;
  /** A plan does not show the URL of a Platform that has none, so the review may take two services for one. */
  readonly service: number;
  /** Whether it is on a service that the run uses. */
  readonly fate: Fate;
  readonly livedBefore: boolean;
  /** Whether the code declares it on this service. */
  readonly isDeclared: boolean;
  /** Whether it lived as the code declares it. */
  readonly wasAsDeclared: boolean;
  readonly wasStored: boolean;
  readonly entry: Entry;
  readonly isPlannedToLeave: boolean;
  /** What the review says about it. */
  readonly findings: readonly ObjectFinding[];
}

export interface Untrue {
  readonly rule: string;
  readonly text: string;
}

/** What must hold in every run: nothing is deleted or forgotten that the review leaves alone. */
export function dangers(happened: readonly Happened[]): Untrue[] {
  const onService = ({ service }: Happened) => happened.filter((each) => each.service === service);
  return happened.flatMap((each): Untrue[] => {
    const { object, fate, findings, entry, wasStored } = each;
    const says = verdictsOf(findings);
    const isFree = findings.some((finding) => isInUse(finding) && !isUsed(finding, onService(each)));
    if ((fate === "deleted" || fate === "replaced") && !findings.some(mayDelete) && !isFree)
      return [untrue(says, `the object is ${fate}`, object)];
    // A person has said that it is gone.
    const isForgotten = findings.some((finding) => hasReason(finding, "GONE"));
    if (fate === "stays" && wasStored && entry === "none" && !findings.some(mayForget) && !isForgotten)
      return [untrue(says, "the state forgets the object", object)];
    return [];
  });
}

const mayDelete = (finding: ObjectFinding) => isDeleted(finding) || finding.verdict === "UNKNOWN";
const mayForget = (finding: ObjectFinding) =>
  mayDelete(finding) ||
  finding.verdict === "LEAVE" ||
  finding.verdict === "ADOPT" ||
  (finding.verdict === "CREATE" && hasReason(finding, "TAINTED")) ||
  (finding.refused && hasReason(finding, "create_before_destroy", "no destroy hook"));
const isInUse = (finding: ObjectFinding) => finding.refused && hasReason(finding, "in use");

/** A plan with hooks does not show whether the clusters of the state live. */
function isUsed({ object, type, reasons }: ObjectFinding, happened: readonly Happened[]): boolean {
  const users = reasons.flatMap((reason) => ("clusters" in reason ? (reason.clusters ?? []) : []));
  return happened
    .filter((each) => each.object === object && each.livedBefore)
    .some(({ service }) => {
      // A process of an earlier run may delete a user after the plan.
      const there = happened.filter((each) => each.service === service && each.fate !== "taken");
      return users.some((name) => lives(objectId(type, "clusters", name), there));
    });
}

function lives(id: string, happened: readonly Happened[]): boolean {
  return happened.some(({ object, livedBefore }) => object === id && livedBefore);
}

/** What must hold if nothing goes wrong. */
export function untrueIn({ findings, notes }: Review, happened: readonly Happened[], outcome: Outcome): Untrue[] {
  const { ok, errors, codes } = outcome;
  const isLive = (id: string) => lives(id, happened);
  // A note says that an interrupted apply has replaced it.
  const isReplaced = (finding: ObjectFinding) =>
    isInUse(finding) && happened.some((each) => each.object === finding.object && each.isDeclared && each.wasAsDeclared);
  const isCertain = (finding: ObjectFinding) =>
    (finding.refused && finding.seen) ||
    (finding.refused &&
      // The run may adopt what the plan cannot create.
      finding.verdict !== "LEAVE" &&
      isLive(finding.object) &&
      (!isInUse(finding) || isUsed(finding, happened)) &&
      !isReplaced(finding));
  const refused = [
    ...findings.filter(isCertain).map((finding) => [verdictsOf([finding]), finding.object]),
    ...notes.filter((note) => says(note, isLive)).map((note) => [note.because, JSON.stringify(note)]),
  ] as [string, string][];
  const isSaid = (...codes: string[]) =>
    findings.some(({ reasons }) => reasons.some((each) => codes.includes("because" in each ? each.because : each.code))) ||
    notes.some(({ because, code }) => codes.includes(code) || codes.includes(because));
  if (ok)
    return [
      ...refused.map(([what, about]) => untrue(what, "the apply succeeds", about)),
      ...happened.flatMap((each) => ofSuccess(each)),
    ];
  const isSeen = findings.length > 0 && findings.every(({ seen }) => seen);
  const isForetold = findings.some(({ refused, verdict }) => refused || verdict === "UNKNOWN") || notes.some(isRefusal);
  const isPending = findings.some(({ reasons }) => reasons.some((reason) => "pending" in reason));
  const isOpen = (code: string) => {
    if (code === "OBJECT_MISSING") return isPending;
    if (code === "NAME_TAKEN") return findings.some(isReplacedElsewhere);
    // The service may still be deleting the clusters on a provider, and the apply may not wait long enough.
    return code === "PROVIDER_IN_USE" && !happened.some((each) => isLivingUser(each, errors));
  };
  const unsaid = isSeen && !isForetold ? codes.filter((code) => DECIDED.has(code) && !isOpen(code)) : [];
  if (unsaid.length > 0)
    return [untrue("after a look that nothing is refused", `the apply fails with ${unsaid[0]}`, errors.join("\n"))];
  return SHOWN.filter(({ error, as, from = () => true }) => {
    return errors.some((text) => error.test(text) && from(happened, text)) && !isSaid(...as);
  }).map(({ as, error }) => untrue(`nothing of ${as.join(" or ")}`, `the apply fails with ${error.source}`, errors.join("\n")));
}

/** Terraform deletes it at one address and creates it at another, in any order. The provider refuses one of the two orders. */
function isReplacedElsewhere(finding: ObjectFinding): boolean {
  return finding.engine === "provider" && finding.verdict === "REPLACE" && hasReason(finding, "declared at");
}

function isLivingUser({ object, livedBefore }: Happened, errors: readonly string[]): boolean {
  const users = errors.flatMap((text) => / is used by (.*?);/.exec(text)?.[1]?.split(/, | and | is used by /) ?? []);
  return livedBefore && users.some((user) => object.endsWith(`/clusters/${user}`));
}

/** Codes of refusals that the service and the notes show before a run. */
const DECIDED: ReadonlySet<string> = new Set(
  [...Object.values(DELETION_CODES), ...Object.values(CREATION_CODES)].filter((code) => code !== "DELETE_TIMEOUT"),
);

/** Refusals that a plan shows, and what the review calls them. */
const SHOWN: readonly {
  readonly error: RegExp;
  readonly as: readonly string[];
  /** Whether the plan shows what the refusal is about. */
  readonly from?: (happened: readonly Happened[], text: string) => boolean;
}[] = [
  {
    error: /\[PROTECTED\]/,
    as: ["protected", "no declaration", "REFUSED"],
    from: (happened, text) => isAboutPlanned(text, happened),
  },
  // A plan does not show whether what the state has lives.
  {
    error: /_(?:ready|protection): .* retain has /,
    as: ["retain matches nothing"],
    from: (happened, text) => !happened.some((each) => isOfState(each, text)),
  },
  { error: /by the Platform's retain/, as: ["retain", "destroy = false", "retained"] },
  { error: / is used by /, as: ["in use"], from: (happened) => happened.some((each) => isUser(each, happened)) },
];

/** A plan does not show whether what it lacks, or has as tainted, lives. */
function isAboutPlanned(text: string, happened: readonly Happened[]): boolean {
  const guard = /\.cluster_platform_(?:(\w+)_)?protection: /.exec(text);
  // What another engine has left is not what the code declares.
  const isOfGuard = (finding: ObjectFinding) =>
    finding.platform === (guard?.[1] ?? "") && (finding.verdict !== "LEAVE" || isLetGo(finding));
  return !guard || happened.some((each) => each.wasStored && text.includes(each.object) && each.findings.some(isOfGuard));
}

/** Whether an entry of `retain` in a refusal names an object of the state. */
function isOfState({ object, wasStored, isPlannedToLeave }: Happened, text: string): boolean {
  const [, names = ""] = / retain has (.*?), which /.exec(text) ?? [];
  return (wasStored || isPlannedToLeave) && isNamed(names.split(/, | and /), object);
}

/** A cluster of the state that stays, on a service where a registration is planned to leave. */
function isUser({ object, service, fate, wasStored, entry, isPlannedToLeave }: Happened, happened: readonly Happened[]): boolean {
  const isLeft = (each: Happened) => each.object.includes("/providers/") && each.service === service && each.isPlannedToLeave;
  const isKept = fate === "stays" && wasStored && entry === "same" && !isPlannedToLeave;
  return object.includes("/clusters/") && isKept && happened.some(isLeft);
}

/** Notes about objects that are gone do not count: a plan with hooks does not show that. */
function says(note: Note, isLive: (id: string) => boolean): boolean {
  if (note.code === "REFUSED") return note.because === "protected" && note.names.some(isLive);
  if (note.because === "refused in between") return note.refused.some(isLive);
  // The service may have what an entry of `retain` names.
  return false;
}

function ofSuccess({ object, fate, entry, findings, livedBefore, wasStored, wasAsDeclared, isDeclared }: Happened): Untrue[] {
  if (findings.length !== 1) return [];
  const [finding] = findings as [ObjectFinding];
  const { verdict, engine } = finding;
  // Without the URLs, the review takes the services of two Platforms for one.
  const isElsewhere = engine !== "provider" && hasReason(finding, "declared at") && !isDeclared;
  const isGone = isElsewhere && (!finding.refused || verdict === "LEAVE");
  const expected = (isGone && ELSEWHERE[verdict]) || expectedOf(finding);
  if (!expected || finding.reasons.some((reason) => "dropped" in reason)) return [];
  const [ofLiving, ofMissing, entries] = expected;
  // A note says that an interrupted apply has replaced it.
  const isReplaced = verdict === "REPLACE" && fate === "stays" && wasAsDeclared;
  if (!isReplaced && !(livedBefore ? ofLiving : ofMissing).includes(fate)) {
    return [untrue(verdict, `${livedBefore ? "the object" : "a missing object"} ${WORDS[fate]}`, object)];
  }
  const isEntry = entries.includes(entry === "twin" ? "none" : entry) || (entry === "none" && !wasStored && fate === "absent");
  return isEntry ? [] : [untrue(verdict, `the state has ${ENTRIES[entry]}`, object)];
}

const WORDS: Readonly<Record<Fate, string>> = {
  stays: "stays",
  deleted: "is deleted",
  replaced: "is replaced",
  taken: "is somebody else's",
  created: "is created",
  absent: "is not created",
};

const ENTRIES: Readonly<Record<Entry, string>> = {
  same: "the same instance",
  new: "a new instance",
  twin: "its other instance",
  none: "no instance",
};

/** What happens to an object that lives and to one that is missing, and what the state has. */
type Expected = readonly [readonly Fate[], readonly Fate[], readonly Entry[]];

const COMING: Expected = [["stays"], ["created"], ["new"]];
const LEFT: Expected = [["stays"], ["absent"], ["none"]];
const GOING: Expected = [["deleted"], ["absent"], ["none"]];
/** What the review takes for an object that comes again is on another service. */
const ELSEWHERE: Readonly<Partial<Record<ObjectFinding["verdict"], Expected>>> = { REPLACE: GOING, LEAVE: LEFT };

function expectedOf(finding: ObjectFinding): Expected | undefined {
  // The run may adopt what the plan cannot create, and creates it if it is missing.
  if (finding.refused) return isComing(finding) ? COMING : undefined;
  switch (finding.verdict) {
    case "UNCHANGED":
      return [["stays"], ["absent"], isAffected(finding) ? ["same", "new"] : ["same"]];
    // It may be this stack's: a note has it, or the run may adopt it.
    case "CREATE":
      return COMING;
    case "ADOPT":
      return [["stays"], ["created"], ["same", "new"]];
    case "LEAVE":
      return hasReason(finding, "declared at") ? COMING : LEFT;
    case "DESTROY":
      return GOING;
    case "REPLACE":
      return [["replaced"], ["created"], ["new"]];
    case "UNKNOWN":
      return undefined;
  }
}

const isComing = (finding: ObjectFinding) => hasReason(finding, "taken", "create_before_destroy", "no destroy hook");

function verdictsOf(findings: readonly ObjectFinding[]): string {
  if (findings.length === 0) return "nothing";
  return findings.map(({ verdict, refused }) => (refused ? `${verdict}, refused` : verdict)).join(" and ");
}

function untrue(says: string, but: string, text: string): Untrue {
  return { rule: `7 review says ${says}, and ${but}`, text };
}
