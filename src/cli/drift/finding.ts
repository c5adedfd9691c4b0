import type { SingularKind } from "../../model/provider-type";
import type { EngineName } from "../report/instance";
import type { StateObject } from "./state-objects";

/** From the least to the worst. */
export const DRIFTS = ["UNMANAGED", "NOT-READY", "UNFINISHED", "CHANGED", "LEAVING", "MISSING"] as const;
export type Drift = (typeof DRIFTS)[number];
export type DriftOfDeclared = Exclude<Drift, "UNMANAGED">;

export interface DriftFinding {
  readonly drift: Drift;
  readonly kind: SingularKind;
  /** Code of the provider type, or the service's name for a type that this package does not know. */
  readonly type: string;
  readonly name: string;
  /** `type/kind/name`. */
  readonly object: string;
  /** Null if no state declares the object. */
  readonly state: string | null;
  readonly address: string | null;
  /** Null if no state declares the object. */
  readonly engine: EngineName | null;
  /** Only fields that the service's lists show. */
  readonly differences: readonly FieldDifference[];
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

/** The values are null if Terraform marks them as sensitive. */
export interface FieldDifference {
  readonly field: string;
  readonly declared: string | null;
  readonly live: string | null;
}

/** `wording.ts` has the text for each code. */
export interface Repair {
  readonly code:
    | "RECREATE_MISSING"
    | "REMOVE_DECLARATION"
    | "FINISH"
    | "DECLARE_LIVE"
    | "REPLACE"
    | "REPLACE_PROTECTED"
    | "LET_GO"
    | "TAKE_OVER"
    | "TAKE_OVER_LIVE"
    | "WAIT"
    | "WAIT_UNTIL_GONE"
    /** Only if the stack of the state is not given, so that the cluster may have `waitForReady: false`. It does not show modules. */
    | "PUT_IN_STACK"
    | "ADOPT"
    /** The state has the object without a declaration, as after `terraform import` with hooks. */
    | "REPLACE_ENTRY"
    /** The next codes occur only with the package's own Terraform provider. It sends no request for any of them. */
    | "ACCEPT_LIVE"
    | "FORGET"
    | "UNTAINT"
    | "IMPORT"
    | "IGNORE"
    /** The key of the instance is not the name of the object, so commands of other repairs would affect another object. */
    | "MOVE_BACK"
    /** The state has the object at its own address, too. */
    | "REMOVE_ENTRY";
  /** To run in the folder of the stack, in this order. Empty if the repair changes the code, or nothing. */
  readonly commands: readonly string[];
}

export interface DriftReport {
  /** Number of objects that the states declare. */
  readonly declared: number;
  /** The worst first. */
  readonly findings: readonly DriftFinding[];
  /** The command that creates all missing objects of a state again, if there are several. */
  readonly recreateAll: readonly { readonly state: string; readonly command: string }[];
  /** Removal from any of these states deletes the object. `command`: what to run if one state has the object twice. */
  readonly declaredTwice: readonly { readonly object: string; readonly states: readonly string[]; readonly command?: string }[];
  /** Missing objects that were created on another service. They are not compared. */
  readonly elsewhere: readonly { readonly object: string; readonly state: string; readonly service: string }[];
  /** Clusters that are not ready and that their stack does not wait for. They are no drift. */
  readonly notWaitedFor: readonly { readonly object: string; readonly state: string; readonly phase: string }[];
  /** States that have no resources. */
  readonly empty: readonly string[];
  /** What the service's lists have that cannot be read. */
  readonly unread: readonly string[];
  /** The live objects that no given state has, without those that {@link findings} have. They are no drift. */
  readonly unmanaged: readonly string[];
}
