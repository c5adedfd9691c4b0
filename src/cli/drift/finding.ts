import type { SingularKind } from "../../model/provider-type";
import type { EngineName } from "../report/instance";

/** The kinds of drift, from the least to the worst. */
export const DRIFTS = ["UNMANAGED", "NOT-READY", "UNFINISHED", "CHANGED", "MISSING"] as const;
export type Drift = (typeof DRIFTS)[number];

/** A provider or cluster that differs from its declaration. */
export interface DriftFinding {
  readonly drift: Drift;
  readonly kind: SingularKind;
  /** Code of the provider type. If this package does not know the type, it is the service's name for it. */
  readonly type: string;
  readonly name: string;
  /** `type/kind/name`. */
  readonly object: string;
  /** The state that declares the object; null if no state declares it. */
  readonly state: string | null;
  /** Address of the instance in Terraform. */
  readonly address: string | null;
  /** The engine that carries the object; null if no state declares it. */
  readonly engine: EngineName | null;
  /** The fields that differ, out of the fields that the service's lists show. */
  readonly differences: readonly FieldDifference[];
  /** Provider of a live cluster; null also if Terraform marks the declared provider as sensitive. */
  readonly provider: string | null;
  /** Phase of a live cluster on the service; empty at the beginning. */
  readonly phase: string | null;
  /** Unmet conditions of a live cluster. */
  readonly conditions: readonly { readonly type: string; readonly status: string }[];
  /** Ways to make declared and live agree, the usual one first. */
  readonly repairs: readonly Repair[];
}

/** A field whose live value differs from the declared one. The values are null if Terraform marks them as sensitive. */
export interface FieldDifference {
  readonly field: string;
  readonly declared: string | null;
  readonly live: string | null;
}

/** One way to make declared and live agree. `wording.ts` has the text for each code. */
export interface Repair {
  readonly code:
    | "RECREATE_MISSING"
    | "REMOVE_DECLARATION"
    /** Like REMOVE_DECLARATION. The deletion guard refuses to remove a protected object even if the object is gone. */
    | "REMOVE_DECLARATION_PROTECTED"
    | "FINISH"
    | "DECLARE_LIVE"
    | "REPLACE"
    | "REPLACE_PROTECTED"
    | "LET_GO"
    | "TAKE_OVER"
    | "WAIT"
    | "ADOPT"
    /** The next codes occur only with the package's own Terraform provider. It sends no request for any of them. */
    | "ACCEPT_LIVE"
    | "FORGET"
    | "UNTAINT"
    | "IMPORT"
    | "IGNORE"
    /** The key of the instance is not the name of the object, so commands of other repairs would affect another object. */
    | "MOVE_BACK";
  /** Commands to run in the folder of the stack, in this order. Empty if the repair changes the code, or changes nothing. */
  readonly commands: readonly string[];
}

/** The comparison of live and declared objects. */
export interface DriftReport {
  /** Number of objects that the states declare. */
  readonly declared: number;
  /** The worst first. */
  readonly findings: readonly DriftFinding[];
  /** Objects that several states declare. Removal from any of these states deletes the object. */
  readonly declaredTwice: readonly { readonly object: string; readonly states: readonly string[] }[];
  /** Objects that are missing on the service and were created on another service. They are not compared. */
  readonly elsewhere: readonly { readonly object: string; readonly state: string; readonly service: string }[];
  /** Number of undeclared live objects that match a pattern to ignore. */
  readonly ignored: number;
}
