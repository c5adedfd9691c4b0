import type { SingularKind } from "../../model/provider-type";
import type { EngineName } from "./instance";

/** From harmless to irreversible. */
export const RISKS = ["none", "low", "medium", "high", "critical"] as const;
export type Risk = (typeof RISKS)[number];

/** What a report says about one object. */
export interface Finding {
  /** Null if no given stack has the object. */
  readonly stack: string | null;
  readonly verdict: string;
  readonly risk: Risk;
  readonly kind: SingularKind;
  /** Code of the provider type, or the service's name for a type that this package does not know. */
  readonly type: string;
  readonly name: string;
  /** `type/kind/name`, as in `capvs/clusters/prod`. Policies use this name. */
  readonly object: string;
  readonly address: string | null;
  readonly engine: EngineName | null;
}

export interface FieldChange {
  /** As in `controlPlane.count`; `*` if no single field is known. */
  readonly field: string;
  /** Null if the field is not declared, or is hidden. */
  readonly before: string | null;
  readonly after: string | null;
  readonly unknown?: true;
  readonly hidden?: true;
  /** For a hidden field: the side on which it is not declared. */
  readonly notSet?: "before" | "after";
}

export function riskiestFirst(one: { readonly risk: Risk }, other: { readonly risk: Risk }): number {
  return RISKS.indexOf(other.risk) - RISKS.indexOf(one.risk);
}

export function atLeast(risk: Risk, limit: Risk): boolean {
  return RISKS.indexOf(risk) >= RISKS.indexOf(limit);
}

export function byText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
