import type { RefusedBecause } from "../../../decision/deletion";
import type { Risk } from "../../report/finding";
import type { ForeignPart } from "./foreign";

/** What notes are about, each from the worst risk. docs/review-report.md explains them. */
export const NOTE_RISKS = {
  REFUSED: ["high"],
  FOREIGN: ["critical", "high", "none"],
  INCOMPLETE: ["high", "medium", "low", "none"],
  STAYS_DELETED: ["critical", "high"],
  NEEDS: ["high", "medium", "none"],
  LEFTOVER: ["none"],
  HINT: ["high", "medium", "low", "none"],
} as const satisfies Record<string, readonly Risk[]>;
type NoteCode = keyof typeof NOTE_RISKS;

/** A fact that is not about one object alone. `wording.ts` has the text for each `because`. */
export type Note = Told & { readonly code: NoteCode } & (Fact | ({ readonly stack: string } & FactOfStack));
/** One about the plan of one stack, without the name of the stack. */
export type NoteOfStack = Told & FactOfStack;

export interface Told {
  readonly risk: Risk;
}

type Fact =
  /** Another version of this package than the one that reviews has synthesized the stacks. Its risk is high if it is an older one. */
  | { readonly because: "package version"; readonly own: string; readonly ofStack: string }
  | { readonly because: "handed over"; readonly object: string; readonly from: string; readonly to: string }
  /** `created twice`: several plans create the object, so one of these applies is refused. */
  | { readonly because: "created twice" | "declared twice"; readonly object: string; readonly stacks: Names };

type FactOfStack =
  | { readonly because: "part of the stack" | "settings unknown" }
  /** The plan failed, and may lack changes of these blocks and instances. The gate always denies it. */
  | { readonly because: "plan failed"; readonly missing: Names }
  | { readonly because: "checks failed"; readonly count: number }
  /** The configuration of hooks is unknown. `run` if the apply runs some of them, `inModules` if all of them are in modules. */
  | { readonly because: "hooks not verified"; readonly run: boolean; readonly inModules: boolean }
  /** The review compares two programs instead of a plan. `stackIn` says which of them has the stack. */
  | { readonly because: "programs only"; readonly stackIn: "both" | "base" | "head" }
  /** Blocks that are named like those of the package's own Terraform provider, but use another provider. */
  | { readonly because: "another provider"; readonly source: string; readonly addresses: Names }
  /** Changed resources of the package's own Terraform provider with types that this version does not know. */
  | { readonly because: "unknown resources"; readonly addresses: Names }
  /** Fields of the document that this version does not know. */
  | { readonly because: "unknown parts"; readonly parts: Names }
  /** Objects with drift that the plan does not change. */
  | { readonly because: "drift"; readonly objects: Names }
  /** Something that an apply may run. `allowed`: the policy allows it by its digest. */
  | ({ readonly because: "not from this package" | "allowed"; readonly why?: string } & ForeignPart)
  /** `object` leaves, and `successor` comes with the same value of `field`. */
  | { readonly because: "looks renamed"; readonly object: string; readonly successor: string; readonly field: string }
  /** Clusters that are replaced for another version. */
  | { readonly because: "new version"; readonly objects: Names }
  /** A setting for one apply, whose work is done. */
  | { readonly because: "leftover"; readonly platform: string; readonly setting: PassingSetting; readonly names: Names }
  /** `missing`: why some of them are not on this machine. */
  | { readonly because: "secrets"; readonly variables: Names; readonly files: Names; readonly missing?: Names }
  /** A look shows that the service would refuse to create the object. `problem` is a sentence. */
  | { readonly because: "provider missing"; readonly object: string; readonly problem: string }
  /** The deletion guard of a Platform refuses before anything of the Platform is deleted. `names` are objects or entries of `retain`. */
  | { readonly because: RefusedBecause; readonly platform: string; readonly names: Names; readonly allowedBy?: string }
  /** The apply deletes `objects`, stops at the refusal of `refused`, and does not create `objects` again. */
  | { readonly because: "refused in between"; readonly objects: Names; readonly refused: Names }
  | { readonly because: "registration in between"; readonly type: string; readonly providers: Names; readonly clusters: Names }
  /** The clusters on the provider, and the stacks of those clusters. */
  | { readonly because: "used elsewhere"; readonly object: string; readonly clusters: Names; readonly stacks: Names }
  /** The plan creates an object without `adopt`, and `stacks` have the object. The apply refuses the creation. */
  | { readonly because: "taken elsewhere"; readonly object: string; readonly stacks: Names };

type Names = readonly string[];
/** Each has work in one apply. */
type PassingSetting = "allowDeletion" | "retain" | "adopt";

/** Everything else is REFUSED. */
const CODES: Readonly<Partial<Record<Note["because"], NoteCode>>> = {
  "not from this package": "FOREIGN",
  allowed: "FOREIGN",
  "hooks not verified": "FOREIGN",
  "another provider": "FOREIGN",
  "unknown resources": "FOREIGN",
  "plan failed": "INCOMPLETE",
  "part of the stack": "INCOMPLETE",
  "settings unknown": "INCOMPLETE",
  "unknown parts": "INCOMPLETE",
  "programs only": "INCOMPLETE",
  "refused in between": "STAYS_DELETED",
  "registration in between": "STAYS_DELETED",
  secrets: "NEEDS",
  "provider missing": "NEEDS",
  leftover: "LEFTOVER",
  "package version": "HINT",
  "checks failed": "HINT",
  drift: "HINT",
  "declared twice": "HINT",
  "handed over": "HINT",
  "looks renamed": "HINT",
  "new version": "HINT",
};

export function noted<N extends Omit<Note, "code">>(note: N): N & { readonly code: NoteCode } {
  return { code: CODES[note.because] ?? "REFUSED", ...note };
}

export type GuardRefusal = Extract<NoteOfStack, { readonly platform: string; readonly because: RefusedBecause }>;

/** Whether a deletion guard certainly refuses because of the objects that the note names. Nothing of its Platform is deleted. */
export function isSparing(note: Note): note is Note & GuardRefusal & { readonly stack: string };
export function isSparing(note: NoteOfStack): note is GuardRefusal;
export function isSparing(note: Note | NoteOfStack): boolean {
  return "platform" in note && "names" in note && note.because !== "leftover" && note.because !== "retain matches nothing";
}

/** Whether the note says that an apply fails. */
export function isRefusal({ code, because, risk }: Note): boolean {
  return code === "REFUSED" || (because === "provider missing" && risk === "high");
}
