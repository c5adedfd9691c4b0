import type { ClusterList, LiveCluster, ProviderList } from "../api/client";
import { ClusterPlatformError, DeadlineError } from "../model/errors";
import { HOOK_ENV, type HookBlock } from "../contract/hook-protocol";
import { recreating } from "./advice";
import { readExpected } from "./environment";
import { mayPass } from "./outage";
import { called, duration, enumerated, type Run } from "./run";

/** A second look at what one look found ready, which a blink must not have been. */
const CONFIRM_READY_MS = 250;
/** How long every look must lack what is taken for missing: a list may lag behind, and to create anew is to delete before. */
const MISSING_MS = 10_000;
/** What one look lacks is looked for this often. */
const LOOK_FOR_MISSING_MS = 1_000;
/** How long a look may take even where the time is over. */
const LAST_LOOK_MS = 1_000;
/** Silence that a person bears while nothing changes. */
const HEARTBEAT_MS = 30_000;
/** How many clusters a progress line names. */
const NAMED = 5;

/**
 * Sees to it that everything that the state has is on the service, and waits until every cluster that is to be ready
 * is Provisioned, on two looks in a row; one list serves all of them, however many. A phase that this package does not
 * know means that the cluster is on its way.
 */
export async function wait(run: Run): Promise<void> {
  const objects = readExpected(run.env).flatMap(({ ready, present, ...block }) => [
    ...ready.map((name) => ({ ...block, name, waitedFor: true })),
    ...present.map((name) => ({ ...block, name, waitedFor: false })),
  ]);
  if (objects.length === 0) return;
  run.interruption.leaving("The service goes on provisioning. The next apply goes on waiting; nothing is created again");
  if (run.env[HOOK_ENV.waited] && (await new ReadinessWaiter(run, objects).isOver())) return;
  await new ReadinessWaiter(run, objects).keep();
}

interface Expected extends HookBlock {
  readonly name: string;
  /** Until it is ready; all others need only be there. */
  readonly waitedFor: boolean;
}

interface State {
  readonly text: string;
  readonly done: boolean;
  /** Since when each look has lacked it, where the last one did. */
  readonly missingSince?: number;
}

class ReadinessWaiter {
  private readonly started = Date.now();
  private readonly deadline: number;
  private readonly states = new Map<Expected, State>();
  private readonly clusters: readonly Expected[];
  /** When the first look was over. */
  private firstSeenAt: number | undefined;
  /** When the last look began. */
  private lookedAt = this.started;
  private lastLine = Date.now();

  constructor(
    private readonly run: Run,
    private readonly objects: readonly Expected[],
  ) {
    this.deadline = this.started + run.settings.readySeconds * 1000;
    this.clusters = objects.filter(({ waitedFor }) => waitedFor);
  }

  /** Whether one look finds nothing left to wait for; nothing is said of it. */
  async isOver(): Promise<boolean> {
    const seen = await this.lookAtAll();
    return seen !== undefined && this.objects.every((object) => this.states.get(object)?.done);
  }

