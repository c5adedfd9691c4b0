/** The interface shows no times, so these are the simulator's own. They depend only on the age, so no timers are needed. */

/** In the order in which they become true, each with its share of the provisioning time. */
const CONDITIONS = [
  ["InfrastructureReady", 0.4],
  ["ControlPlaneInitialized", 0.6],
  ["ControlPlaneReady", 0.8],
  ["Ready", 1],
] as const;

interface Condition {
  readonly type: string;
  readonly status: "True";
  readonly lastTransitionTime: string;
}

export interface ClusterStatus {
  readonly phase: "" | "Pending" | "Provisioned";
  readonly conditions: readonly Condition[] | null;
  /** When the status changes next, in milliseconds since the epoch, or Infinity. */
  readonly until: number;
}

/** @param cluster times in milliseconds since the epoch */
export function clusterStatus(
  cluster: { readonly createdAt: number; readonly goneAt?: number },
  provisionMs: number,
  now: number,
): ClusterStatus {
  const pendingAt = cluster.createdAt + Math.min(provisionMs * 0.1, 500);
  const moments = CONDITIONS.map(([type, share]) => ({ type, at: cluster.createdAt + provisionMs * share }));
  const reached = moments.filter(({ at }) => at <= now);
  if (cluster.goneAt !== undefined) {
    // The interface has no phase for a deletion. No client takes Pending for ready.
    return { phase: "Pending", conditions: conditions(reached.filter(({ type }) => type !== "Ready")), until: Infinity };
  }
  if (now < pendingAt) return { phase: "", conditions: null, until: pendingAt };
  return {
    phase: reached.length === moments.length ? "Provisioned" : "Pending",
    conditions: conditions(reached),
    until: moments[reached.length]?.at ?? Infinity,
  };
}

function conditions(reached: readonly { type: string; at: number }[]): Condition[] | null {
  if (reached.length === 0) return null;
  return reached.map(({ type, at }) => ({ type, status: "True", lastTransitionTime: new Date(at).toISOString() }));
}
