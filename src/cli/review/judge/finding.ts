import type { NotCreatedBecause } from "../../../decision/creation";
import type { RefusedBecause } from "../../../decision/deletion";
import type { TypeCode } from "../../../model/provider-type";
import type { FieldChange, Finding, Risk } from "../../report/finding";
import type { EngineName } from "../../report/instance";
import type { ObjectSummary } from "./object-summary";

/** Each verdict with its risks, from harmless to worst. docs/review.md explains them. */
export const VERDICT_RISKS = {
  UNCHANGED: ["none", "low", "medium"],
  CREATE: ["low", "high"],
  ADOPT: ["medium", "high"],
  LEAVE: ["medium", "high", "critical"],
  UNKNOWN: ["high", "critical"],
  DESTROY: ["high", "critical"],
  REPLACE: ["high", "critical"],
} as const satisfies Record<string, readonly Risk[]>;
export type Verdict = keyof typeof VERDICT_RISKS;
export const VERDICTS = Object.keys(VERDICT_RISKS) as [Verdict, ...Verdict[]];

type RiskOf<V extends Verdict> = (typeof VERDICT_RISKS)[V][number];
/** A verdict with one of its risks. */
type VerdictWithRisk = { [V in Verdict]: { readonly verdict: V; readonly risk: RiskOf<V> } }[Verdict];

/** What happens to an object, and why. */
export type Judgement = VerdictWithRisk & {
  /** Whether the apply fails because of this object, as long as it exists. */
  readonly refused: boolean;
  readonly reasons: readonly Reason[];
};

/** A reason that is nothing but its code. */
export type SimpleReason = "NEW" | "REMOVED" | "DESTROY_ALL" | "CHANGED" | "TAINTED" | "ALLOWED" | "GONE";

/** Data only: `wording.ts` has the text of each reason. */
export type Reason =
  | { readonly code: Exclude<SimpleReason, "CHANGED" | "GONE"> }
  /**
   * `dropped`: the apply removes it from the state. `replaced`: an interrupted apply has replaced it. `leaving`: it is being deleted.
   * `pending`: a request of this machine may still create it.
   */
  | ({ readonly code: "GONE" } & { readonly [Why in "dropped" | "replaced" | "leaving" | "pending"]?: true })
  /** `fields`: those of an update in place. */
  | { readonly code: "CHANGED"; readonly fields?: readonly string[] }
  | { readonly code: "REQUESTED"; readonly because: "-replace" | "replace_triggered_by" }
  | { readonly code: "RETAINED"; readonly because: "retain" | "destroy = false" }
  /** Its instance has or had another address, or its address or values name another object. */
  | { readonly code: "MOVED"; readonly because: "was at" | "declared at"; readonly address: string }
  | { readonly code: "MOVED"; readonly because: "declares"; readonly object: string }
  | { readonly code: "MOVED"; readonly because: "imported" }
  /** Its instance goes, and nothing deletes the object. */
  | { readonly code: "NO_HOOK"; readonly because: Unhooked }
  | { readonly code: "NO_HOOK"; readonly because: "moves to"; readonly address: string }
  | Refused
  | { readonly code: "FOREIGN"; readonly because: "provider" | "hook"; readonly problem: string }
  | { readonly code: "UNKNOWN"; readonly because: "name" }
  | { readonly code: "UNKNOWN"; readonly because: "actions"; readonly actions: readonly string[] }
  /** It is at the address of another object. */
  | { readonly code: "UNKNOWN"; readonly because: "platform"; readonly address: string }
  /** Expressions in these fields change, in a review of two programs. */
  | { readonly code: "UNKNOWN"; readonly because: "expressions"; readonly fields: readonly string[] };

type Unhooked = "block removed" | "no destroy hook" | "create_before_destroy" | "deposed copy";
export type NotDoneBecause = NotCreatedBecause | RefusedBecause | "no declaration";

interface Refused {
  readonly code: "REFUSED";
  readonly because: NotDoneBecause;
  /** That differ. */
  readonly fields?: readonly string[];
  /** That use the provider. */
  readonly clusters?: readonly string[];
  /** The Platform's setting that allows the deletion. Only if no note has it. */
  readonly allowedBy?: string;
}

type Because = Extract<Reason, { readonly because: unknown }>["because"];