  async keep(): Promise<void> {
    const poll = this.run.settings.pollSeconds * 1000;
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
      if (this.lookedAt >= this.deadline) throw this.timeout();
      if (seen && now !== "ready" && !told.has(now)) {
        told.add(now);
        this.run.say(now === "missing" ? this.lookingFor(missing) : this.waiting());
      }
      wasReady = now === "ready";
      const left = Math.max(0, this.deadline - Date.now());
      const next = { ready: CONFIRM_READY_MS, missing: LOOK_FOR_MISSING_MS, pending: left }[now];
      await this.run.interruption.pause(Math.min(poll, next));
      if (Date.now() >= this.deadline && now === "pending") throw this.timeout();
    }
  }

  private isMissing(object: Expected): boolean {
    return this.states.get(object)?.missingSince !== undefined;
  }

  /** Whether every look has lacked it for long enough, or for all the time that there is. */
  private isGone(object: Expected): boolean {
    const since = this.states.get(object)!.missingSince!;
    return this.lookedAt - since >= MISSING_MS || (since === this.firstSeenAt && this.lookedAt >= this.deadline);
  }

  /**
   * The objects whose state is another than before; undefined where the service could not be seen. One that cannot be
   * seen at the beginning fails the wait, not one that is lost later.
   */
  private async lookAtAll(): Promise<Expected[] | undefined> {
    this.lookedAt = Date.now();
    const options = { signal: this.run.interruption.signal, deadline: Math.max(this.deadline, Date.now() + LAST_LOOK_MS) };
    const open = this.objects.filter((object) => !this.states.get(object)?.done || object.waitedFor);
    try {
      const client = this.run.client();
      const providers = open.some(({ kind }) => kind === "providers") ? await client.listProviders(options) : undefined;
      const clusters = open.some(({ kind }) => kind === "clusters") ? await client.listClusters(options) : undefined;
      const now = Date.now();
      this.firstSeenAt ??= now;
      return open.filter((object) => this.look(object, now, providers, clusters));
    } catch (error) {
      if (error instanceof DeadlineError && this.clusters.length > 0) throw this.timeout(error);
      if (this.states.size === 0 || !mayPass(error)) throw error;
      this.lastLine = Date.now();
      this.run.say(`the service cannot be seen: ${error.message}; waiting on, ${this.left()} left`);
      return undefined;
    }
  }

  /** Whether the object's state is another than at the last look. */
  private look(object: Expected, now: number, providers?: ProviderList, clusters?: ClusterList): boolean {
    const before = this.states.get(object);
    const missing = { text: "not on the service", done: false, missingSince: before?.missingSince ?? now };
    const state = stateOf(object, providers, clusters) ?? missing;
    this.states.set(object, state);
    return before?.text !== state.text;
  }

  /** Of what is missing it is said once for all that it is looked for. */
  private tell(changed: readonly Expected[]): void {
    const clusters = changed.filter((object) => object.waitedFor && !this.isMissing(object));
    if (clusters.length === 0 && Date.now() - this.lastLine <= HEARTBEAT_MS) return;
    this.lastLine = Date.now();
    if (clusters.length > 0 && clusters.length <= NAMED) {
      for (const cluster of clusters) {
        this.run.say(`${called(cluster, cluster.name)}: ${this.states.get(cluster)!.text} (${this.elapsed()})`);
      }
      return;
    }
    const pending = this.clusters.filter((cluster) => !this.states.get(cluster)!.done);
    const named = pending.slice(0, NAMED).map((cluster) => `${cluster.name} ${this.states.get(cluster)!.text}`);
    const more = pending.length > NAMED ? `, and ${pending.length - NAMED} more` : "";
    this.run.say(
      `${this.clusters.length - pending.length} of ${this.clusters.length} clusters are ready (${this.elapsed()}, ${this.left()} left)${named.length > 0 ? `: ${named.join(", ")}${more}` : ""}`,
    );
  }

  private waiting(): string {
    return `waiting ${this.left()} at most; if interrupted, the service goes on, and the next apply goes on waiting`;
  }

  private lookingFor(missing: readonly Expected[]): string {
    const names = enumerated(missing.map((object) => called(object, object.name)));
    const [are, they] = missing.length === 1 ? ["is", "it is"] : ["are", "they are"];
    return `${names} ${are} not on the service (yet); ${they} looked for, ${duration(Math.min(MISSING_MS, this.deadline - Date.now()))} at most`;
  }

  private conclude(): void {
    const { clusters } = this;
    if (clusters.length === 0) return;
    const all = clusters.length === 1 ? `cluster ${clusters[0]!.name} is` : `all ${clusters.length} clusters are`;
    this.run.say(`${all} ready after ${this.elapsed()}`);
  }

  private missing(missing: readonly Expected[]): ClusterPlatformError {
    const names = missing.map((object) => called(object, object.name)).join(", ");
    const [are, them] = missing.length === 1 ? ["is", "it"] : ["are", "them"];
    return new ClusterPlatformError(
      "OBJECT_MISSING",
      `${names} ${are} in Terraform's state but not on the service: somebody deleted ${them}, or Terraform was killed while it created ${them}. ` +
        `To create anew: ${recreating(this.run.settings, missing)}`,
    );
  }

  private timeout(cause?: DeadlineError): ClusterPlatformError {
    const open = this.objects.filter((object) => !this.states.get(object)?.done);
    const [pending, once] = open.length > 0 ? [open, ""] : [this.clusters, ", seen once only"];
    const states = pending.map(
      (object) => `\n  ${called(object, object.name)}: ${this.states.get(object)?.text ?? "not seen yet"}${once}`,
    );
    const what = pending.every(({ waitedFor }) => waitedFor)
      ? `${this.clusters.length} clusters not ready`
      : `${this.objects.length} objects not there or not ready`;
    return new ClusterPlatformError(
      "READY_TIMEOUT",
      `${pending.length} of ${what} after ${this.elapsed()} (timeouts.readySeconds):${states.join("")}\n` +
        `${cause ? `The last look did not succeed: ${cause.message}\n` : ""}Nothing was undone. The next apply goes on waiting and creates nothing again`,
      { cause },
    );
  }

  private elapsed(): string {
    return duration(Date.now() - this.started);
  }

  private left(): string {
    return duration(Math.max(0, this.deadline - Date.now()));
  }
}

/** Undefined where the lists lack the object. */
function stateOf({ type, kind, name, waitedFor }: Expected, providers?: ProviderList, clusters?: ClusterList): State | undefined {
  const cluster = kind === "clusters" ? clusters?.find(name) : undefined;
  const there = kind === "clusters" ? cluster?.type === type : providers?.find(type, name) !== undefined;
  if (!there) return undefined;
  if (!waitedFor) return { text: "on the service", done: true };
  return { text: describe(cluster!), done: cluster!.phase === "Provisioned" };
}

function describe({ phase, conditions }: LiveCluster): string {
  const met = conditions.filter(({ status }) => status === "True").map(({ type }) => type);
  const open = conditions.filter(({ status }) => status !== "True").map(({ type, status }) => `${type}=${status}`);
  const list = [...met, ...open].join(", ");
  return `${phase || "accepted, no phase yet"}${list && ` [${list}]`}`;
}
