import type { ClusterList, LiveCluster } from "../api/client";
import { ClusterPlatformError } from "../api/errors";
import type { HookCluster } from "../api/hook-protocol";
import { readClusters } from "./environment";
import { duration, type Run } from "./run";

/** A second look at what one look found final: a list may be stale. */
const CONFIRM_MS = 1_000;
/** Silence that a person bears while nothing changes. */
const HEARTBEAT_MS = 30_000;
/** How many clusters a progress line names. */
const NAMED = 5;

/**
 * Waits until every cluster is Provisioned on two looks in a row; one list serves all of them, however many. A phase
 * that this package does not know means that the cluster is on its way.
 */
export async function wait(run: Run): Promise<void> {
  const clusters = readClusters(run.env);
  if (clusters.length === 0) return;
  run.interruption.leaving("The service goes on provisioning. The next apply goes on waiting; nothing is created again");
  await new Vigil(run, clusters).keep();
}

type State = { text: string; ready: boolean; missing: boolean };

class Vigil {
  private readonly started = Date.now();
  private readonly deadline: number;
  private readonly states = new Map<string, State>();
  private lastLine = Date.now();

  constructor(
    private readonly run: Run,
    private readonly clusters: readonly HookCluster[],
  ) {
    this.deadline = this.started + run.settings.readySeconds * 1000;
  }

  async keep(): Promise<void> {
    let confirmed = false;
    for (;;) {
      const list = await this.run.client().listClusters({ signal: this.run.interruption.signal, deadline: this.deadline });
      const changed = this.clusters.filter((cluster) => this.look(cluster, list));
      this.tell(changed);
      const pending = this.clusters.filter(({ name }) => !this.states.get(name)!.ready);
      const missing = pending.filter(({ name }) => this.states.get(name)!.missing);
      const final = missing.length > 0 || pending.length === 0;
      if (final && confirmed) return this.conclude(missing);
      confirmed = final;
      if (Date.now() >= this.deadline) throw this.timeout(pending);
      await this.run.interruption.pause(
        final ? CONFIRM_MS : Math.min(this.run.settings.pollSeconds * 1000, Math.max(100, this.deadline - Date.now())),
      );
    }
  }

  /** Whether the cluster's state is another than at the last look. */
  private look({ name, type }: HookCluster, list: ClusterList): boolean {
    const live = list.find(name);
    const missing = live === undefined || live.type !== type;
    const state = {
      text: missing ? "not on the service" : describe(live),
      ready: !missing && live.phase === "Provisioned",
      missing,
    };
    const before = this.states.get(name)?.text;
    this.states.set(name, state);
    return before !== state.text;
  }

  private tell(changed: readonly HookCluster[]): void {
    const elapsed = duration(Date.now() - this.started);
    const silent = Date.now() - this.lastLine > HEARTBEAT_MS;
    if (changed.length === 0 && !silent) return;
    this.lastLine = Date.now();
    if (changed.length > 0 && changed.length <= NAMED) {
      for (const { name } of changed) this.run.say(`cluster ${name}: ${this.states.get(name)!.text} (${elapsed})`);
      return;
    }
    const pending = this.clusters.filter(({ name }) => !this.states.get(name)!.ready);
    const named = pending.slice(0, NAMED).map(({ name }) => `${name} ${this.states.get(name)!.text}`);
    const more = pending.length > NAMED ? `, and ${pending.length - NAMED} more` : "";
    this.run.say(
      `${this.clusters.length - pending.length} of ${this.clusters.length} clusters are ready (${elapsed}, ${duration(this.deadline - Date.now())} left)${named.length > 0 ? `: ${named.join(", ")}${more}` : ""}`,
    );
  }

  private conclude(missing: readonly HookCluster[]): void {
    if (missing.length === 0) {
      this.run.say(
        `${this.clusters.length === 1 ? `cluster ${this.clusters[0]!.name} is` : `all ${this.clusters.length} clusters are`} ready after ${duration(Date.now() - this.started)}`,
      );
      return;
    }
    throw new ClusterPlatformError(
      "CLUSTER_MISSING",
      `${missing.map(({ name }) => `cluster ${name}`).join(", ")} ${missing.length === 1 ? "is" : "are"} in Terraform's state but not on the service: somebody deleted ${missing.length === 1 ? "it" : "them"}. ` +
        `To create anew: terraform apply ${missing.map(({ address }) => `-replace='${address}'`).join(" ")}`,
    );
  }

  private timeout(pending: readonly HookCluster[]): ClusterPlatformError {
    const states = pending.map(({ name }) => `  cluster ${name}: ${this.states.get(name)!.text}`).join("\n");
    return new ClusterPlatformError(
      "READY_TIMEOUT",
      `${pending.length} of ${this.clusters.length} clusters not ready after ${duration(Date.now() - this.started)} (timeouts.readySeconds):\n${states}\nNothing was undone. The next apply goes on waiting and creates nothing again`,
    );
  }
}

function describe({ phase, conditions }: LiveCluster): string {
  const met = conditions.filter(({ status }) => status === "True").map(({ type }) => type);
  const open = conditions.filter(({ status }) => status !== "True").map(({ type, status }) => `${type}=${status}`);
  const list = [...met, ...open].join(", ");
  return `${phase || "accepted, no phase yet"}${list && ` [${list}]`}`;
}
