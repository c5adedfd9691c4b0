import type { SingularKind } from "../../model/provider-type";
import type { EngineName } from "../report/instance";

/** How what lives differs from what is declared, from the least to the worst. */
export const DRIFTS = ["UNMANAGED", "NOT-READY", "UNFINISHED", "CHANGED", "MISSING"] as const;
export type Drift = (typeof DRIFTS)[number];

/** A provider or cluster that is not as it is declared. */
export interface DriftFinding {
  readonly drift: Drift;
  readonly kind: SingularKind;
  /** Code of the provider type; one that this package does not know as the service names it. */
  readonly type: string;
  readonly name: string;
  /** `type/kind/name`. */
  readonly object: string;
  /** The state that declares it; null for what none declares. */
  readonly state: string | null;
  /** Of the instance in Terraform. */
  readonly address: string | null;
  /** What carries it; null for what no state declares. */
  readonly engine: EngineName | null;
  /** Fields in which it differs, of those that the service's lists show. */
  readonly differences: readonly FieldDifference[];
  /** Of a live cluster: the provider that it is on; null also where Terraform marks the declared one sensitive. */
  readonly provider: string | null;
  /** Of a live cluster: how far the service is with it; empty at its beginning. */
  readonly phase: string | null;
  /** Conditions of a live cluster that are not met. */
  readonly conditions: readonly { readonly type: string; readonly status: string }[];
  /** Ways to make declared and live agree, the usual one first. */
  readonly repairs: readonly Repair[];
}

/** A field that lives otherwise than it is declared; null where Terraform marks the value sensitive. */
export interface FieldDifference {
  readonly field: string;
  readonly declared: string | null;
  readonly live: string | null;
}

/** One way to make declared and live agree. Data; `wording.ts` puts it into words. */
export interface Repair {
  readonly code:
    | "RECREATE_MISSING"
    | "REMOVE_DECLARATION"
    /** The deletion guard refuses the removal of a protected object also when the object is gone. */
    | "REMOVE_DECLARATION_PROTECTED"
    | "FINISH"
    | "DECLARE_LIVE"
    | "REPLACE"
    | "REPLACE_PROTECTED"
    | "LET_GO"
    | "TAKE_OVER"
    | "WAIT"
    | "ADOPT"
    /** The following are of the package's own Terraform provider, which sends nothing for any of them. */
    | "ACCEPT_LIVE"
    | "FORGET"
    | "UNTAINT"
    | "IMPORT"
    | "IGNORE"
    /** The key of its instance is not its name, so the commands of the other repairs would be about another object. */
    | "MOVE_BACK";
  /** To be run in the folder of the stack, one after the other; none where the code, or nothing, is to be changed. */
  readonly commands: readonly string[];
}

/** What lives, held against what is declared. */
export interface DriftReport {
  /** How many objects the states declare. */
  readonly declared: number;
  /** The worst first. */
  readonly findings: readonly DriftFinding[];
  /** Objects that several states declare: the removal from any of them deletes it. */
  readonly declaredTwice: readonly { readonly object: string; readonly states: readonly string[] }[];
  /** Objects that are not on the service, and that the state has from another one: they are not compared. */
  readonly elsewhere: readonly { readonly object: string; readonly state: string; readonly service: string }[];
  /** How many live objects no state declares and the patterns to be ignored name. */
  readonly ignored: number;
}
