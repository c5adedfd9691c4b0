import { gunzipSync } from "node:zlib";
import { describeObject } from "../../src/lifecycle/wording";
import { objectOf } from "../../src/model/object-ref";
import { CreateNotes } from "./create-notes";
import { type Exception, isEarlier, isNamed, leftBy, type Judged, type Stored } from "./judge";
import type { TimedCall } from "./kernel";
import { declaredBy, READY_SECONDS, SECRETS } from "./programs";
import { aboutObject, type Life, type PlannedFault, type SeenRequest, type Service } from "./service";
import type { Change } from "./terraform/core";
import type { Instance } from "./terraform/state";
import type { Outcome } from "./terraform/terraform";

/** What a run leaves and shows. */
export interface Traces {
  readonly said: readonly string[];
  readonly instances: Iterable<Instance>;
  readonly changes: readonly Change[];
}

/**
 * Judges how a run behaves: its texts, its time and its requests. {@link Judge} judges what the run leaves behind, and
 * {@link CreateNotes} what it notes.
 */
export class Conduct {
  readonly #runs = new Map<number, Judged>();
  /** Limits of the calls of each run, by what was called. */
  readonly #limits = new Map<number, Map<string, number>>();
  /** Instances and changes that were searched for secrets. */
  readonly #searched = new WeakSet<object>();
  #seen = 0;
  #wasTrue = true;
  /** Whether no run was stopped and every write was answered so far. */
  #isCertain = true;
  /** Whether a run so far was to delete an object, so that lists may show a deleted one. */
  #hasDeletions = false;
  readonly #creates: CreateNotes;
  /** The last write about each object. */
  readonly #written = new Map<string, SeenRequest>();
  /** The computers that have noted that `retain` has left a life on the service, by the number of the life. */
  readonly #released = new Map<number, string>();

  constructor(
    private readonly service: Service,
    private readonly violated: (rule: string, text: string) => void,
    private readonly excuse: (exception: Exception) => void,
  ) {
    this.#creates = new CreateNotes(service, violated);
  }

  begin(run: Judged): void {
    this.#runs.set(run.number, run);
    this.#limits.set(run.number, new Map());
    this.#wasTrue = this.service.isTrue;
  }

  // Time.

  /** Rule 6, when a hook or a request to the provider has ended by itself. */
  called(call: TimedCall): void {
    const run = this.#runs.get(call.run);
    if (!run) return;
    this.#hasDeletions ||= this.#deletes(run);
    const limit = secondsFor(call.what, run, this.#hasDeletions);
    this.#limits.get(run.number)!.set(call.what, limit);
    const seconds = (call.endedAt! - call.startedAt) / 1000;
    if (seconds > limit) this.violated("6 a hook or a request takes too long", `${call.what}: ${seconds} s of ${limit} s`);
    if (call.stoppedAt === undefined) return;
    const rest = (call.endedAt! - call.stoppedAt) / 1000;
    const grace = STOP_SECONDS + (run.program.engine === "provider" ? secondsOfFaults(run, ["POST", "DELETE"]) : 0);
    if (rest > grace) this.violated("6 an interrupted run continues", `${call.what}: ${rest} s of ${grace} s`);
  }

  #deletes(run: Judged): boolean {
    return this.service.lives.some(({ id }) => run.isPlanned(id));
  }

  /** @param seconds how long the run took */
  after(run: Judged, outcome: Outcome, stored: ReadonlyMap<string, Stored>, seconds: number, traces: Traces): void {
    // Providers come before their clusters, and each has its guard. What is of one kind runs at the same time.
    const limits = [...this.#limits.get(run.number)!.values()].map((limit) => 2 * limit);
    const limit = limits.reduce((sum, each) => sum + each, 10);
    if (!outcome.wasKilled && outcome.ok && seconds > limit)
      this.violated("6 a run takes too long", `${seconds} s of ${limit} s`);
    this.#hasDeletions ||= this.#deletes(run);
    this.#requests(run, outcome);
    this.#secrets(traces, outcome);
    this.#allOrNothing(run, outcome);
    this.#alarms(run, outcome);
    this.#undisturbed(run, outcome);
    this.#lostAnswer(run, outcome);
    this.#taken(run, outcome, stored);
    this.#left(run, stored, traces.said);
    this.#creates.after(run, outcome, this.#written, this.#hadCompany());
    this.#polls(run, traces);
  }

  // Texts.

  /** When a note is written. Most of them do not outlive their run. */
  noted(text: string, computer: string): void {
    this.#search("a note", text);
    this.#creates.noted(text, computer);
  }

  /** Rule 6: no text that a person or a file gets has a secret, plain or encoded. */
  #search(where: string, text: string): void {
    if (SECRETS.some((secret) => isRevealed(text, secret))) this.violated(`6 ${where} has a secret`, text.slice(0, 1_000));
  }

