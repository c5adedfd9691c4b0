import { declaredIn } from "../../report/declared-fields";
import type { ResourceChange } from "../plan/plan";

export interface ObjectSummary {
  /** Control plane and all worker groups. Null if the plan does not show them all. */
  readonly nodes: number | null;
  /** The version of Kubernetes, or of the product if that decides it. Null if the plan shows neither. */
  readonly version: string | null;
  readonly provider: string | null;
}

/**
 * The size of a cluster according to its triggers.
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
  const shown = (field: string) => {
    const value = declared[field];
    return value === undefined || isHidden(field, value) ? undefined : value;
  };
  const counts = Object.keys(declared).filter((field) => COUNT.test(field));
  const nodes = counts.reduce((sum, field) => sum + (/^\d{1,9}$/.test(shown(field) ?? "") ? Number(shown(field)) : NaN), 0);
  return {
    nodes: counts.includes("controlPlane.count") && Number.isFinite(nodes) ? nodes : null,
    version: shown("kubernetesVersion") ?? shown("productVersion") ?? null,
    provider: shown("provider") ?? null,
  };
}

const COUNT = /^(?:controlPlane|workers(?:\.[\w-]+|\["(?:[^"\\]|\\.)*"\]))\.count$/;
