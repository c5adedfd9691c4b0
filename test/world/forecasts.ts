import { ClusterList, ProviderList } from "../../src/api/lists";
import type { Review } from "../../src/cli/review/judge/review";
import type { Look } from "../../src/cli/review/plan/look";
import { readRunSettings, type RunSettings } from "../../src/host/run-settings";
import { Journal } from "../../src/lifecycle/journal";
import { notesIn } from "./hooks";
import type { Computer } from "./kernel";
import { UNKNOWN_PLATFORM } from "../../src/cli/report/instance";
import { platformOfPrefix } from "../../src/contract/addresses";
import { isLeaving, urlOf, urlOfPlatform } from "./instances";
import type { Judged } from "./judge";
import { declaredBy, isAsDeclared, type Program, serviceAt } from "./programs";
import { dangers, entryOf, type Fate, type Happened, reviewOf, untrueIn } from "./reviewed";
import type { Life } from "./service";
import { environmentOf, type Stage, type Workspace } from "./stage";
import type { Step } from "./steps";
import type { Outcome, Terraform } from "./terraform/terraform";

/** The Platform of a finding of the review that may be about any. */
const UNKNOWN = platformOfPrefix(UNKNOWN_PLATFORM);

/** How long hooks may live after Terraform was killed. */
const CHILDREN_END_MS = 30_000;

/** Whether nothing that earlier runs have left may still change what the run finds. */
export function isClear(stage: Stage, program: Program): boolean {
  if (stage.services.some((service) => !service.isTrue || service.isExpectingLate)) return false;
  // Lists show neither that it leaves, nor when it is gone.
  const isHidden = ({ to, leavingAt, object }: Life) =>
    to === undefined && leavingAt !== undefined && (object.kind === "providers" || !stage.sequence.setup.isDeletionShown);
  if (stage.services.some(({ lives }) => lives.some(isHidden))) return false;
  // Hooks of a killed Terraform may still work.
  const [before] = stage.steps.slice(-2);
  if (before?.stop && stage.kernel.now < stage.endedAt + CHILDREN_END_MS) return false;
  // The model of an import with hooks knows less than Terraform.
  return stage.imported.size === 0 || program.engine === "provider";
}

/** What `review --live` sees before a run, by the clock's time. */
export function lookOf(
  stage: Stage,
  { files }: Computer,
  { name: workspace }: Workspace,
  env: NodeJS.ProcessEnv,
): ((at: number) => Look) | undefined {
  const ofRun = runSettingsOf(env);
  if (!ofRun) return undefined;
  const url = env.CLUSTER_PLATFORM_URL!;
  const { clusters, providers } = stage.services[serviceAt(url)!]!.lists();
  const lists = { clusters: new ClusterList("", clusters), providers: new ProviderList("", providers) };
  const notes = notesIn({ files: new Map(files) });
  return (at) => {
    const clock = { now: () => at, pause: () => Promise.reject(new Error("a review has looked")), after: () => () => undefined };
    const journal = new Journal({ notes, url, workspace, run: "review" }, clock);
    return { url, clock, ofRun, problemOf: () => undefined, lists, journal };
  };
}

/** Undefined if a run refuses them. */
function runSettingsOf(env: NodeJS.ProcessEnv): RunSettings | undefined {
  try {
    return readRunSettings(env);
  } catch {
    return undefined;
  }
}

/**
 * Rule 7: what `review` says of a plan comes true, with and without a look. Nothing is deleted or forgotten that it leaves alone.
 * @param started when the run began
 * @param lookAt undefined if something goes wrong in the run, or somebody else does anything
 */
