import { describeObject } from "../../src/lifecycle/wording";
import { idOf, objectOf } from "../../src/model/object-ref";
import { declaredBy, declaresUnlisted, isAsDeclared, isListedAsDeclared, isOtherwise, type Program, UNLISTED } from "./programs";
import { aboutObject, isRefusal, type Life, type LogEntry, type SeenRequest, type Service } from "./service";
import type { Step } from "./steps";
import type { Outcome } from "./terraform/terraform";

/** An object in the state. */
export interface Stored {
  /** `type/kind/name` */
  readonly id: string;
  /** Address of its block. */
  readonly block: string;
  readonly isTainted: boolean;
  /** The id of the instance. A new instance is a new claim. */
  readonly instance: unknown;
  /** The program whose declaration the state has. Undefined for an imported object, until an apply has checked it. */
  readonly program: Program | undefined;
}

/** What the judge knows of one run of Terraform. */
export interface Judged {
  /** For a saved plan, with the program and the options of the step that has planned it. */
  readonly step: Step;
  readonly program: Program;
  /** Not a plan or an import. */
  readonly isApply: boolean;
  /** Whether the plan was saved before. Terraform then starts the provider only for what changes. */
  readonly isSaved: boolean;
  readonly workspace: string;
  readonly number: number;
  /** Name of the computer. */
  readonly computer: string;
  readonly startedAt: number;
  /** Objects in the state before, with the life that they had then. */
  readonly before: ReadonlyMap<string, Stored & { readonly life: Life | undefined }>;
  /** Objects in the state before that were created on another service than the one that the run uses for them now. */
  readonly elsewhere: readonly string[];
  /** Whether that service has one of these objects. */
  looksAlike(): boolean;
  /** Whether the run uses this service. */
  readonly isHere: boolean;
  /** Of all services that the run uses. What is known about another URL of the same service does not count. */
  readonly urls: readonly string[];
  /** Whether the code has a hook for objects of this block in the state. */
  keepsHook(block: string): boolean;
  /** Address of the block that the code has for an object. */
  blockOf(id: string): string;
  /** Whether the resource that prints a line belongs to a Platform on this service. */
  isOfHere(line: string): boolean;
  /** Ids of all instances in the state before. */
  readonly instances: ReadonlySet<unknown>;
  /** Whether an instance in the state before, about this object, was tainted. */
  isTainted(id: string): boolean;
  /** Whether the plan of the run deletes or replaces an object. */
  isPlanned(id: string): boolean;
  readonly hadOrphanCheck: boolean;
  /** Address of the resource that waits for an object, with the provider. */
  readyOf(id: string): string;
  /** Whether the state names by this resource what the run creates, and the run looks for what it names. */
  looksWith(ready: string): boolean;
  /** What is on the computer by now, by path. */
  readonly files: ReadonlyMap<string, string>;
  /** Whether something refuses a deletion before the apply begins: the deletion guard, or a plan of the provider. */
  readonly hadGuard: boolean;
  readonly isRemote: boolean;
  /** Whether a person follows remedies. */
  readonly isFollowing: boolean;
}

export interface Violation {
  /** The number of the rule, and what it says. */
  readonly rule: string;
  readonly text: string;
}

/** Endings that nobody can avoid. README.md has the same sentences. */
export const EXCEPTIONS = {
  "no owner":
    "The interface shows no owner. An object of somebody else with the name, type and provider of the state looks like the stack's own.",
  "no condition":
    "The interface has no conditional DELETE. An object that is created under the name after the last look, by somebody else or by the next run, or that the last look does not show yet, is deleted.",
  "another machine":
    "The notes are on one machine, and count for a week at most. On another one, or later, nothing shows that a create or a deletion was sent, and the orphan check polls for ten seconds only. Nor does a note show what another machine or workspace has done since.",
  "no orphan check":
    "A Terraform that is stopped between its deletions and its creations leaves a state without the orphan check. So does `terraform state rm` or `terraform taint` of the check. After a `-target` that leaves out the removal of an object in `retain`, the check does not look for the object, so Terraform forgets it if somebody taints its instance. With the provider, a `destroy` that has nothing to delete looks for nothing.",
  "let go by a killed apply":
    "Terraform shows the provider's warnings when it ends. If an apply is killed after it has let go of an object with `retain`, only the code and the plan name the object.",
  "no deletion guard":
    "After an apply that failed, the state has no `ready`, or a tainted one, of which Terraform runs no destroy hook, and `protection` does not know what that apply has created and the code lacks. Then the hook of each object refuses for that object alone, and the run may delete others.",
  "recorded by a killed Terraform":
    "Terraform records an instance as created before its hook has ended. If both are killed, the state has an object that was not created, or the new declaration of one that lives with another.",
  "no hook runs":
    "A plan without changes, or with changes of settings only, runs no hook that looks for all objects. Neither does one that only restores `protection` or `orphan_check_on_destroy` after somebody has tainted it or removed it from the state. Terraform does not ask the provider when it applies a saved plan without changes. If Terraform or a hook is stopped, or a run with `-target` fails, before the state has what was done, and the code then goes back to what the state has, nothing looks at the service. Nor does anything show what somebody else does with an object, or another stack or workspace that has adopted it.",
  "lost by a remote state":
    "A remote state is written every 20 seconds. Objects of a killed Terraform may be missing in it, or be in it as they were before.",
  "fields that lists do not show":
    "The lists do not show all fields. An adoption, an import, or a correction with `retain` and `adopt` names the declared fields that it could not check. If a killed replacement has changed only such fields, and the code then goes back, no plan shows it. A plan that takes over live values does not show the other fields of an object that a killed run without a note, or another workspace, has replaced.",
  "a late POST":
    "A create that the service carries out after the stack has gone on looks like somebody else's, or like the object in the state. While it may still come, the object of a killed replacement may be from it, so the next apply replaces that object again.",
  "a late DELETE":
    "A DELETE that the service carries out after its answer was given up may delete the next object with the name. If the service takes longer than five minutes for a DELETE without an answer, and lists do not show it, the object seems to stay.",
  "no hook left":
    "A `Platform` with hooks that leaves the code, also by another name or by another engine, takes its hooks along. Terraform forgets its objects without asking the service.",
  "another URL":
    "While a stack has another URL, nothing looks for what a killed run has created at the one before, or for an object whose instance somebody has tainted.",
  "refused by Terraform":
    "Terraform refuses two plans in its own words, and nothing is touched: a `-target` that leaves out a move and, with `Engine.PROVIDER`, the removal of a `Platform` with a name, because it needs the provider block.",
  "the same names":
    "To hooks, two services with objects of the same names look the same. To the provider, they do if the lists show the same values, and somebody has applied the URL of the other service.",
  "accepted as gone": "A person has said with `CLUSTER_PLATFORM_ACCEPT_GONE` that missing objects are gone.",
  "untainted and missing":
    "A person has untainted instances of objects that are not on the service. Each of them is found missing in a run of its own. What an interrupted create makes later looks like the object of the instance.",
} as const;