export const wasAt = (address: string): Reason => ({ code: "MOVED", because: "was at", address });
export const declaredAt = (address: string): Reason => ({ code: "MOVED", because: "declared at", address });
export const declares = ({ id }: { readonly id: string }): Reason => ({ code: "MOVED", because: "declares", object: id });
export const movesTo = (address: string): Reason => ({ code: "NO_HOOK", because: "moves to", address });
export const noHook = (because: Unhooked): Reason => ({ code: "NO_HOOK", because });
export const DROPPED: Reason = { code: "GONE", dropped: true };
export const LEAVING: Reason = { code: "GONE", leaving: true };
export const PENDING: Reason = { code: "GONE", pending: true };
export const REPLACED_ALREADY: Reason = { code: "GONE", replaced: true };
/** The object stays on the service under its name. */
export const TAKEN: Reason = { code: "REFUSED", because: "taken" };
export const SENT_OTHERWISE: Reason = { code: "REFUSED", because: "sent otherwise" };

export function judgement<V extends Verdict>(
  verdict: V,
  risk: RiskOf<V>,
  ...reasons: readonly (Reason | SimpleReason)[]
): Judgement {
  const judged = { verdict, risk } as VerdictWithRisk;
  return {
    ...judged,
    refused: false,
    reasons: reasons.map((reason) => (typeof reason === "string" ? { code: reason } : reason)),
  };
}

/** The same for what the apply would do if it did not fail. */
export function refusal(...of: Parameters<typeof judgement>): Judgement {
  return { ...judgement(...of), refused: true };
}

/** A resource of others that goes together with an object. */
export interface Dependent {
  readonly address: string;
  /** Whether the plan creates it again. */
  readonly replaced: boolean;
}

export interface ObjectFinding extends Finding {
  readonly stack: string;
  readonly verdict: Verdict;
  readonly refused: boolean;
  readonly type: TypeCode;
  /** Empty for a Platform without a name. */
  readonly platform: string;
  /** Its engine after the apply, or before the apply if the apply removes it. */
  readonly engine: EngineName;
  /** Null for a provider, and if it is hidden or known after apply only. */
  readonly provider: string | null;
  /** Null for a provider, and on a side without the cluster. */
  readonly before: ObjectSummary | null;
  readonly after: ObjectSummary | null;
  readonly address: string;
  /** Of its construct, as in `production/prod`. With hooks, only the synthesized stack shows it. */
  readonly path: string | null;
  readonly declared: boolean;
  /** Null if the plan does not show the protection. */
  readonly protected: boolean | null;
  /** Whether its deletion was refused before this plan, and is not refused any more. */
  readonly unprotected: boolean;
  /** Whether the review has looked at its service. Otherwise what is refused fails only if it still exists. */
  readonly seen: boolean;
  readonly reasons: readonly Reason[];
  /** Resources that depend on a lost object, also by others, and that the same plan deletes or replaces. */
  readonly dependents: readonly Dependent[];
  changes(): readonly FieldChange[];
  /** The URL of its service. Undefined if the plan does not show it. */
  service(): string | undefined;
  /** A field that two objects of one type cannot share, and its value. */
  endpoint(): readonly [field: string, value: string] | undefined;
}

/** The object of a finding or of a denial, unique over all stacks. */
export function keyOf({ stack, object }: Pick<ObjectFinding, "stack" | "object">): string {
  return JSON.stringify([stack, object]);
}

type Judged = Pick<Judgement, "verdict" | "refused" | "reasons">;

/** Whether the apply deletes the object, also to replace it. */
export function isDeleted({ verdict, refused }: Omit<Judged, "reasons">): boolean {
  return !refused && (verdict === "DESTROY" || verdict === "REPLACE");
}

/** Whether it creates an object that it does not adopt. */
export function isCreated({ verdict, refused }: Omit<Judged, "reasons">): boolean {
  return !refused && (verdict === "CREATE" || verdict === "REPLACE");
}

/** Whether anything happens to the object, at least in the state. */
export function isAffected({ verdict, reasons }: Omit<Judged, "refused">): boolean {
  return verdict !== "UNCHANGED" || reasons.length > 0;
}

/** Whether the code says that the object stays on the service. */
export function isLetGo({ verdict, reasons }: Omit<Judged, "refused">): boolean {
  return verdict === "LEAVE" && hasReason({ reasons }, "RETAINED");
}

/** @param any of them, as `code` or `because` */
export function hasReason({ reasons }: Pick<Judged, "reasons">, ...any: readonly (Reason["code"] | Because)[]): boolean {
  return reasons.some((reason) => any.includes(reason.code) || ("because" in reason && any.includes(reason.because)));
}