  #secrets({ said, instances, changes }: Traces, { errors }: Outcome): void {
    for (const line of [...said, ...errors]) this.#search("an output", line);
    const once = (where: string, item: object, shown: unknown) => {
      if (this.#searched.has(item)) return;
      this.#searched.add(item);
      this.#search(where, JSON.stringify(shown));
    };
    for (const instance of instances) once("the state", instance, instance);
    for (const change of changes) {
      const { before, after, private: kept } = change;
      once("the plan", change, [before, after, kept]);
    }
  }

  // Requests.

  #requests(run: Judged, { wasKilled }: Outcome): void {
    const last = new Map<string, SeenRequest>();
    const unlooked = new Set<string>();
    for (; this.#seen < this.service.requests.length; this.#seen++) {
      const request = this.service.requests[this.#seen]!;
      const { method, about, by, status } = request;
      if (by.run === undefined) continue;
      const sender = this.#runs.get(by.run);
      if (sender && method !== "GET") {
        this.#wrote(request);
        this.#creates.wrote(request, this.#seen, sender.computer, by.run !== run.number);
      }
      if (by.run !== run.number) continue;
      if (method === "GET") {
        for (const id of unlooked) if (id.includes(about)) unlooked.delete(id);
        if (status !== 200) continue;
        for (const [id, before] of last) if (id.includes(about) && before.status === undefined) last.delete(id);
      }
      if (method !== "POST") continue;
      const before = last.get(about);
      if (before && before.status === undefined) this.violated("3 a create is repeated without a look", about);
      if (before && isFinal(before)) this.violated("3 a refused create is repeated", `${about} after ${before.status}`);
      if (unlooked.has(about)) this.violated("3 a create is repeated without a look", `${about} after ${before?.status}`);
      last.set(about, request);
      if (asksForALook(status)) unlooked.add(about);
      else unlooked.delete(about);
    }
    if (unlooked.size > 0 && !wasKilled && !run.step.stop && !this.#hadCompany())
      this.violated("5 a run gives up a create without a look", [...unlooked].join(", "));
  }

  #wrote(request: SeenRequest): void {
    const { method, about, status } = request;
    this.#written.set(about, request);
    if (status === undefined || (method === "DELETE" && [404, 410].includes(status))) this.#isCertain = false;
  }

  /** Rule 6: the orphan check does not poll for an object that the run itself has deleted on the same service. */
  #polls(run: Judged, { said }: Traces): void {
    // Without a note of the answer, it has to poll.
    if (this.#hadCompany() || run.step.folder) return;
    for (const { by, method, about, status = 0 } of this.#written.values()) {
      if (by.run !== run.number || method !== "DELETE" || status < 200 || status >= 300) continue;
      const isPolled = (line: string) =>
        ORPHANS_POLL.exec(line)?.[1]!
          .split(", ")
          .some((id) => aboutObject(id) === about);
      const line = said.find((each) => isPolled(each) && run.isOfHere(each));
      if (line !== undefined) this.violated("6 a run polls for an object that it has deleted", line);
    }
  }

  // Decisions.

