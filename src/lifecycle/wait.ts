import type { LiveCluster } from "../api/client";
import { DeadlineError } from "../model/errors";
import type { ObjectRef } from "../model/object-ref";
import { Call } from "./call";
import type { Context } from "./context";
import { LifecycleError } from "./lifecycle-error";
import { isLeaving, isSuccessor, liveObject, look, type Lists } from "./live";
import { doubtfulUntil, ghostMs, type SentDeletion } from "./object-record";
import { mayPass } from "./outage";
import { CONFIRM_READY_MS, FAILED_MS, GHOST_MS, HEARTBEAT_MS, LOOK_FOR_MISSING_MS, MISSING_MS } from "./times";
import { describeObject, duration, enumerated } from "./wording";

const NAMED = 5;

export interface Expected extends ObjectRef {
  /** Whether it is a cluster that must be ready, too. */
  readonly waitedFor: boolean;
  /** Of the object in the state. @default - not known */
  readonly uid?: string;
}

/** Waits until all objects exist and two polls in a row show every waited cluster Provisioned. An unknown phase is waited for. */
export async function waitForObjects(context: Context, objects: readonly Expected[]): Promise<void> {
  if (objects.length === 0) return;
  await Call.run(context, objects, async (call) => {
    call.leaving("The service continues to provision. The next apply continues to wait; nothing is created again");
    await new ReadinessWait(call, objects).keep();
  });
}

interface State {
  readonly text: string;
  readonly done: boolean;
  /** It will be missing. */
  readonly isLeaving?: boolean;
  /** Whether it may be an object that the stack has deleted. */
  readonly isDoubtful?: boolean;
  /** Undefined if the last look found it. */
  readonly missingSince?: number;
  /** Undefined if its phase is not Failed now. */
  readonly failedSince?: number;
}

class ReadinessWait {
  private readonly context: Context;
  private readonly started: number;
  private readonly deadline: number;
  private readonly states = new Map<Expected, State>();
  private readonly clusters: readonly Expected[];
  /** Objects that an interrupted run has asked the service to delete a few minutes ago. Some lists may still show them. */
  private readonly deletions: ReadonlyMap<Expected, SentDeletion>;
  /** When the creates of clusters that replace another one were sent, in milliseconds since the epoch. */
  private readonly replacements: ReadonlyMap<Expected, number>;
  private lookedAt: number;
  private lastLine: number;

  constructor(
    private readonly call: Call,
    private readonly objects: readonly Expected[],
  ) {
    this.context = call.context;
    this.started = this.lookedAt = this.lastLine = call.now();
    this.clusters = objects.filter(({ waitedFor }) => waitedFor);
    this.deletions = new Map(
      objects.flatMap((object) => {
        const deletion = this.context.journal.of(object).recentDeletion(object.uid);
        return deletion ? [[object, deletion] as const] : [];
      }),
    );
    const { readySeconds, pollSeconds } = this.context.times;
    const untilCertain = this.deletions.size > 0 ? GHOST_MS + 2 * pollSeconds * 1000 : 0;
    this.deadline = this.started + Math.max(readySeconds * 1000, untilCertain);
    this.replacements = new Map(
      this.clusters.flatMap((object) => {
        const created = this.context.journal.of(object).makers.at(-1);
        return created?.replaces?.at ? [[object, Date.parse(created.sentAt)] as const] : [];
      }),
    );
  }

  async keep(): Promise<void> {
    const poll = this.context.times.pollSeconds * 1000;
    const told = new Set<"missing" | "pending">();
    for (let wasReady = false; ;) {
      const seen = await this.lookAtAll();
      if (seen) this.tell(seen);
      const pending = this.objects.filter((object) => !this.states.get(object)?.done);
      const missing = pending.filter((object) => this.isMissing(object));
      const now = !seen ? "pending" : missing.length > 0 ? "missing" : pending.length === 0 ? "ready" : "pending";
      if (now === "ready" && (wasReady || this.clusters.length === 0)) return this.conclude();
      const gone = missing.filter((object) => this.isGone(object));
      if (now === "missing" && gone.length > 0) throw this.missing(gone);
      const failed = seen ? pending.filter((object) => this.hasFailed(object)) : [];
      if (failed.length > 0) throw this.failed(failed);
      if (this.lookedAt >= this.deadline && now !== "missing") throw this.timeout();
      if (seen && now !== "ready" && !told.has(now)) {
        told.add(now);
        this.context.say(now === "missing" ? this.lookingFor(missing) : this.waiting());
      }
      wasReady = now === "ready";
      const left = Math.max(0, this.deadline - this.call.now());
      const next = { ready: CONFIRM_READY_MS, missing: LOOK_FOR_MISSING_MS, pending: left }[now];
      await this.call.pause(Math.min(poll, next));
      if (this.call.now() >= this.deadline && now === "pending") throw this.timeout();
    }
  }