export function judgeReview(
  stage: Stage,
  judged: readonly Judged[],
  run: Terraform,
  outcome: Outcome,
  { backend }: Workspace,
  before: readonly ReadonlyMap<string, Life>[],
  started: number,
  lookAt: ((at: number) => Look) | undefined,
): void {
  const plan = run.shown;
  if (!plan || plan.isFailed) return;
  const { step, number } = judged[0]!;
  const count = (what: string) => stage.reviews.set(what, (stage.reviews.get(what) ?? 0) + 1);
  count(`${lookAt ? "" : "not calm, "}${outcome.ok ? "succeeds" : "fails"}`);
  const after = stage.lives();
  const url = environmentOf(step).CLUSTER_PLATFORM_URL!;
  const happenedIn = ({ findings }: Review) =>
    stage.services.flatMap((_, index): Happened[] => {
      const stored = stage.stored(backend, index);
      const changes = plan.changes.filter(({ block }) => serviceAt(urlOf(step.program, block) ?? url) === index);
      const all = [...before[index]!.keys(), ...after[index]!.keys(), ...judged[index]!.before.keys()];
      return [...new Set(all)]
        .filter((id) => !judged[0]!.elsewhere.includes(id))
        .map((id): Happened => {
          const [was, is] = [before[index]!.get(id), after[index]!.get(id)];
          const [held, holds] = [judged[index]!.before.get(id), stored.get(id)];
          return {
            object: id,
            service: index,
            fate: fateOf(was, is, number),
            livedBefore: was !== undefined,
            isDeclared: declaredBy(judged[index]!.program).includes(id),
            wasAsDeclared: was !== undefined && isAsDeclared(step.program, id, was.object.body),
            wasStored: held !== undefined && !held.isTainted,
            entry: entryOf(held?.instance, holds?.instance, judged[index]!.instances),
            isPlannedToLeave: isLeaving(changes, id),
            findings: findings.filter(
              ({ object, platform }) =>
                object === id && (platform === UNKNOWN || serviceAt(urlOfPlatform(step.program, platform) ?? url) === index),
            ),
          };
        });
    });
  const untrueBy = (review: Review) => {
    const happened = happenedIn(review);
    return [...dangers(happened), ...(lookAt ? untrueIn(review, happened, outcome) : [])];
  };
  const withoutLook = reviewOf(step.program, plan);
  for (const { verdict } of withoutLook.findings) count(verdict);
  const lookedAt = (at: number) => (lookAt ? untrueBy(reviewOf(step.program, plan, lookAt(at))) : []);
  // What the notes prove may lapse between the look and the run.
  const withLook = lookedAt(started);
  const found = [...untrueBy(withoutLook), ...(withLook.length > 0 && lookedAt(stage.kernel.now).length > 0 ? withLook : [])];
  for (const { rule, text } of found.slice(0, 1)) stage.judges[0]!.violated(rule, text);
}

/**
 * Whether nothing goes wrong in a run of a plan, and nobody else does anything meanwhile. With `-target`, OpenTofu leaves out of the
 * apply what it has planned only for a target without a change.
 */
export function isReviewable({ other, ...step }: Step, { operation = "apply", target }: Step, isOpenTofu: boolean): boolean {
  if (isOpenTofu && target) return false;
  const isBefore = other === undefined || other.at === undefined;
  return isBefore && Object.keys(step).every((key) => REVIEWABLE.has(key)) && APPLIES.has(operation);
}

const REVIEWABLE: ReadonlySet<string> = new Set<keyof Step>([
  "program",
  "operation",
  "workspace",
  "computer",
  "wait",
  "url",
  "adopt",
  "acceptGone",
  "state",
  "replace",
  "target",
  "withoutRefresh",
]);

const APPLIES: ReadonlySet<string> = new Set<NonNullable<Step["operation"]>>(["apply", "destroy"]);

/** What a run has done to an object on a service. */
function fateOf(before: Life | undefined, after: Life | undefined, run: number): Fate {
  if (!before) return after ? (after.by.run === run ? "created" : "taken") : "absent";
  if (before === after) return "stays";
  if (before.removedBy?.run !== run) return "taken";
  return after ? "replaced" : "deleted";
}