export type Exception = keyof typeof EXCEPTIONS;

/** The search for a create that comes late lasts for this time, or for deleteSeconds if that is less. */
const LATE_SECONDS = 120;
/** For this time, lists may lag behind. */
const LAG_MS = 10_000;
/** For this time, a listed object may be one that a DELETE without an answer deletes. */
const GHOST_MS = 300_000;
/** After these times, what a computer knows of a create is a hint and no proof. */
const PROVES_MS = 7 * 86_400_000;
const ANSWERED_PROVES_MS = 3_600_000;

/**
 * Judges what the service and the state have after each run. The rules do not know how the package works: they see what the service
 * got and has, the plan and the state of Terraform, what a run prints, and what was killed. They know the promises of
 * docs/lifecycle.md, and the support resources. {@link CreateNotes} has the rules that need the notes.
 */
export class Judge {
  readonly violations: Violation[] = [];
  readonly exceptions = new Map<Exception, number>();
  /** Numbers of the lives that belong to each workspace: those that it created, and those that it adopted. */
  readonly #ours = new Map<string, Set<number>>();
  /** Numbers of the lives that the state has had with a declaration, so that no create of them is unfinished. */
  readonly #settled = new Set<number>();
  /** Numbers of the lives that the stack has left on the service because it was told so. */
  readonly #released = new Set<number>();
  /** Numbers of the lives that a killed apply may have let go. */
  readonly #letGo = new Set<number>();
  /** The objects that `retain` has left on the service, with the run that did so. */
  readonly #left: { readonly by: Judged; readonly has: (id: string) => boolean }[] = [];
  /** Numbers of the lives whose instances somebody has tainted. */
  readonly #tainted = new Set<number>();
  readonly #runs = new Map<number, Judged>();
  readonly #killed = new Set<number>();
  /** The ids of the objects that a run has said it may have created, by the number of the run. */
  readonly #unanswered = new Map<number, readonly string[]>();
  /** Whether two runs have written one state at once. It may then have nothing of what one of them did. */
  #areStatesLost = false;
  /** Numbers of the lives that the stack adopted although fields differ that lists do not show. */
  readonly #unseen = new Set<number>();
  /** Numbers of the lives that the state has had with a declaration that a killed Terraform has recorded and not sent. */
  readonly #misrecorded = new Set<number>();
  /** The last run before a person has untainted an object that was not on the service, by its id. */
  readonly #untaintedMissing = new Map<string, number>();
  /** The runs that have adopted or imported a life and named the fields that they could not check, by its number. */
  readonly #unchecked = new Map<number, Judged>();

  constructor(private readonly service: Service) {}

  begin(run: Judged): void {
    this.#runs.set(run.number, run);
    this.#ownCreations();
  }

