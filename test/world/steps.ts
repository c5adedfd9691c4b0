import type { SupportResource } from "../../src/contract/addresses";
import type { Effect } from "./kernel";
import type { Name, ObjectName, Program, Variant } from "./programs";
import type { Habits, PlannedFault, View } from "./service";

/** How a run is stopped. */
export type Stop =
  | "SIGINT"
  | "SIGINT to all"
  | "SIGTERM to all"
  | "SIGKILL of a child"
  | "SIGKILL of the children"
  | "SIGKILL of Terraform"
  | "the machine dies";

/** Before the nth effect of this kind in the run, counted from 1. */
export interface Moment {
  readonly before: Effect;
  readonly nth: number;
}

/**
 * What people do next, and what goes wrong. A step has the whole program and not a change of it, so that any step can be left
 * out when a sequence is shrunk.
 */
export interface Step {
  readonly program: Program;
  /** `plan` saves its plan, and `apply the plan` applies the last one of the workspace. @default "apply" */
  readonly operation?: "apply" | "destroy" | "plan" | "plan a destroy" | "apply the plan";
  /** `terraform import` instead of the operation. */
  readonly import?: { readonly name: ObjectName; readonly id: string };
  /** Each has its own state. All share the folder, and with it the notes. @default "default" */
  readonly workspace?: "other";
  /** -refresh=false */
  readonly withoutRefresh?: true;
  readonly replace?: readonly ObjectName[];
  readonly target?: readonly ObjectName[];
  /** Machine B has other notes than A, and its clock is ahead. A new machine has none. @default "A" */
  readonly computer?: "A" | "B" | "new";
  /** Seconds before the run. */
  readonly wait?: number;
  readonly faults?: readonly PlannedFault[];
  /** Lists are wrong from a moment on; without one, from the beginning of the run. */
  readonly view?: { readonly view: View; readonly seconds: number; readonly at?: Moment };
  /** No note can be written from a moment on; without one, from the beginning of the run. */
  readonly folder?: { readonly is: "full" | "read-only"; readonly at?: Moment };
  readonly habits?: Partial<Habits>;
  /** In a dense sequence, it is drawn during the run, and set when it comes. */
  stop?: { readonly at: Moment; readonly how: Stop };
  /** For CLUSTER_PLATFORM_URL. @default the first service */
  readonly url?: string;
  /** What the environment lacks. */
  readonly lacks?: "CLUSTER_PLATFORM_TOKEN" | "VSPHERE_USERNAME" | "VSPHERE_PASSWORD";
  /** Whether the service refuses the token of the run. */
  readonly isTokenWrong?: boolean;
  /** Ids for CLUSTER_PLATFORM_ADOPT. */
  readonly adopt?: readonly string[];
  /** For CLUSTER_PLATFORM_ACCEPT_GONE: ids separated by commas. */
  readonly acceptGone?: string;
  /** Somebody else; without a moment, before the run. `on` is another provider than that of the stack. */
  readonly other?: {
    readonly at?: Moment;
    readonly act: (typeof ACTS)[number];
    readonly name: ObjectName;
    readonly variant: Variant;
    readonly on?: string;
    /** @default the first service */
    readonly url?: string;
  };
  /** A second run in the workspace, which starts so many seconds later. The backend has no lock. */
  readonly beside?: Pick<Step, "program" | "computer"> & {
    readonly operation?: "apply" | "destroy";
    readonly seconds: number;
  };
  /** Before the run. */
  readonly state?:
    | { readonly act: "rm" | "taint" | "untaint"; readonly name: ObjectName | SupportResource }
    | { readonly act: "mv"; readonly name: Name; readonly to: Name };
}

/** What is the same in all steps of a sequence. */
export interface Setup {
  readonly engine: Program["engine"];
  readonly isRemote: boolean;
  readonly isProtected: boolean;
  readonly adopt: boolean;
  readonly waitForReady: boolean;
  readonly createSeconds: number;
  readonly deleteSeconds: number;
  /** @default 5 */
  readonly pollSeconds?: number;
  /** Whether lists show that an object is being deleted. */
  readonly isDeletionShown?: boolean;
  /** Whether what `review` and `drift` say is compared with what happens. */
  readonly hasForecasts?: true;
  /** Whether runs are OpenTofu's. */
  readonly isOpenTofu?: boolean;
}

/** A setup without peculiarities. */
export const CALM: Omit<Setup, "engine"> = {
  isRemote: false,
  isProtected: false,
  adopt: false,
  waitForReady: false,
  createSeconds: 600,
  deleteSeconds: 300,
};

/** What a seed led to. It can be played again without the seed's author. */
export interface Sequence {
  readonly setup: Setup;
  /** Orders what runs at the same time. */
  readonly seed: number;
  readonly steps: readonly Step[];
}

/** What the authors of a driver write about. */
export interface Scope {
  readonly engines: readonly Program["engine"][];
  /** Whether somebody else creates and deletes objects under the names of the stack. */
  readonly others: boolean;
  /** Whether two runs write one state at once. */
  readonly atOnce?: boolean;
  /** Whether stacks have several Platforms and services. */
  readonly scenes?: boolean;
  /** Whether most runs have a stop or a fault, so that each of them hits each kind of event often. */
  readonly dense?: boolean;
  /** With `dense`: how likely a stop or a fault is at an event, from 0 to 1, so that what earlier runs have seldom had comes more often. */
  readonly weightOf?: (stopOrFault: string, at: string) => number;
  /** Whether what `review` and `drift` say is compared with what happens. */
  readonly forecasts?: boolean;
}

export const STOPS: readonly Stop[] = [
  "SIGINT",
  "SIGINT to all",
  "SIGTERM to all",
  "SIGKILL of a child",
  "SIGKILL of the children",
  "SIGKILL of Terraform",
  "the machine dies",
];

/** What somebody else does. */
export const ACTS = ["creates", "deletes", "recreates"] as const;

export const EFFECTS: readonly Effect[] = [
  "starts",
  "ends",
  "sends GET",
  "sends POST",
  "sends DELETE",
  "arrives GET",
  "arrives POST",
  "arrives DELETE",
  "carried out POST",
  "carried out DELETE",
  "answered GET",
  "answered POST",
  "answered DELETE",
  "writes a note",
  "removes a note",
  "writes the state",
];