  private isMissing(object: Expected): boolean {
    return this.states.get(object)?.missingSince !== undefined;
  }

  /** Lists may lag behind longer than the time that the clusters have to become ready. */
  private isGone(object: Expected): boolean {
    return this.lookedAt - this.states.get(object)!.missingSince! >= MISSING_MS;
  }

  private hasFailed(object: Expected): boolean {
    return this.lookedAt - (this.states.get(object)?.failedSince ?? Infinity) >= FAILED_MS;
  }

  /** Undefined if the look failed. A failure of the first look fails the wait, and a later one does not. */
  private async lookAtAll(): Promise<Expected[] | undefined> {
    this.lookedAt = this.call.now();
    const open = this.objects.filter((object) => !this.states.get(object)?.done || object.waitedFor);
    try {
      const lists = await look(this.call, open, this.call.lastLook(this.deadline));
      const now = this.call.now();
      return open.filter((object) => this.look(object, now, lists));
    } catch (error) {
      if (error instanceof DeadlineError && this.clusters.length > 0) throw this.timeout(error);
      if (this.states.size === 0 || !mayPass(error)) throw error;
      this.lastLine = this.call.now();
      this.context.say(`cannot read the service: ${error.message}; still waiting, ${this.left()} left`);
      return undefined;
    }
  }

  private look(object: Expected, now: number, lists: Lists): boolean {
    const before = this.states.get(object);
    const missing: State = { text: "not on the service", done: false, missingSince: before?.missingSince ?? now };
    const live = stateOf(object, lists, before?.failedSince ?? now);
    const state = this.ghostOf(object, lists) ?? (live?.done ? this.predecessorOf(object) : undefined) ?? live ?? missing;
    this.states.set(object, state);
    return before?.text !== state.text;
  }

  /**
   * The state of a listed object that the stack has deleted. It must leave the lists or be created again. If lists show it for some
   * minutes, the deletion was not carried out.
   */
  private ghostOf(object: Expected, lists: Lists): State | undefined {
    const deletion = this.deletions.get(object);
    const live = deletion && liveObject(object, lists);
    if (!live || isSuccessor(live, deletion, this.lookedAt) || !this.context.journal.of(object).recentDeletion())
      return undefined;
    const text = `listed, but an interrupted run has asked the service to delete it at ${deletion.at}, so it may leave the lists until ${doubtfulUntil(deletion)}`;
    return { text, done: false, isDoubtful: true };
  }

  /** The state of a listed cluster that may be the one that this cluster has just replaced, because lists lag behind. */
  private predecessorOf(object: Expected): State | undefined {
    const since = this.lookedAt - (this.replacements.get(object) ?? -Infinity);
    if (!(since < MISSING_MS)) return undefined;
    return { text: "listed as ready, but the list may still show the cluster that it has replaced", done: false };
  }

  /** Prints changed clusters, and sometimes a line with counts. Missing objects are reported elsewhere. */
  private tell(changed: readonly Expected[]): void {
    const clusters = changed.filter(
      (object) => (object.waitedFor || this.states.get(object)!.isLeaving) && !this.isMissing(object),
    );
    if (clusters.length === 0 && this.call.now() - this.lastLine <= HEARTBEAT_MS) return;
    this.lastLine = this.call.now();
    if (clusters.length > 0 && clusters.length <= NAMED) {
      for (const cluster of clusters) {
        this.context.say(`${describeObject(cluster)}: ${this.states.get(cluster)!.text} (${this.call.elapsed()})`);
      }
      return;
    }
    const named = clusters.slice(0, NAMED).map((cluster) => `${cluster.name} ${this.states.get(cluster)!.text}`);
    const more = clusters.length > NAMED ? `, and ${clusters.length - NAMED} more` : "";
    const [all, are] = this.clusters.length > 0 ? [this.clusters, "clusters are ready"] : [this.objects, "objects are there"];
    const done = all.filter((object) => this.states.get(object)!.done).length;
    this.context.say(
      `${done} of ${all.length} ${are} (${this.call.elapsed()}, ${this.left()} left)${named.length > 0 ? `; changed: ${named.join(", ")}${more}` : ""}`,
    );
  }