  /** Rule 2: the guard refuses a whole apply. The docs say when it cannot. */
  #allOrNothing(run: Judged, { codes }: Outcome): void {
    const { step, number } = run;
    const isEdited = [...this.#runs.values()].some((each) => each.step.state !== undefined);
    // Each Platform has its own guard.
    const hasOneGuard = step.program.beside === undefined;
    if (!codes.includes("PROTECTED") || !hasOneGuard || step.replace || step.target || isEdited) return;
    const deleted = this.service.lives.filter(({ removedBy }) => removedBy?.run === number);
    if (deleted.length === 0) return;
    if (!run.hadGuard) this.excuse("no deletion guard");
    else this.violated("2 a refused apply deletes objects", deleted.map(({ id }) => id).join(", "));
  }

  /** Rule 2, when a DELETE of a live object is carried out. */
  deleted({ id, isRemovedLate }: Life, runNumber: number | undefined): void {
    const run = runNumber === undefined ? undefined : this.#runs.get(runNumber);
    if (!run || isRemovedLate) return;
    // Lists may be late.
    const known = [...this.service.lives.map((life) => life.id), ...declaredBy(run.program)];
    const unknown = run.program.retain?.filter((entry) => !known.some((each) => isNamed([entry], each))) ?? [];
    if (unknown.length > 0) this.violated("2 an object is deleted although an entry of retain names nothing", id);
  }

