import type { ClusterList, LiveCluster, ProviderList } from "../api/client";
import { ClusterPlatformError, DeadlineError } from "../api/errors";
import { HOOK_ENV, type HookBlock } from "../api/hook-protocol";
import { recreating } from "./advice";
import { readExpected } from "./environment";
import { mayPass } from "./outage";
import { called, duration, type Run } from "./run";

/** A second look at what one look found ready, which a blink must not have been … */
const CONFIRM_READY_MS = 250;
/** … and at what it found missing: a list may be stale. */
const CONFIRM_MISSING_MS = 1_000;
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
  if (run.env[HOOK_ENV.waited] && (await new Vigil(run, objects).isOver())) return;
  await new Vigil(run, objects).keep();
}

interface Expected extends HookBlock {
  readonly name: string;
  /** Until it is ready; all others need only be there. */
  readonly waitedFor: boolean;
}

interface State {
  readonly text: string;
  readonly done: boolean;
  readonly missing: boolean;
}

class Vigil {
  private readonly started = Date.now();
  private readonly deadline: number;
  private readonly states = new Map<Expected, State>();
  private readonly clusters: readonly Expected[];
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
    for (let before: "ready" | "missing" | "pending" | undefined; ;) {
      const isLast = Date.now() >= this.deadline;
      const seen = await this.lookAtAll();
      if (seen) this.tell(seen);
      const pending = this.objects.filter((object) => !this.states.get(object)?.done);
      const missing = pending.filter((object) => this.states.get(object)?.missing);
      const now = !seen ? "pending" : missing.length > 0 ? "missing" : pending.length === 0 ? "ready" : "pending";
      const needsNoSecondLook = now === "ready" && this.clusters.length === 0;
      if (needsNoSecondLook || (now !== "pending" && now === before)) return this.conclude(missing);
      if (isLast) throw this.timeout();
      if (now === "pending" && before === undefined) {
        this.run.say(`waiting ${this.left()} at most; if interrupted, the service goes on, and the next apply goes on waiting`);
      }
      before = now;
      const left = Math.max(0, this.deadline - Date.now());
      const confirm = now === "missing" ? CONFIRM_MISSING_MS : CONFIRM_READY_MS;
      await this.run.interruption.pause(Math.min(poll, now === "pending" ? left : confirm));
      if (Date.now() >= this.deadline && now === "pending") throw this.timeout();
    }
  }

  /**
   * The objects whose state is another than before; undefined where the service could not be seen. One that cannot be
   * seen at the beginning fails the wait, not one that is lost later.
   */
  private async lookAtAll(): Promise<Expected[] | undefined> {
    const options = { signal: this.run.interruption.signal, deadline: Math.max(this.deadline, Date.now() + CONFIRM_MISSING_MS) };
    const open = this.objects.filter((object) => !this.states.get(object)?.done || object.waitedFor);
    try {
      const client = this.run.client();
      const providers = open.some(({ kind }) => kind === "providers") ? await client.listProviders(options) : undefined;
      const clusters = open.some(({ kind }) => kind === "clusters") ? await client.listClusters(options) : undefined;
      return open.filter((object) => this.look(object, providers, clusters));
    } catch (error) {
      if (error instanceof DeadlineError && this.clusters.length > 0) throw this.timeout(error);
      if (this.states.size === 0 || !mayPass(error)) throw error;
      this.lastLine = Date.now();
      this.run.say(`the service cannot be seen: ${error.message}; waiting on, ${this.left()} left`);
      return undefined;
    }
  }

  /** Whether the object's state is another than at the last look. */
  private look(object: Expected, providers: ProviderList | undefined, clusters: ClusterList | undefined): boolean {
    const state = stateOf(object, providers, clusters);
    const before = this.states.get(object)?.text;
    this.states.set(object, state);
    return before !== state.text;
  }

  private tell(changed: readonly Expected[]): void {
    const clusters = changed.filter(({ waitedFor }) => waitedFor);
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

  private conclude(missing: readonly Expected[]): void {
    if (missing.length > 0) throw this.missing(missing);
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
    const unready = this.clusters.filter((cluster) => !this.states.get(cluster)?.done);
    const [pending, once] = unready.length > 0 ? [unready, ""] : [this.clusters, ", seen once only"];
    const states = pending.map(
      (cluster) => `\n  cluster ${cluster.name}: ${this.states.get(cluster)?.text ?? "not seen yet"}${once}`,
    );
    return new ClusterPlatformError(
      "READY_TIMEOUT",
      `${pending.length} of ${this.clusters.length} clusters not ready after ${this.elapsed()} (timeouts.readySeconds):${states.join("")}\n` +
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

function stateOf({ type, kind, name, waitedFor }: Expected, providers?: ProviderList, clusters?: ClusterList): State {
  const cluster = kind === "clusters" ? clusters?.find(name) : undefined;
  const there = kind === "clusters" ? cluster?.type === type : providers?.find(type, name) !== undefined;
  if (!there) return { text: "not on the service", done: false, missing: true };
  if (!waitedFor) return { text: "on the service", done: true, missing: false };
  return { text: describe(cluster!), done: cluster!.phase === "Provisioned", missing: false };
}

function describe({ phase, conditions }: LiveCluster): string {
  const met = conditions.filter(({ status }) => status === "True").map(({ type }) => type);
  const open = conditions.filter(({ status }) => status !== "True").map(({ type, status }) => `${type}=${status}`);
  const list = [...met, ...open].join(", ");
  return `${phase || "accepted, no phase yet"}${list && ` [${list}]`}`;
}
