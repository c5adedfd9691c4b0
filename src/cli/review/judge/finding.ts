import type { TypeCode } from "../../../model/provider-type";
import type { EngineName } from "../../report/instance";
import type { ObjectSummary } from "./object-summary";

/** What becomes of a provider or cluster, from nothing to the worst. docs/review.md explains each. */
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

/** From harmless to what cannot be undone. */
export const RISKS = ["none", "low", "medium", "high", "critical"] as const;
export type Risk = (typeof RISKS)[number];

export function atLeast(risk: Risk, limit: Risk): boolean {
  return RISKS.indexOf(risk) >= RISKS.indexOf(limit);
}

/** Why a verdict is what it is. Data; `wording.ts` puts it into words. */
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

/** A declared field that is set, changed or dropped. */
export interface FieldChange {
  /** In our vocabulary, as in `controlPlane.count`; `*` where no single field is known. */
  readonly field: string;
  /** Null where the field is not declared, or not shown because it is hidden. */
  readonly before: string | null;
  readonly after: string | null;
  /** Whether the value after the apply is known only then. */
  readonly unknown?: true;
  /** Whether the values are kept from view. */
  readonly hidden?: true;
  /** Of what is hidden: the side on which the field is not declared. */
  readonly notSet?: "before" | "after";
}

/** What a plan does to one provider or cluster. */
export interface ObjectFinding {
  /** The plan it is from. */
  readonly stack: string;
  readonly verdict: Verdict;
  readonly risk: Risk;
  readonly kind: "provider" | "cluster";
  readonly type: TypeCode;
  readonly name: string;
  /** `type/kind/name`, as in `capvs/clusters/prod`: how a policy names it. */
  readonly object: string;
  /** Of the Platform that carries it; empty for one without a name. */
  readonly platform: string;
  /** What carries it after the apply, or before where it goes. */
  readonly engine: EngineName;
  /** Of a cluster: the name of the provider that it is on; null where that is known after apply only, or hidden. */
  readonly provider: string | null;
  /** Of a cluster: how large it is in the state, and in the code. Null of a provider, and where it is not there. */
  readonly before: ObjectSummary | null;
  readonly after: ObjectSummary | null;
  /** Of the instance in Terraform. */
  readonly address: string;
  /** Whether the code that was planned declares it. */
  readonly declared: boolean;
  /** Whether its Platform's deletionProtection covers it; null where the plan does not show that. */
  readonly protected: boolean | null;
  readonly reasons: readonly Reason[];
  /** Its declared fields that are set, changed or dropped. Compared when asked for: of a large plan, most are never shown. */
  changes(): readonly FieldChange[];
}

/** Whether the apply fails because of what the plan does to the object. */
export function isRefused({ verdict }: ObjectFinding): boolean {
  return verdict === "PROTECTED" || verdict === "IN-USE";
}