  /**
   * Rule 5: lists that are wrong for less than ten seconds are no reason to say that a live object is gone. The deletion guard may
   * say that the service is perhaps another one, because it sends nothing.
   */
  #alarms({ step, number, startedAt, elsewhere, isHere }: Judged, { errors }: Outcome): void {
    if (elsewhere.length > 0 || !isHere || this.#hadCompany() || step.program.beside?.url) return;
    if (!this.#wasTrue || step.faults || step.stop || step.other || step.state || step.habits || step.view?.at) return;
    const { view, seconds = 0 } = step.view ?? {};
    if ((view && "seconds" in view ? view.seconds : seconds) >= TOLERATED_SECONDS && view?.kind !== "empty") return;
    const lived = this.service.lives.filter(({ by, from }) => by.run === number || from <= startedAt);
    const wrong = lived.filter(
      (life) => this.service.live(life.id) === life && errors.some((error) => isMissing(error, life.id)),
    );
    if (wrong.length > 0) this.violated("5 a live object is called missing", wrong.map(({ id }) => id).join(", "));
  }

  /** Rule 5: without trouble, no request fails and no time runs out. What came before may be in doubt for some minutes. */
  #undisturbed({ step, computer, startedAt }: Judged, { codes }: Outcome): void {
    const hasOldNotes = [...this.#runs.values()].some((run) => run.computer !== computer);
    if (step.stop || step.habits || hasOldNotes) this.#isCertain = false;
    if (this.#hadCompany() || !this.#wasTrue || step.faults || step.view || step.habits || step.stop || step.other) return;
    // A service that deletes slowly refuses requests meanwhile.
    if (this.service.lives.some(({ leavingAt = Infinity, to = Infinity }) => leavingAt < startedAt && to > startedAt)) return;
    const failures = codes.filter((code) => NEVER_UNDISTURBED.has(code) || (code === "READY_TIMEOUT" && this.#isCertain));
    if (failures.length > 0) this.violated("5 a run without trouble fails", failures.join(", "));
  }

  /** Rule 5: if lists are true, a look shows what a request without an answer has done. It does not show that one was refused. */
  #lostAnswer({ step, number }: Judged, { codes }: Outcome): void {
    const { faults = [], view, habits, stop, other, isTokenWrong } = step;
    if (this.#hadCompany() || !this.#wasTrue || view || habits || stop || other || isTokenWrong) return;
    const isOne = ({ method, times, fault }: PlannedFault) => method === "POST" && times === 1 && fault.kind === "lose";
    if (faults.length !== 1 || !faults.every(isOne) || !codes.includes("OUTCOME_UNKNOWN")) return;
    if (!this.service.lives.some(({ by, isAnswered }) => by.run === number && !isAnswered)) return;
    this.violated("5 a lost answer fails a run", codes.join(", "));
  }

  /** Whether two runs have written one state at once. */
  #hadCompany(): boolean {
    return [...this.#runs.values()].some(({ step }) => step.beside !== undefined);
  }

  /**
   * Rule 2: an object of somebody else is adopted only if that is allowed, or if it may be this stack's. No object is adopted that
   * lists show as being deleted.
   */
  #taken(run: Judged, { wasKilled }: Outcome, stored: ReadonlyMap<string, Stored>): void {
    const { program, step, startedAt } = run;
    for (const { id, isTainted, instance } of stored.values()) {
      if (isTainted || run.instances.has(instance)) continue;
      const life = this.service.live(id);
      const last = this.service.lives.findLast((each) => each.id === id);
      const isDeletedHere = last?.removedBy?.run === undefined || this.#runs.get(last.removedBy.run)?.computer === run.computer;
      const wasLeaving = isDeletedHere && last?.leavingAt !== undefined && last.leavingAt < startedAt;
      if (!wasKilled && this.service.isDeletionShown && wasLeaving && this.#wasTrue && !step.view)
        this.violated("2 an object is taken over that is being deleted", id);
      if (!life || program.adopt || step.adopt?.includes(id)) continue;
      // A person names what to import.
      if (step.import && id.endsWith(`/${step.import.name}`)) continue;
      if (this.#released.get(life.number) === run.computer && !wasKilled)
        this.violated("2 an object is taken over that retain has left on the service", id);
      if (life.by.run === undefined && !this.#creates.mayHaveCreated(aboutObject(id), run))
        this.violated("2 an object is adopted that nobody has allowed to adopt", id);
    }
  }

  /** Which objects the stack has left on the service, and may not take over without being told so. */
  #left(run: Judged, stored: ReadonlyMap<string, Stored>, said: readonly string[]): void {
    const isLeft = leftBy(run, stored, said);
    for (const life of this.service.allLive) {
      if (stored.has(life.id)) this.#released.delete(life.number);
      else if (isLeft(life.id) && isEarlier(life, run)) this.#released.set(life.number, run.computer);
    }
  }
}

/** The ids of the objects that the orphan check polls for. */
const ORPHANS_POLL = /: ((?:\w+\/\w+\/[^\s,:]+(?:, )?)+): (?:the request to create (?:it|them) may|no note shows)/;

/** Lists may be wrong for less than this time. */
const TOLERATED_SECONDS = 10;

/** Codes of errors that come from faults only. */
const NEVER_UNDISTURBED = new Set([
  "DEADLINE_EXCEEDED",
  "OUTCOME_UNKNOWN",
  "UNREACHABLE",
  "SERVICE_ERROR",
  "CONTRACT",
  "RATE_LIMITED",
]);

// The limits of time. They follow from the code and the docs, and hold whatever the service does.

/** How long lists may show a deleted object. */
const GHOST_SECONDS = 300;
/** How long a hook that is told to stop goes on, as docs/lifecycle.md says. */
const STOP_SECONDS = 5;
/** Of one attempt of a request, with the pause after it. */
const ATTEMPT_SECONDS = 70;
/** Time for a list in a look that decides, and that may begin at the end of a limit. */
const LIST_SECONDS = 120;
/** How long a list is asked for. Each list of a look may have an outage of its own. */
const OUTAGE_SECONDS = 300 + ATTEMPT_SECONDS;

/** How long a hook or a request to the provider may take, in seconds. */
function secondsFor(what: string, run: Judged, mayListDeleted: boolean): number {
  const { createSeconds = 600, deleteSeconds = 300, pollSeconds = 5 } = run.program;
  const outage = secondsOfFaults(run, ["GET"]);
  // Its lists may wait for the end of another request for them.
  const look = 2 * (run.step.habits?.listSeconds ?? 0);
  // The one that is under way when a limit ends, and the last one.
  const lastLook = 5 + 2 * look + Math.min(2 * LIST_SECONDS, outage);
  // How long lists may be wrong, and how long the provider of a cluster is polled for.
  const [poll, shown] = [10 + lastLook, 60 + lastLook];
  const late = Math.max(10, Math.min(120, deleteSeconds)) + lastLook;
  const wait = Math.max(2 * READY_SECONDS, mayListDeleted ? GHOST_SECONDS + 2 * pollSeconds : 0) + poll;
  const orphans = 2 * deleteSeconds + late;
  // A first look, and then lists of ten seconds.
  const looks = outage + look + poll;
  const [command, type = ""] = what.split(" ");
  if (type.endsWith("_ready")) {
    if (["create", "update", "delete"].includes(command!)) return orphans + wait + poll;
    return run.step.operation?.includes("destroy") ? orphans + looks : looks;
  }
  switch (command) {
    case "create":
      // Looks, a noted create, the end of another object, a ghost; then the request, and looks again.
      return createSeconds + poll + deleteSeconds + lastLook + poll + createSeconds + 3 * poll;
    case "delete":
      return deleteSeconds + 2 * late + shown + shown + deleteSeconds + shown + poll;
    case "update":
      // It looks first for objects of unfinished creates.
      return late + looks;
    case "wait":
      return wait + (outage > 0 ? OUTAGE_SECONDS : 0);
    case "deletion-guard":
    case "destroy-guard":
      // It looks again for the providers that an edit needs.
      return orphans + deleteSeconds + look;
    case "orphan-check":
      return orphans + deleteSeconds;
    case "refuse":
      return lastLook;
    default:
      return looks;
  }
}

/** How long requests of these methods are repeated at most because of the faults of a run. */
function secondsOfFaults({ step: { faults = [] } }: Judged, methods: readonly string[]): number {
  const times = faults.filter(({ method }) => methods.includes(method)).map(({ times }) => times);
  return times.reduce((sum, each) => sum + each * ATTEMPT_SECONDS, 0);
}

// Answers.

/** Whether an error says that the service lacks this object of the state. It may name several objects. */
function isMissing(error: string, id: string): boolean {
  const [, names] = /^(.*) (?:is|are) in Terraform's state but not on the service/m.exec(error) ?? [];
  return names?.split(/, |: /).includes(describeObject(objectOf(id))) ?? false;
}

/** The service may have the object, created by this request or by another one. */
function asksForALook(status: number | undefined): boolean {
  return status === undefined || status === 408 || status === 409 || status === 429 || status >= 500;
}

/** No later attempt can succeed, whatever the reason. A cluster may be refused because its provider is not ready. */
function isFinal({ about, status }: SeenRequest): boolean {
  return status === 403 || (about.includes("/providers/") && (status === 400 || status === 404));
}

// Secrets.

const COMPRESSED = /H4sI[A-Za-z0-9+/]+=*/g;
const inflated = new Map<string, string>();

/** Whether a text has a secret, plain or encoded. */
function isRevealed(text: string, secret: string): boolean {
  const whole = text.replace(COMPRESSED, (part) => part + inflatedOf(part));
  const bare = unescaped(whole);
  return formsOf(secret).some((form) => whole.includes(form) || bare.includes(form));
}

function inflatedOf(part: string): string {
  let text = inflated.get(part);
  if (text === undefined) {
    try {
      text = gunzipSync(Buffer.from(part, "base64")).toString();
    } catch {
      text = "";
    }
    inflated.set(part, text);
  }
  return text;
}

/** Without the escapes of JSON, however often it was encoded, and without spaces. */
function unescaped(text: string): string {
  if (!/[\\\s]/.test(text)) return text;
  const plain = text.replace(/\\+u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  return plain.replace(/[\\\s]/g, "");
}

const forms = new Map<string, readonly string[]>();

/** The secret, and the secret as in JSON: plain, in hexadecimal, and in base64 at each place in a group of three bytes. */
function formsOf(secret: string): readonly string[] {
  let known = forms.get(secret);
  if (!known) {
    known = [secret, JSON.stringify(secret).slice(1, -1)].flatMap((text) => [
      text,
      Buffer.from(text).toString("hex"),
      // The first and the last group have bits of the neighbours.
      ...[0, 1, 2].map((before) =>
        Buffer.from("\0".repeat(before) + text)
          .toString("base64")
          .slice(before === 0 ? 0 : 4, -4),
      ),
    ]);
    forms.set(secret, known);
  }
  return known;
}
