import type { ObjectFinding, Verdict } from "./finding";

const RESOURCES = ["cpus", "memoryGib", "diskGib"] as const;

/** What an apply takes or releases. A resource that the plan does not show for each cluster is left out. */
export type Capacity = Readonly<Partial<Record<(typeof RESOURCES)[number], number>>>;

/** Without clusters whose creation or deletion is not certain. */
export function capacityChange(findings: readonly ObjectFinding[]): Capacity {
  const changing = findings.filter(({ kind, verdict }) => kind === "cluster" && SIDES[verdict] !== undefined);
  const difference = (resource: (typeof RESOURCES)[number]) =>
    changing.reduce((sum, { verdict, before, after }) => {
      const [releases, takes] = SIDES[verdict]!;
      return sum + (takes ? (after?.[resource] ?? NaN) : 0) - (releases ? (before?.[resource] ?? NaN) : 0);
    }, 0);
  const all = RESOURCES.map((resource) => [resource, difference(resource)] as const);
  return Object.fromEntries(all.filter(([, value]) => Number.isFinite(value) && value !== 0));
}

/** Whether the apply releases what the cluster has before, and takes what it has after. */
const SIDES: Readonly<Partial<Record<Verdict, readonly [releases: boolean, takes: boolean]>>> = {
  CREATE: [false, true],
  DESTROY: [true, false],
  REPLACE: [true, true],
};