  private waiting(): string {
    const deleted = [...this.deletions.keys()].filter((object) => !this.states.get(object)?.done);
    const why =
      deleted.length === 0
        ? ""
        : ` for ${enumerated(deleted.map((object) => describeObject(object)))}, which an interrupted run has asked the service to delete, to leave the lists or to stay for ${duration(Math.max(...deleted.map((object) => ghostMs(this.deletions.get(object)!))))}`;
    return `waiting ${this.left()} at most${why}; if interrupted, the service continues, and the next apply waits again`;
  }

  private lookingFor(missing: readonly Expected[]): string {
    const names = enumerated(missing.map((object) => describeObject(object)));
    const [are, them] = missing.length === 1 ? ["is", "it"] : ["are", "them"];
    return `${names} ${are} not on the service (yet); polling for ${them}, ${duration(MISSING_MS)} at most`;
  }

  private conclude(): void {
    const { clusters } = this;
    if (clusters.length === 0) return;
    const all = clusters.length === 1 ? `cluster ${clusters[0]!.name} is` : `all ${clusters.length} clusters are`;
    this.context.say(`${all} ready after ${this.call.elapsed()}`);
  }

  private missing(missing: readonly Expected[]): LifecycleError {
    const names = missing.map((object) => describeObject(object)).join(", ");
    const all = missing.length === this.objects.length;
    const [are, them] = missing.length === 1 ? ["is", "it"] : ["are", "them"];
    return new LifecycleError({
      code: "OBJECT_MISSING",
      objects: missing,
      summary: `${names} ${are} in Terraform's state but not on the service: ${missing.every((object) => this.deletions.has(object)) ? "an apply that was interrupted" : "somebody"} deleted ${them}, or Terraform was killed while it created ${them}`,
      detail: all
        ? `No object of the stack is on the service: check first that its URL, ${this.context.client.url}, is the right one`
        : undefined,
      remedies: [{ code: "RECREATE_MISSING", objects: missing, all }],
    });
  }

  private failed(failed: readonly Expected[]): LifecycleError {
    const states = failed.map((object) => `\n  ${describeObject(object)}: ${this.states.get(object)!.text}`);
    return new LifecycleError({
      code: "READY_TIMEOUT",
      objects: failed,
      summary: `the phase of ${enumerated(failed.map((object) => describeObject(object)))} has been Failed for ${duration(FAILED_MS)}, which usually does not pass by itself:${states.join("")}\nNothing was undone`,
      remedies: [
        { code: "APPLY", when: "conditions are met" },
        { code: "REPLACE", objects: failed },
      ],
    });
  }

  private timeout(cause?: DeadlineError): LifecycleError {
    const open = this.objects.filter((object) => !this.states.get(object)?.done);
    const [pending, once] = open.length > 0 ? [open, ""] : [this.clusters, ", in one look only"];
    const states = pending.map(
      (object) => `\n  ${describeObject(object)}: ${this.states.get(object)?.text ?? "not seen yet"}${once}`,
    );
    const what = pending.every(({ waitedFor }) => waitedFor)
      ? `${this.clusters.length} clusters not ready`
      : `${this.objects.length} objects not there or not ready`;
    const last = cause ? `The last look failed: ${cause.message}\n` : "";
    return new LifecycleError({
      code: "READY_TIMEOUT",
      objects: pending,
      summary: `${pending.length} of ${what} after ${this.call.elapsed()} (timeouts.readySeconds):${states.join("")}\n${last}Nothing was undone`,
      detail: "The next apply waits again, and creates nothing again",
      remedies: pending.some((object) => this.states.get(object)?.isDoubtful) ? [{ code: "APPLY", when: "later" }] : [],
      cause,
    });
  }

  private left(): string {
    return duration(Math.max(0, this.deadline - this.call.now()));
  }
}

/** Undefined if the lists do not have the object. `failedSince` is used if its phase is Failed. */
function stateOf(object: Expected, lists: Lists, failedSince: number): State | undefined {
  const live = liveObject(object, lists);
  if (!live) return undefined;
  if (isLeaving(live)) return { text: "being deleted on the service", done: false, isLeaving: true };
  if (!object.waitedFor) return { text: "on the service", done: true };
  const cluster = live as LiveCluster;
  const text = describe(cluster);
  return cluster.phase === "Failed" ? { text, done: false, failedSince } : { text, done: cluster.phase === "Provisioned" };
}

function describe({ phase, conditions }: LiveCluster): string {
  const met = conditions.filter(({ status }) => status === "True").map(({ type }) => type);
  const open = conditions.filter(({ status }) => status !== "True").map(({ type, status }) => `${type}=${status}`);
  const list = [...met, ...open].join(", ");
  return `${phase || "accepted, no phase yet"}${list && ` [${list}]`}`;
}
