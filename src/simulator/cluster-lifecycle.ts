/**
 * How a cluster comes up. The interface shows phases and conditions but not when one follows the other, so the
 * times are this service's own; they follow from the cluster's age alone, so that nothing ticks while nobody asks.
 */

/** Conditions in the order in which they become true, with the share of the provisioning time after which they do. */
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
  /** When this status gives way to the next one; Infinity for the last. Milliseconds since the epoch. */
  readonly until: number;
}

/** All times in milliseconds, moments since the epoch. */
export function clusterStatus(
  cluster: { readonly createdAt: number; readonly goneAt?: number },
  provisionMs: number,
  now: number,
): ClusterStatus {
  const pendingAt = cluster.createdAt + Math.min(provisionMs * 0.1, 500);
  const moments = CONDITIONS.map(([type, share]) => ({ type, at: cluster.createdAt + provisionMs * share }));
  const reached = moments.filter(({ at }) => at <= now);
  if (cluster.goneAt !== undefined) {
    // The interface knows no phase for what is being deleted; Pending is the one that nobody takes for ready.
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
