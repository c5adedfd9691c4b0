import type { FieldChange, Finding, Risk } from "../report/finding";
import type { StateObject } from "./state-objects";

/** Each verdict with its risk, from the least to the worst. docs/drift.md explains them. */
export const DRIFT_RISKS = {
  UNMANAGED: "medium",
  "NOT-READY": "medium",
  UNFINISHED: "high",
  CHANGED: "high",
  LEAVING: "critical",
  MISSING: "critical",
} as const satisfies Record<string, Risk>;
export type Drift = keyof typeof DRIFT_RISKS;
export const DRIFTS = Object.keys(DRIFT_RISKS) as readonly Drift[];
export type DriftOfDeclared = Exclude<Drift, "UNMANAGED">;

/** Its stack, address and engine are null if no state declares the object. */
export interface DriftFinding extends Finding {
  readonly verdict: Drift;
  /** From the declared to the live value. Only fields that the service's lists show. */
  readonly changes: readonly FieldChange[];
  /** Provider of a live cluster. Null also if Terraform marks the declared provider as sensitive. */
  readonly provider: string | null;
  /** Phase of a live cluster on the service; empty at the beginning. */
  readonly phase: string | null;
  /** Unmet conditions of a live cluster. */
  readonly conditions: readonly { readonly type: string; readonly status: string }[];
  /** The usual repair is the first. */
  readonly repairs: readonly Repair[];
}

/** What a state declares, and how the service differs from it. */
export interface DriftedObject {
  readonly finding: DriftFinding;
  readonly object: StateObject;
  /** Whether another live object of the Platform proves that this is the right service. */
  readonly isProven: boolean;
}

/** `wording.ts` has the text for each code. */
export interface Repair {
  readonly code:
    | "RECREATE_MISSING"
    | "REMOVE_DECLARATION"
    | "FINISH"
    | "DECLARE_LIVE"
    | "REPLACE"
    | "LET_GO"
    | "TAKE_OVER"
    | "WAIT"
    | "WAIT_UNTIL_GONE"
    /** Only if the stack of the state is not given, so that the cluster may have `waitForReady: false`. It does not show modules. */
    | "PUT_IN_STACK"
    | "ADOPT"
    /** The state has the object without a declaration, as after `terraform import` with hooks. */
    | "REPLACE_ENTRY"
    /** The next codes occur only with the package's own Terraform provider. It sends no request for any of them. */
    | "ACCEPT_LIVE"
    | "UNTAINT"
    | "IMPORT"
    | "IGNORE"
    /** The key of the instance is not the name of the object, so commands of other repairs would affect another object. */
    | "MOVE_BACK"
    /** The state has the object at its own address, too. */
    | "REMOVE_ENTRY";
  /** To run in the folder of the stack, in this order. Empty if the repair changes the code, or nothing. */
  readonly commands: readonly string[];
  /** What must be in `allowDeletion` of the Platform first. */
  readonly allow?: string;
}

/** A fact that is no drift. `wording.ts` has the text for each `because`. */
export type DriftNote =
  /** The service has none of the declared objects. */
  | { readonly because: "nothing lives"; readonly declared: number }
  | { readonly because: "empty state"; readonly stack: string }
  /** What the service's lists have that cannot be read. */
  | { readonly because: "unread"; readonly problem: string }
  /** The objects were created on another service, and are not compared. */
  | { readonly because: "another service"; readonly objects: readonly string[]; readonly service: string }
  /** The command creates all missing objects of a state again. */
  | { readonly because: "several missing"; readonly stack: string; readonly command: string }
  /** Removal from any of the stacks deletes the object. */
  | { readonly because: "declared twice"; readonly object: string; readonly stacks: readonly string[] }
  /** One state has the object twice. The command removes one instance. */
  | { readonly because: "stored twice"; readonly object: string; readonly stack: string; readonly command: string }
  /** Clusters that are not ready, and that their stack does not wait for. */
  | { readonly because: "not waited for"; readonly objects: readonly string[] }
  /** The live objects that no given state has, without those that a finding has. */
  | { readonly because: "unmanaged"; readonly objects: readonly string[] };

export interface DriftReport {
  /** Number of objects that the states declare. */
  readonly declared: number;
  /** The worst first. */
  readonly findings: readonly DriftFinding[];
  readonly notes: readonly DriftNote[];
}
