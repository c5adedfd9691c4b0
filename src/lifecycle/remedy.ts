import type { ObjectRef } from "../model/object-ref";

/** What a person can do about a failure or a warning. Each engine has its words for it, see {@link Words}. */
export type Remedy =
  /** The same command again. */
  | { readonly code: "APPLY"; readonly when: Occasion }
  /** An apply without the options and variables of this run. */
  | { readonly code: "APPLY_PLAIN" }
  /** For an apply on a machine without the notes of this one. */
  | { readonly code: "CONTINUE_ELSEWHERE"; readonly objects: readonly ObjectRef[] }
  | { readonly code: "CORRECT_URL" }
  /** Says for one run that objects are gone. */
  | { readonly code: "ACCEPT_GONE"; readonly objects: readonly ObjectRef[]; readonly orNeverCreated?: boolean }
  /** Creates missing objects again, and deletes none of them if it lives after all. */
  | {
      readonly code: "RECREATE_MISSING";
      readonly objects: readonly ObjectRef[];
      /** Whether no object of the stack is on the service. */
      readonly all: boolean;
      /** Missing objects that the apply removes. */
      readonly removed?: readonly ObjectRef[];
    }
  /** Deletes live objects and creates them again. */
  | { readonly code: "REPLACE"; readonly objects: readonly ObjectRef[] }
  /** Declares live objects as they are, and adopts them. */
  | { readonly code: "ADOPT"; readonly objects: readonly ObjectRef[]; readonly isRenamed?: boolean }
  /** Adopts live objects that are not in the code, to remove them then. */
  | { readonly code: "ADOPT_AND_REMOVE"; readonly objects: readonly ObjectRef[] }
  | { readonly code: "DECLARE_LIVE"; readonly objects: readonly ObjectRef[] }
  /** The name belongs to an object of somebody else. */
  | { readonly code: "RENAME"; readonly objects: readonly ObjectRef[] }
  /** The object may be somebody else's. It stays on the service, and Terraform forgets it. */
  | { readonly code: "LET_GO"; readonly objects: readonly ObjectRef[] }
  /** The same for an object of this stack. */
  | { readonly code: "RETAIN"; readonly objects: readonly ObjectRef[] }
  | { readonly code: "ALLOW_DELETION"; readonly objects: readonly ObjectRef[]; readonly isReplacement?: boolean }
  /** Applies the code, which protects the objects no longer, before it deletes them. Only the state protects them. */
  | { readonly code: "UNPROTECT_FIRST"; readonly objects: readonly ObjectRef[] }
  /** Takes the change back that replaces the objects. */
  | { readonly code: "KEEP"; readonly objects: readonly ObjectRef[] }
  /** An entry of `retain` is misspelled, or its object is gone. */
  | { readonly code: "CORRECT_RETAIN" }
  /** Lets the plan replace objects that `retain` keeps. */
  | { readonly code: "UNRETAIN"; readonly objects: readonly ObjectRef[] }
  /** Deletes the users of a provider first, or leaves them another one. */
  | { readonly code: "REMOVE_USERS"; readonly objects: readonly ObjectRef[] }
  /** Removes an instance from the state whose object another instance is to have. */
  | { readonly code: "REMOVE_INSTANCE"; readonly address: string }
  | {
      readonly code: "DECIDE";
      /** What to change in the code, the environment or the state, without its full stop. @default - the summary says it */
      readonly sentence?: string;
    };

export function decide(sentence: string): Remedy {
  return { code: "DECIDE", sentence };
}

/** What must be so before the same command can succeed. */
export type Occasion =
  | "later"
  | "service works"
  | "service is reachable"
  | "service answers"
  | "proxies are checked"
  | "URL is checked"
  | "request is corrected"
  | "conflict is resolved"
  | "conditions are met"
  | "object is gone"
  | "object is unlisted"
  | "provider is shown";
