import type { RefusedBecause } from "../../../decision/deletion";
import type { Risk } from "./finding";
import type { ForeignPart } from "./foreign";

/** Each note with its risks, from the worst. docs/review-report.md explains them. */
export const NOTE_RISKS = {
  STAYS_DELETED: ["critical"],
  REFUSED: ["high"],
  USED_ELSEWHERE: ["high"],
  TAKEN_ELSEWHERE: ["high"],
  FOREIGN: ["critical"],
  FOREIGN_ALLOWED: ["none"],
  HOOKS_NOT_VERIFIED: ["critical", "none"],
  REGISTRATION_FIRST: ["high"],
  PLAN_FAILED: ["high"],
  INCOMPLETE: ["high"],
  SETTINGS_UNKNOWN: ["medium"],
  UNKNOWN_PARTS: ["low"],
  FOREIGN_PROVIDER: ["high"],
  UNKNOWN_RESOURCES: ["high"],
  NEEDS: ["high", "medium"],
  FAILED_CHECKS: ["medium"],
  DRIFT: ["low"],
  OUTPUTS: ["low"],
  DECLARED_TWICE: ["high", "low"],
  HANDED_OVER: ["low"],
  SYNTH_ONLY: ["none"],
  LEFTOVER: ["none"],
  LOOKS_RENAMED: ["none"],
  NEW_VERSION: ["none"],
  SERVICE: ["none"],
  SECRETS: ["medium", "none"],
  SUPPORT_RESOURCES: ["none"],
} as const satisfies Record<Fact["code"], readonly Risk[]>;

/** A fact that is not about one object alone. `wording.ts` has the text of each note. */
export type Note = WithRisk<Fact>;
/** One about the plan of one stack, without the name of the stack. */
export type NoteOfStack = WithRisk<FactOfStack>;

type WithRisk<F extends Fact | FactOfStack> = F extends unknown
  ? F & { readonly risk: (typeof NOTE_RISKS)[F["code"]][number] }
  : never;

type Fact =
  | ({ readonly stack: string } & FactOfStack)
  | { readonly code: "SUPPORT_RESOURCES"; readonly count: number }
  | { readonly code: "HANDED_OVER"; readonly object: string; readonly from: string; readonly to: string }
  /** Its risk is high if several plans create the object: then one of these applies is refused. */
  | { readonly code: "DECLARED_TWICE"; readonly object: string; readonly stacks: Names };

type FactOfStack =
  | { readonly code: "INCOMPLETE" | "SETTINGS_UNKNOWN" }
  /** The plan failed, and may lack changes of these blocks and instances. The gate always denies it. */
  | { readonly code: "PLAN_FAILED"; readonly missing: Names }
  | { readonly code: "FAILED_CHECKS" | "OUTPUTS"; readonly count: number }
  /** The configuration of hooks is unknown. `run` if the apply runs some of them, `inModules` if all of them are in modules. */
  | { readonly code: "HOOKS_NOT_VERIFIED"; readonly run: boolean; readonly inModules: boolean }
  /** The review compares two programs instead of a plan. `stackIn` says which of them has the stack. */
  | { readonly code: "SYNTH_ONLY"; readonly stackIn: "both" | "base" | "head" }
  /** Blocks that are named like those of the package's own Terraform provider, but use another provider. */
  | { readonly code: "FOREIGN_PROVIDER"; readonly source: string; readonly addresses: Names }
  /** Changed resources of the package's own Terraform provider with types that this version does not know. */
  | { readonly code: "UNKNOWN_RESOURCES"; readonly addresses: Names }
  /** Fields of the document that this version does not know. */
  | { readonly code: "UNKNOWN_PARTS"; readonly parts: Names }
  /** Objects with drift that the plan does not change. */
  | { readonly code: "DRIFT"; readonly objects: Names }
  /** Something that is not from this package, and that an apply may run. */
  | ({ readonly code: "FOREIGN" } & ForeignPart)
  /** The same, and the policy allows it by its digest. */
  | ({ readonly code: "FOREIGN_ALLOWED"; readonly why?: string } & ForeignPart)
  /** `url` is null if the plan does not show it. `isNew` if the Platform has no objects yet. */
  | { readonly code: "SERVICE"; readonly platform: string; readonly url: string | null; readonly isNew: boolean }
  /** `object` leaves, and `successor` comes with the same value of `field`. */
  | { readonly code: "LOOKS_RENAMED"; readonly object: string; readonly successor: string; readonly field: string }
  /** Clusters that are replaced for another version. */
  | { readonly code: "NEW_VERSION"; readonly objects: Names }
  /** A setting for one apply, whose work is done. */
  | { readonly code: "LEFTOVER"; readonly platform: string; readonly setting: PassingSetting; readonly names: Names }
  /** `missing`: why some of them are not on this machine. */
  | { readonly code: "SECRETS"; readonly variables: Names; readonly files: Names; readonly missing?: Names }
  /** A look shows that the service would refuse to create the object. `problem` is a sentence. */
  | { readonly code: "NEEDS"; readonly object: string; readonly problem: string }
  /** The deletion guard of a Platform refuses before anything of the Platform is deleted. `names` are objects or entries of `retain`. */
  | {
      readonly code: "REFUSED";
      readonly platform: string;
      readonly because: RefusedBecause;
      readonly names: Names;
      readonly allowedBy?: string;
    }
  /** The apply deletes `objects`, stops at the refusal of `refused`, and does not create `objects` again. */
  | { readonly code: "STAYS_DELETED"; readonly objects: Names; readonly refused: Names }
  | { readonly code: "REGISTRATION_FIRST"; readonly type: string; readonly providers: Names; readonly clusters: Names }
  /** The clusters on the provider, and the stacks of those clusters. */
  | { readonly code: "USED_ELSEWHERE"; readonly object: string; readonly clusters: Names; readonly stacks: Names }
  /** The plan creates an object without `adopt`, and `stacks` have the object. The apply refuses the creation. */
  | { readonly code: "TAKEN_ELSEWHERE"; readonly object: string; readonly stacks: Names };

type Names = readonly string[];
/** Each has work in one apply. */
type PassingSetting = "allowDeletion" | "retain" | "adopt";

/** Whether a deletion guard certainly refuses because of the objects that the note names. Nothing of its Platform is deleted. */
export function isSparing<N extends Note | NoteOfStack>(note: N): note is N & { readonly code: "REFUSED" } {
  return note.code === "REFUSED" && note.because !== "retain matches nothing";
}

/** Whether the note says that an apply fails. */
export function isRefusal({ code, risk }: Note): boolean {
  return REFUSALS.has(code) || ((code === "DECLARED_TWICE" || code === "NEEDS") && risk === "high");
}

const REFUSALS: ReadonlySet<Note["code"]> = new Set(["REFUSED", "USED_ELSEWHERE", "TAKEN_ELSEWHERE"]);
