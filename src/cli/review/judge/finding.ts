import type { TypeCode } from "../../../model/provider-type";
import type { EngineName } from "../../report/instance";
import type { ObjectSummary } from "./object-summary";

/** What happens to a provider or cluster, from harmless to worst. docs/review.md explains each verdict. */
export const VERDICTS = [
  "UNCHANGED",
  "MOVED",
  "CREATE",
  "ADOPT",
  "RETAIN",
  "STATE-ONLY",
  "PROTECTED",
  "IN-USE",
  "UNKNOWN",
  "DUPLICATE",
  "ORPHAN",
  "DESTROY",
  "REPLACE",
] as const;
export type Verdict = (typeof VERDICTS)[number];

/** From harmless to irreversible. */
export const RISKS = ["none", "low", "medium", "high", "critical"] as const;
export type Risk = (typeof RISKS)[number];

export function atLeast(risk: Risk, limit: Risk): boolean {
  return RISKS.indexOf(risk) >= RISKS.indexOf(limit);
}

/** The reasons for a verdict, as data. `wording.ts` has the text of each. */
export type Reason =
  | { readonly code: "NEW" | "REMOVED" | "DESTROY_ALL" | "FIELDS_CHANGED" | "REPLACE_REQUESTED" | "REPLACE_TRIGGERED" }
  | { readonly code: "TAINTED" | "BLOCK_REMOVED" | "NO_DESTROY_HOOK" | "CREATE_BEFORE_DESTROY" | "DEPOSED" | "RETIRED" }
  | {
      readonly code:
        "ADOPTS" | "RETAINED" | "ALLOWED" | "FORGOTTEN" | "NAME_TAKEN" | "PROTECTED" | "CARRIER_SWITCHED" | "STATE_ONLY";
    }
  | { readonly code: "IMPORTED" | "GONE" | "NAME_UNKNOWN" }
  | { readonly code: "IN_USE"; readonly clusters: readonly string[] }
  | { readonly code: "MOVED_FROM" | "MOVED_AWAY" | "CREATED_AT" | "LEAVES_HOOKS"; readonly address: string }
  | { readonly code: "KEY_OF_ANOTHER" | "RENAMED"; readonly object: string }
  | { readonly code: "NAME_DIFFERS"; readonly name: string }
  | { readonly code: "SENSITIVITY" | "ATTRIBUTES"; readonly fields: readonly string[] }
  | { readonly code: "FOREIGN_PROVIDER"; readonly source: string }
  | { readonly code: "FOREIGN_HOOK"; readonly problem: string }
  | { readonly code: "ACTIONS"; readonly actions: readonly string[] };

export interface FieldChange {
  /** The name of the declared field, as in `controlPlane.count`; `*` if no single field is known. */
  readonly field: string;
  /** Null if the field is not declared, or is hidden. */
  readonly before: string | null;
  readonly after: string | null;
  /** Whether the value is known after the apply only. */
  readonly unknown?: true;
  readonly hidden?: true;
  /** For a hidden field: the side on which it is not declared. */
  readonly notSet?: "before" | "after";
}

export interface ObjectFinding {
  readonly stack: string;
  readonly verdict: Verdict;
  readonly risk: Risk;
  readonly kind: "provider" | "cluster";
  readonly type: TypeCode;
  readonly name: string;
  /** `type/kind/name`, as in `capvs/clusters/prod`. Policies use this name. */
  readonly object: string;
  /** Name of its Platform; empty for a Platform without a name. */
  readonly platform: string;
  /** Its engine after the apply, or before the apply if the apply removes it. */
  readonly engine: EngineName;
  /** For a cluster: the name of its provider; null if that is hidden, or known after apply only. */
  readonly provider: string | null;
  /** For a cluster: its size in the state, and in the code; null on a side without the cluster. Null for a provider. */
  readonly before: ObjectSummary | null;
  readonly after: ObjectSummary | null;
  readonly address: string;
  readonly declared: boolean;
  /** Whether its Platform's deletionProtection covers it; null if the plan does not show that. */
  readonly protected: boolean | null;
  readonly reasons: readonly Reason[];
  /** The declared fields that are set, changed or dropped. Computed on demand: reports of large plans show few. */
  changes(): readonly FieldChange[];
}

/** Whether the apply fails because of this object. */
export function isRefused({ verdict }: ObjectFinding): boolean {
  return verdict === "PROTECTED" || verdict === "IN-USE";
}