  #ownCreations(): void {
    for (const { by, number } of this.service.lives) {
      const maker = by.run === undefined ? undefined : this.#runs.get(by.run);
      if (maker) this.#oursIn(maker).add(number);
    }
  }

  statesAreLost(): void {
    this.#areStatesLost = true;
  }

  #oursIn({ workspace }: Judged): Set<number> {
    let ours = this.#ours.get(workspace);
    if (!ours) this.#ours.set(workspace, (ours = new Set()));
    return ours;
  }

  /** A person says that the object is as the state has it. */
  accept(id: string | undefined): void {
    if (id === undefined) return;
    const life = this.service.live(id);
    if (life) this.#unseen.add(life.number);
    else this.#untaintedMissing.set(id, Math.max(...this.#runs.keys()));
  }

  /** Whether the create of the object was interrupted before a person has untainted its instance. */
  #isMadeAfterUntaint({ id, by }: Life): boolean {
    return (by.run ?? Infinity) <= (this.#untaintedMissing.get(id) ?? -Infinity);
  }

  /** A person has taken the object out of the state, and is responsible for it. */
  release(id: string | undefined): void {
    const life = id === undefined ? undefined : this.service.live(id);
    if (life) this.#released.add(life.number);
  }

  /** A person makes Terraform give up the object. */
  taint(id: string | undefined): void {
    const life = id === undefined ? undefined : this.service.live(id);
    if (life) this.#tainted.add(life.number);
  }

  violated(rule: string, text: string): void {
    this.violations.push({ rule, text });
  }

  /** Whether a run on another computer has made the object that lives. */
  isMadeElsewhere(id: string, computer: string): boolean {
    const made = this.service.live(id)?.by.run;
    const maker = made === undefined ? undefined : this.#runs.get(made);
    return maker !== undefined && maker.computer !== computer;
  }

  /** Counts an exception that applies. */
  excuse(exception: Exception): void {
    this.#excused(exception, true);
  }

  /** Whether the exception applies. Counts it. */
  #excused(exception: Exception, applies: boolean): boolean {
    if (applies) this.exceptions.set(exception, (this.exceptions.get(exception) ?? 0) + 1);
    return applies;
  }

  /** Rule 2, when a DELETE of a live object is carried out. */
  deleted(life: Life, runNumber: number | undefined): void {
    const run = runNumber === undefined ? undefined : this.#runs.get(runNumber);
    if (!run) return;
    const { id } = life;
    if (this.#excused("a late DELETE", life.isRemovedLate === true)) return;
    if (run.elsewhere.includes(id)) {
      if (!this.#isLookalike(run)) this.violated("2 an object is deleted on the wrong service", id);
      return;
    }
    const isOurs = this.#oursIn(run).has(life.number) || this.#runs.get(life.by.run!)?.workspace === run.workspace;
    if (
      !isOurs &&
      !this.#excused("no owner", this.#looksLikeOurs(life, run)) &&
      !this.#excused("no condition", !this.#wasSeenBeforeRemoval(life))
    )
      this.violated("2 somebody else's object is deleted", id);
    if (!run.isPlanned(id)) this.violated("2 an object is deleted that the plan does not delete", id);
    const { program, step } = run;
    if (isProtected(program, id)) this.violated("2 a protected object is deleted", id);
    if (isNamed(program.retain ?? [], id)) this.violated("2 a retained object is deleted", id);
    if (this.#areStatesLost) return;
    const isAsked =
      step.operation === "destroy" ||
      run.isTainted(id) ||
      this.#wasLeaving(run, life) ||
      (!run.isFollowing && step.replace?.some((name) => id.endsWith(`/${name}`)));
    const made = this.#runs.get(life.by.run!);
    // A plan shows a rename without a move.
    const isRenamed = run.before.get(id)?.block !== undefined && run.before.get(id)!.block !== run.blockOf(id);
    if (!isAsked && !isRenamed && made?.workspace === run.workspace && isAsDeclared(program, id, life.object.body)) {
      if (this.#excused("fields that lists do not show", this.#unseen.has(life.number))) return;
      if (this.#excused("recorded by a killed Terraform", this.#misrecorded.has(life.number))) return;
      if (this.#excused("untainted and missing", this.#isMadeAfterUntaint(life))) return;
      // A computer knows what it has sent itself.
      const isOfOwnCreate = run.isFollowing && made.computer !== run.computer && this.#sent(run, id).length > 0;
      const isUnknown = isOfOwnCreate || (this.#killed.has(made.number) && this.#hasNoProof(run, made, life));
      if (this.#excused("another machine", isUnknown)) return;
      if (this.#isOvertaken(life)) return;
      const mayCome = ({ at, status }: SeenRequest) => status === undefined && life.from - at < lateMs(program);
      const isOfOther =
        this.#killed.has(made.number) &&
        (this.#sent(run, id).some((sent) => mayCome(sent) && sent.by.run !== made.number) || this.#wasStoppedBefore(made, life));
      if (this.#excused("a late POST", isOfOther || (life.isMadeLate && this.#isTooLate(run, life)))) return;
      this.violated("3 an object that is as declared is deleted and created again", id);
    }
  }

  /** The creates of the object that earlier runs on the computer have sent, without those that the service has refused. */
  #sent({ number, computer }: Judged, id: string): SeenRequest[] {
    const isSender = (each: Judged | undefined) => each !== undefined && each.number < number && each.computer === computer;
    return this.service.requests.filter(
      ({ method, about, by, status }) =>
        method === "POST" && about === aboutObject(id) && !isRefusal(status) && isSender(this.#runs.get(by.run ?? NaN)),
    );
  }

  /** Whether an earlier run was stopped before it sent a POST. The computer cannot tell that from one that comes late. */
  #wasStoppedBefore({ number, computer }: Judged, { id, from }: Life): boolean {
    return [...this.#runs.values()].some(
      (run) =>
        run.number < number &&
        run.computer === computer &&
        run.step.stop?.at.before === "sends POST" &&
        declaredBy(run.program).includes(id) &&
        from - run.startedAt < lateMs(run.program),
    );
  }

  /** Whether an earlier run on the computer has made it, and no state has had it since. */
  #isUnsettled({ number, computer }: Judged, life: Life): boolean {
    const maker = this.#runs.get(life.by.run ?? NaN);
    const isMadeHere = maker !== undefined && maker.number < number && maker.computer === computer;
    return isMadeHere && !this.#settled.has(life.number) && !this.#isLeft(life);
  }

  /** Whether the computer of the run knows nothing, or nothing recent, of the create and of the deletion before it. */
  #hasNoProof(run: Judged, made: Judged, life: Life): boolean {
    const before = this.service.lives.findLast(({ id, number }) => id === life.id && number < life.number);
    const deleter = before?.removedBy?.run === undefined ? undefined : this.#runs.get(before.removedBy.run);
    const isDeletedElsewhere = before !== undefined && deleter?.computer !== made.computer;
    return made.computer !== run.computer || isDeletedElsewhere || this.#isPast(run, made, life);
  }

  /** Whether an earlier run has begun to remove the object. */
  #wasLeaving({ number }: Judged, { id, by }: Life): boolean {
    const since = [...this.#runs.values()].filter((run) => run.number > by.run! && run.number < number && run.isPlanned(id));
    return since.some(({ program, step }) => step.operation === "destroy" || !declaredBy(program).includes(id));
  }

  /** Rule 5, at the end: the service has what the program declares. */
  converged(program: Program, { changes }: Outcome, { isRemote, workspace }: Pick<Judged, "isRemote" | "workspace">): void {
    const isHook = program.engine !== "provider";
    for (const id of declaredBy(program)) {
      const life = this.service.live(id);
      const last = this.service.lives.findLast((each) => each.id === id);
      if (life && (isAsDeclared(program, id, life.object.body) || this.#unseen.has(life.number))) continue;
      const by = [last?.by.run, last?.removedBy?.run].flatMap((run) => (run === undefined ? [] : [this.#runs.get(run)!]));
      // The provider sees the difference in its plan.
      const isKilled = isHook && by.some(({ number }) => this.#killed.has(number));
      const isUnseen = isKilled || (isHook && by.some(({ step }) => step.stop || step.target));
      const isOfOthers = isHook && last?.removedBy !== undefined && last.removedBy.run === undefined;
      const isElsewhere = isHook && by.some((run) => run.workspace !== workspace);
      if (this.#excused("no hook runs", ((isUnseen || isOfOthers) && hasNoLook(changes)) || isElsewhere)) continue;
      if (this.#excused("lost by a remote state", isKilled && isRemote)) continue;
      if (this.#excused("fields that lists do not show", !isHook && this.#killed.has(life?.by.run ?? NaN))) continue;
      const maker = life?.by.run === undefined ? undefined : this.#runs.get(life.by.run);
      if (this.#excused("no owner", life !== undefined && maker?.workspace !== workspace)) continue;
      if (this.#excused("a late POST", life?.isMadeLate === true && this.#isTooLate({ program }, life))) continue;
      if (life) this.violated("5 an object differs from its declaration", id);
      else if (!this.#excused("a late DELETE", last?.isRemovedLate === true) && !this.#wentOnElsewhere(last)) {
        this.violated("5 a declared object does not live", id);
      }
    }
  }

  /** Whether another machine, without the note of its deletion, has gone on with an object that the service was deleting. */
  #wentOnElsewhere(life: Life | undefined): boolean {
    const deleter = life?.removedBy?.run === undefined ? undefined : this.#runs.get(life.removedBy.run);
    if (!deleter) return false;
    return this.#excused("another machine", this.#hasGoneOnElsewhere(deleter));
  }

  /** Whether a run after this one was on another computer, which has none of its notes. */
  #hasGoneOnElsewhere({ number, computer }: Judged): boolean {
    return [...this.#runs.values()].some((later) => later.number > number && later.computer !== computer);
  }

  #hasNoHookLeft(run: Judged, block: string): boolean {
    return this.#excused("no hook left", !block.startsWith("clusterplatform_") && !run.keepsHook(block));
  }

  #isLookalike(run: Judged): boolean {
    return this.#excused("the same names", run.looksAlike());
  }

  #looksLikeOurs(life: Life, run: Judged): boolean {
    return run.before.has(life.id) && (life.object.kind === "providers" || life.object.provider === "vsphere");
  }

  /** Whether lists show an object for so long after a DELETE without an answer that it seems to be refused. */
  #seemsToStay(life: Life): boolean {
    return !life.isRemovalAnswered && !this.service.isDeletionShown && this.service.deletionMs(life) > GHOST_MS;
  }

  /** Whether a hook of an earlier run has deleted what a later run has created since the hook has looked. */
  #isOvertaken(life: Life): boolean {
    const deleter = this.#runs.get(life.removedBy?.run ?? NaN);
    const isEarlier = deleter !== undefined && deleter.number < (life.by.run ?? -Infinity);
    return this.#excused("no condition", isEarlier && !this.#wasSeenBeforeRemoval(life));
  }

  /** Whether the run has read a list that can show the object. */
  #hasLooked({ number }: Judged, { from, id }: Life): boolean {
    return this.service.log.some((entry) => isListFor(id, entry) && entry.shows! >= from && entry.by.run === number);
  }

  /** Whether the last list that its deleter has read before the DELETE can show the object. */
  #wasSeenBeforeRemoval({ from, id, removedBy, removalSentAt = Infinity }: Life): boolean {
    const last = this.service.log.findLast(
      (entry) => isListFor(id, entry) && entry.by.process === removedBy?.process && entry.at < removalSentAt,
    );
    return last !== undefined && last.shows! >= from;
  }

  /** What a run prints. */
  words({ codes, errors }: Outcome): void {
    if (codes.includes("BUG")) this.violated("0 the package has a defect", errors.join("\n").slice(0, 2_000));
    const isKnown = errors.some((error) => /Provider configuration not present|excluded by targeting/.test(error));
    if (codes.includes("TERRAFORM") && !this.#excused("refused by Terraform", isKnown))
      this.violated("0 Terraform fails without a word of the package", errors.join("\n").slice(0, 2_000));
  }

  /**
   * @param elsewhere ids of the objects in the states of other workspaces
   */
  after(
    run: Judged,
    outcome: Outcome,
    stored: ReadonlyMap<string, Stored>,
    said: readonly string[],
    elsewhere: ReadonlySet<string>,
  ): void {
    const { service } = this;
    if (outcome.wasKilled) this.#killed.add(run.number);
    const unanswered = outcome.remedies.flatMap((each) => (each.code === "CONTINUE_ELSEWHERE" ? each.objects : []));
    this.#unanswered.set(run.number, unanswered.map(idOf));
    this.#ownCreations();
    if (!run.isApply && service.lives.some(({ by }) => by.run === run.number))
      this.violated("0 a plan or an import creates an object", "");
    // Adopted: its create has succeeded.
    for (const { id, isTainted } of stored.values()) {
      const life = service.live(id);
      if (!isTainted && life) {
        this.#oursIn(run).add(life.number);
      }
    }
    this.#left.push({ by: run, has: leftBy(run, stored, said) });
    if (outcome.wasKilled && run.isApply) this.#mayLetGo(run, stored, said);
    for (const life of service.allLive) if (this.#isLeft(life)) this.#released.add(life.number);
    if (this.#areStatesLost) return;
    this.#forgotten(run, outcome, stored, said, elsewhere);
    this.#claims(run, outcome, stored, said);
    this.#readiness(run, outcome);
    this.#createdTwice(run);
    this.#createdElsewhere(run);
    for (const { id, isTainted, program } of stored.values()) {
      const life = isTainted || !program ? undefined : service.live(id);
      if (life) this.#settled.add(life.number);
    }
    if (outcome.ok && run.isApply && run.step.target === undefined) {
      this.#orphans(run, new Set([...stored.keys(), ...elsewhere]), looksNowhere(run, outcome));
    }
  }

  /** What a killed apply may have let go, as its plan has said. */
  #mayLetGo(run: Judged, stored: ReadonlyMap<string, Stored>, said: readonly string[]): void {
    const lines = said.filter((line) => line.includes("retain lets go of"));
    const isShown = (id: string) => (run.isSaved ? run.program.engine === "provider" : lines.some((line) => names(line, id)));
    for (const { id, number } of this.service.allLive) {
      if (isNamed(run.program.retain ?? [], id) && !stored.has(id) && isShown(id)) this.#letGo.add(number);
    }
  }

  /** Rule 1, first half: the state does not forget an object that lives, unless the run names it and fails. */
  #forgotten(
    run: Judged,
    { ok, wasKilled }: Outcome,
    stored: ReadonlyMap<string, Stored>,
    said: readonly string[],
    elsewhere: ReadonlySet<string>,
  ): void {
    for (const [id, { isTainted, life, instance, block }] of run.before) {
      const now = stored.get(id);
      if (now?.instance === instance || now?.isTainted === false) continue;
      if (!life || this.service.live(id) !== life || this.#isOfUnsavedRun(life, instance)) continue;
      if (isNamed(run.program.retain ?? [], id)) this.#released.add(life.number);
      else if (isTainted) continue;
      // The next apply continues with it.
      else if (wasKilled && this.#isUnsettled(run, life)) continue;
      else if (run.elsewhere.includes(id) && this.#isLookalike(run)) this.#released.add(life.number);
      else if (now) continue;
      else if (this.#excused("accepted as gone", !run.isHere && isSaidGone(run, id))) this.#released.add(life.number);
      else if (this.#hasNoHookLeft(run, block)) this.#released.add(life.number);
      // A destroy hook does not know its workspace.
      else if (this.#excused("another machine", elsewhere.has(id) && this.#isOfAnotherWorkspace(life, run))) continue;
      else if (!ok && !wasKilled && said.some((line) => names(line, id))) continue;
      else this.violated("1 the state forgets an object that lives", id);
    }
  }

  #isOfAnotherWorkspace({ by }: Life, { workspace }: Judged): boolean {
    const maker = by.run === undefined ? undefined : this.#runs.get(by.run);
    return maker !== undefined && maker.workspace !== workspace;
  }

  /** Whether the entry of the state is about an earlier object, because the run that has made this one was killed before it was saved. */
  #isOfUnsavedRun({ id, by }: Life, instance: unknown): boolean {
    const maker = by.run === undefined ? undefined : this.#runs.get(by.run);
    return maker !== undefined && this.#killed.has(maker.number) && maker.before.get(id)?.instance === instance;
  }

  /** Rule 1, second half: after a successful run, every object of the stack is in the state. */
  #orphans(run: Judged, stored: ReadonlySet<string>, isBlind: boolean): void {
    for (const life of this.service.allLive) {
      if (!this.#oursIn(run).has(life.number) || this.#released.has(life.number) || stored.has(life.id)) continue;
      if (isNamed(run.program.retain ?? [], life.id)) {
        this.#released.add(life.number);
        continue;
      }
      const maker = life.by.run === undefined ? undefined : this.#runs.get(life.by.run);
      const isExcused =
        this.#excused(
          "another machine",
          maker !== undefined &&
            this.#hasGoneOnElsewhere(maker) &&
            (!this.#isInState(run, maker, life) || this.#comesAfterLooks(maker, life)),
        ) ||
        this.#excused("lost by a remote state", this.#isLost(run, life)) ||
        this.#excused("no hook runs", maker !== undefined && this.#killed.has(maker.number) && isBlind) ||
        (run.elsewhere.includes(life.id) && this.#isLookalike(run)) ||
        this.#excused("a late POST", life.isMadeLate && this.#isTooLate(run, life)) ||
        (maker !== undefined && this.#hasNoHookLeft(run, maker.blockOf(life.id))) ||
        this.#excused(
          "another URL",
          (maker?.step.stop !== undefined || this.#tainted.has(life.number)) && !(run.isHere && this.#usesUrlOf(run, maker)),
        ) ||
        this.#excused("no orphan check", this.#wasUnchecked(run, life)) ||
        this.#excused("let go by a killed apply", this.#letGo.has(life.number));
      if (!isExcused) this.violated("1 an object of the stack lives that no state has", life.id);
      this.#released.add(life.number);
    }
  }

  #usesUrlOf(run: Judged, maker: Judged | undefined): boolean {
    return maker === undefined || maker.urls.some((url) => run.urls.includes(url));
  }

  /** Whether the state tells a run of what another one has not finished. Terraform has written it at the end of that one. */
  #isInState(run: Judged, maker: Judged, { id }: Life): boolean {
    const ready = maker.readyOf(id);
    return maker.looksWith(ready) && run.looksWith(ready) && !this.#killed.has(maker.number);
  }

  /** Whether the service carries the create out so late that a later run on another machine, which polls for ten seconds, has not seen it. */
  #comesAfterLooks({ number, computer }: Judged, life: Life): boolean {
    const isElsewhere = (run: Judged) => run.number > number && run.computer !== computer && run.isApply;
    const isBefore = (run: Judged) => run.startedAt <= life.from && !this.#hasLooked(run, life);
    return life.isMadeLate && [...this.#runs.values()].some((run) => isElsewhere(run) && isBefore(run));
  }

  /**
   * Whether a run that lost the object, or a later one, began without an orphan check that knows the object. One that the run creates
   * does not know it.
   */
  #wasUnchecked(run: Judged, { id, by, number }: Life): boolean {
    const since = [...this.#runs.values()].filter((each) => by.run === undefined || each.number > by.run);
    const hasLeft = ({ step, program }: Judged) => step.target !== undefined && isNamed(program.retain ?? [], id);
    return (
      !run.hadOrphanCheck ||
      (this.#tainted.has(number) && since.some(hasLeft)) ||
      since.some((each) => each.isApply && !each.hadOrphanCheck && each.before.get(id)?.isTainted !== false)
    );
  }

  /** Whether the stack has created the object again meanwhile, or does not wait for as long. */
  #isTooLate({ program }: Pick<Judged, "program">, { id, number, from }: Life): boolean {
    const isOther = (life: Life) => life.id === id && life.number !== number && life.by.run !== undefined && life.from <= from;
    return (program.deleteSeconds ?? 300) < LATE_SECONDS || this.service.lives.some(isOther);
  }

  /** Whether the create is too long ago to prove anything. A look shows the outcome, too, if the answer was lost. */
  #isPast(run: Judged, maker: Judged, life: Life): boolean {
    const isSeen = () => [...this.#runs.values()].some((each) => each.computer === maker.computer && this.#hasLooked(each, life));
    return run.startedAt - maker.startedAt >= (life.isAnswered || isSeen() ? ANSWERED_PROVES_MS : PROVES_MS);
  }

  /**
   * Whether a killed Terraform, which has created the object or has continued with it, had waited for it, so that nothing but the
   * remote state was to tell of it.
   */
  #isLost(run: Judged, life: Life): boolean {
    const maker = life.by.run;
    if (!run.isRemote || maker === undefined) return false;
    return [...this.#runs.values()].some(
      (each) => each.number >= maker && each.number < run.number && this.#killed.has(each.number) && this.#hasLooked(each, life),
    );
  }

  /**
   * Whether a run on another computer has deleted an object of the name so shortly before that lists may still show it.
   * @param workspace a run in another one counts, too. @default - any
   */
  #comesAfterDeletionElsewhere({ id, number, from }: Life, computer: string, workspace?: string): boolean {
    const before = this.service.lives.findLast((life) => life.id === id && life.number < number);
    const deleter = before?.removedBy?.run === undefined ? undefined : this.#runs.get(before.removedBy.run);
    const isElsewhere = deleter?.computer !== computer || deleter.workspace !== (workspace ?? deleter.workspace);
    return deleter !== undefined && isElsewhere && from - (before!.to ?? 0) < LAG_MS;
  }

  /** Rule 4: a run that succeeds has waited for the clusters that it created. */
  #readiness({ program, number, step, computer }: Judged, { ok }: Outcome): void {
    if (!ok || !program.waitForReady || step.target) return;
    for (const life of this.service.allLive) {
      const isNew = life.by.run === number && life.object.kind === "clusters";
      if (!isNew || this.service.isReady(life)) continue;
      if (this.#excused("another machine", this.#comesAfterDeletionElsewhere(life, computer))) continue;
      this.violated("4 a run succeeds before its clusters are ready", life.id);
    }
  }

  /** Rule 4: what the state claims was sent or confirmed. */
  #claims(run: Judged, outcome: Outcome, stored: ReadonlyMap<string, Stored>, said: readonly string[]): void {
    for (const { id, isTainted, program, instance } of stored.values()) {
      const before = run.before.get(id);
      const live = this.service.live(id);
      const adopted = said.find((line) => isTakenOver(line, id));
      // Lists show all fields of a provider but its credentials.
      const taken = id.includes("/clusters/") ? adopted : undefined;
      if (live && taken?.includes("could not be checked")) this.#unchecked.set(live.number, run);
      const isNamed = taken === undefined || taken.includes(UNLISTED);
      if (live && !isNamed && (declaresUnlisted(run.program, id) || this.#isUnlistedSent(run, live)))
        this.violated("4 a field of an adopted object could not be checked, and no line names it", id);
      const isCorrected = said.some((line) => line.includes(`${called(id)} stays as it is, and the state takes over`));
      if (live && isCorrected && !isAsDeclared(run.program, id, live.object.body)) {
        this.#excused("fields that lists do not show", true);
        this.#unseen.add(live.number);
        continue;
      }
      const isChecked = before === undefined || before.instance !== instance || (!before.isTainted && before.program === program);
      const isKnown = run.instances.has(instance) && isChecked;
      if (isTainted || program === undefined || isKnown) continue;
      const last = this.service.lives.findLast((life) => life.id === id);
      if (last === undefined || (last.leavingAt !== undefined && last.removedBy?.run !== undefined)) {
        if (this.#excused("a late DELETE", last?.isRemovedLate === true) || this.#wentOnElsewhere(last)) continue;
        if (last && (this.#isOvertaken(last) || this.#excused("a late DELETE", this.#seemsToStay(last)))) continue;
        const isKilled = outcome.wasKilled || !outcome.ok;
        if (isKilled && this.#excused("recorded by a killed Terraform", outcome.wasKilled)) continue;
        this.violated(
          last
            ? "2 a ghost is in the state: the stack itself has deleted it"
            : "4 the state has an object that was never created",
          id,
        );
      } else if (last.leavingAt === undefined && !isAsDeclared(program, id, last.object.body)) {
        if (this.#excused("no owner", last.by.run === undefined)) {
          this.#unseen.add(last.number);
          continue;
        }
        if (this.#excused("fields that lists do not show", this.#unseen.has(last.number))) continue;
        const unchecked = this.#unchecked.get(last.number);
        const isUnseen = unchecked !== undefined && !isOtherwise(unchecked.program, program, id);
        const maker = this.#runs.get(last.by.run!)!;
        const isUnknown =
          this.#isLost(run, last) ||
          maker.computer !== (unchecked ?? run).computer ||
          maker.workspace !== run.workspace ||
          this.#isPast(run, maker, last);
        const isUnproved = isUnknown || this.#isLeft(last) || this.#isSentTwice(run, maker, id) || this.#settled.has(last.number);
        if (outcome.wasKilled && this.#excused("recorded by a killed Terraform", true)) {
          this.#misrecorded.add(last.number);
          // Nothing tells a later run of the difference.
          if (!this.#isUnsettled(run, last) || this.#isPast(run, maker, last) || (isUnseen && isUnproved))
            this.#unseen.add(last.number);
          continue;
        }
        // A plan of the provider takes over live values.
        const isSame = before?.instance === instance && isListedAsDeclared(program, id, last.object.body);
        const isContinued = said.some((line) => line.includes(`${called(id)}: created by an earlier apply`));
        const isAnswerLost = said.some((line) => line.includes(`${called(id)}: the answer was lost`));
        if (
          this.#excused("no owner", isAnswerLost && maker.workspace !== run.workspace) ||
          this.#excused("untainted and missing", this.#isMadeAfterUntaint(last)) ||
          // A hook that is killed right after a refusal leaves its note.
          this.#excused("another machine", maker.computer !== run.computer && (isContinued || isAnswerLost)) ||
          this.#excused(
            "another machine",
            adopted !== undefined && this.#comesAfterDeletionElsewhere(last, run.computer, run.workspace),
          ) ||
          this.#excused("a late POST", last.isMadeLate && (isUnseen || (isSame && this.#isTooLate(run, last))))
        ) {
          this.#unseen.add(last.number);
          continue;
        }
        const isAccepted = isSame && (this.#killed.has(maker.number) || maker.workspace !== run.workspace);
        if (this.#excused("fields that lists do not show", (isUnseen && isUnproved) || (isAccepted && isUnknown))) {
          this.#unseen.add(last.number);
          continue;
        }
        this.violated("4 the state claims a declaration that the object does not have", id);
      }
    }
  }

  /**
   * Whether a run on this computer, before the maker of the object, was stopped or got no answer and may have sent what this one
   * declares, so that the computer cannot tell which of them made it.
   */
  #isSentTwice({ program, workspace, computer }: Judged, maker: Judged, id: string): boolean {
    const isUnanswered = ({ step, number }: Judged) => step.stop !== undefined || this.#unanswered.get(number)?.includes(id);
    const isSuch = (each: Judged) =>
      each.number < maker.number && isUnanswered(each) && each.workspace === workspace && each.computer === computer;
    return [...this.#runs.values()].some((each) => isSuch(each) && !isOtherwise(each.program, program, id));
  }

  /** Whether `retain` has left it on the service, also if the service has created it later. Then the computer forgets its requests. */
  #isLeft(life: Life): boolean {
    return this.#left.some(({ by, has }) => isEarlier(life, by) && has(life.id));
  }

  /** Whether the computer knows that it has sent the field that lists do not show, as the object has it. */
  #isUnlistedSent(run: Judged, life: Life): boolean {
    const maker = this.#runs.get(life.by.run ?? NaN);
    if (maker?.workspace !== run.workspace || isNamed(run.program.retain ?? [], life.id)) return false;
    const isSent = this.#isUnsettled(run, life) && declaresUnlisted(maker.program, life.id);
    return isSent && !isAsDeclared(run.program, life.id, life.object.body);
  }

  /** Nothing is created on another service than that of the state. */
  #createdElsewhere(run: Judged): void {
    const isCreated = ({ by, from }: Life) => by.run === run.number && from >= run.startedAt;
    const made = this.service.lives.find(isCreated);
    if (!made || run.elsewhere.length === 0 || run.before.size > 0) return;
    const areGone = run.elsewhere.every((id) => isSaidGone(run, id));
    if (this.#excused("accepted as gone", areGone) || this.#isLookalike(run)) return;
    this.violated("2 an object is created on the wrong service", made.id);
  }

  /** Rule 3: no run creates a name twice, unless the first one was deleted by somebody else or by a replacement. */
  #createdTwice(run: Judged): void {
    const made = new Map<string, number>();
    for (const { by, id, from, isRemovedLate } of this.service.lives) {
      if (by.run !== run.number || from < run.startedAt || this.#excused("a late DELETE", isRemovedLate === true)) continue;
      made.set(id, (made.get(id) ?? 0) + 1);
    }
    for (const [id, count] of made) {
      const isOfOthers = this.service.lives.some(
        (life) => life.id === id && life.removedBy !== undefined && life.removedBy.run === undefined,
      );
      if (count > 1 && !isOfOthers) this.violated("3 a run creates an object twice", id);
    }
  }
}

export function isProtected(program: Program, id: string): boolean {
  return program.isProtected === true && id.includes("/clusters/") && !isNamed(program.allowDeletion ?? [], id);
}

/** Whether one of the entries of `retain` or `allowDeletion` means the object. */
export function isNamed(entries: readonly string[], id: string): boolean {
  return entries.some((entry) => entry === "*" || entry === id || id.endsWith(`/${entry}`));
}

/** For how long the service may carry out a create without an answer. */
function lateMs({ createSeconds = 600 }: Program): number {
  return (createSeconds + LATE_SECONDS) * 1000;
}

/** Whether an apply has left an object on the service, because `retain` names it. */
export function leftBy({ isApply }: Judged, stored: ReadonlyMap<string, Stored>, said: readonly string[]) {
  const lines = isApply ? said.filter((line) => line.includes("on the service (retain)")) : [];
  return (id: string) => !stored.has(id) && lines.some((line) => line.includes(called(id)));
}

/** Whether a life was made, or sent to the service, before a run. */
export function isEarlier({ by, from }: Life, { number, startedAt }: Judged): boolean {
  return by.run === undefined ? from < startedAt : by.run < number;
}

/** Whether a person has said that the object is gone. */
function isSaidGone({ step: { acceptGone = "" } }: Judged, id: string): boolean {
  return acceptGone.split(",").includes(id);
}

/** The orphan check does not look for each declared object. */
function hasNoLook(changes: readonly string[]): boolean {
  return hasNoHook(changes.filter((change) => !/_orphan_check(_on_destroy)?$/.test(change)));
}

/** Whether nothing of the package looks for all objects. */
function looksNowhere({ program, isSaved }: Judged, { changes }: Outcome): boolean {
  return program.engine === "provider" ? isSaved && !asksProvider(changes) : hasNoHook(changes);
}

function asksProvider(changes: readonly string[]): boolean {
  return changes.some((change) => change.includes(" clusterplatform_"));
}

/**
 * Terraform runs no hook for an update in place. The support resources that are named here have destroy hooks only, and Terraform
 * runs none for a tainted one.
 */
function hasNoHook(changes: readonly string[]): boolean {
  const isIdle = (change: string) => /^(create|replace) .*_(protection|orphan_check_on_destroy)$/.test(change);
  return changes.every((change) => change.startsWith("update ") || isIdle(change));
}

function isListFor(id: string, { path, outcome, shows }: LogEntry): boolean {
  return shows !== undefined && outcome === "200" && path.endsWith(id.includes("/clusters/") ? "/clusters" : "/providers");
}

function names(line: string, id: string): boolean {
  return new RegExp(`\\b${id.split("/")[2]}\\b`).test(line);
}

/** Whether a line says that the object is adopted or imported. */
function isTakenOver(line: string, id: string): boolean {
  const starts = [`${called(id)}: adopted`, `${called(id)} is imported`];
  return starts.some((start) => line.includes(start));
}

/** As messages call the object. */
function called(id: string): string {
  return describeObject(objectOf(id));
}
