import { declaredIn } from "../../report/declared-fields";
import { quantityAsMebibytes } from "../../../declarations/quantity";
import type { ResourceChange } from "../plan/plan";
import type { ObjectFinding, Verdict } from "./finding";

export interface ObjectSummary {
  /** Control plane and all worker groups. Null if the plan does not show them all. */
  readonly nodes: number | null;
  /** The version of Kubernetes, or as `product 2.5.0` if that decides it. Null if the plan shows neither. */
  readonly version: string | null;
  readonly provider: string | null;
  /** Of all nodes together. Null if the type does not declare it, or the plan does not show it all. */
  readonly cpus: number | null;
  readonly memoryGib: number | null;
  readonly diskGib: number | null;
}

/**
 * The size of a cluster according to its triggers. MB and GB count as MiB and GiB.
 * @param unknown the values that are known after the apply only, as in `after_unknown`
 * @param isHidden whether a field must not be shown
 */
export function objectSummary(
  { type }: Pick<ResourceChange, "type">,
  values: unknown,
  unknown: unknown,
  isHidden: (field: string, value: string | undefined) => boolean,
): ObjectSummary | null {
  const declared = declaredIn({ type }, values, unknown);
  if (declared === undefined) return null;
  const visibleValue = (field: string) => {
    const value = declared[field];
    return value === undefined || isHidden(field, value) ? undefined : value;
  };
  const number = (field: string) => {
    const text = visibleValue(field) ?? "";
    return /^\d{1,9}$/.test(text) ? Number(text) : NaN;
  };
  const quantity = (field: string) => quantityAsMebibytes(visibleValue(field)) ?? NaN;
  const counts = new Map(
    Object.keys(declared).flatMap((field) => {
      const [, group] = COUNT.exec(field) ?? [];
      return group === undefined ? [] : [[group, number(field)] as const];
    }),
  );
  const total = (ofNode: (group: string) => number) => {
    let sum = 0;
    for (const [group, count] of counts) sum += count * ofNode(group);
    return counts.has("controlPlane") && Number.isFinite(sum) ? sum : null;
  };
  const cores = (group: string) => number(`${group}.cpu.cores`) * number(`${group}.cpu.sockets`) * number(`${group}.cpu.threads`);
  const mebibytes = (group: string) =>
    number(`${group}.memoryMib`) || number(`${group}.memoryMb`) || quantity(`${group}.memorySize`);
  const gibibytes = (group: string) =>
    number(`${group}.diskGib`) || number(`${group}.diskGb`) || quantity(`${group}.diskSize`) / 1024;
  return {
    nodes: total(() => 1),
    version: visibleValue("kubernetesVersion") ?? productVersion(visibleValue("productVersion")),
    provider: visibleValue("provider") ?? null,
    cpus: total((group) => number(`${group}.cpus`) || cores(group)),
    memoryGib: total((group) => mebibytes(group) / 1024),
    diskGib: total(gibibytes),
  };
}

function productVersion(version: string | undefined): string | null {
  return version === undefined ? null : `product ${version}`;
}

const COUNT = /^(controlPlane|workers(?:\.[\w-]+|\["(?:[^"\\]|\\.)*"\]))\.count$/;

const RESOURCES = ["cpus", "memoryGib", "diskGib"] as const;

/** What an apply takes or releases. A resource that the plan does not show for each cluster is left out. */
export type Capacity = Readonly<Partial<Record<(typeof RESOURCES)[number], number>>>;

/** Without clusters whose creation or deletion is not certain. */
export function capacityChange(findings: readonly ObjectFinding[]): Capacity {
  const changing = findings.filter(({ kind, verdict, refused }) => kind === "cluster" && !refused && SIDES[verdict]);
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
