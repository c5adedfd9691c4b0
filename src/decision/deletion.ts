import type { ErrorCode } from "../model/errors";
import { isProtected, isProtectedInState, isRetained, type ProtectionSettings } from "../model/protection";
import { type Domains, possibleOutcomes } from "./possible";

/** What decides about an object that a run deletes, to remove it or to replace it. */
export interface DeletionFacts {
  readonly transition: "remove" | "replace";
  /** Whether `retain` names it. */
  readonly isRetained: boolean;
  /** Whether the code or the run adopts the object that is created next. */
  readonly isAdopted: boolean;
  readonly protection: Protection;
  /** Whether the Platform's `retain` has an entry that names nothing in the code and nothing on the service. */
  readonly hasUnknownRetained: boolean;
  /** Whether the run was told that the object is gone. */
  readonly isSaidGone: boolean;
  readonly live: LiveObject;
  /** Of a provider: whether clusters use it. */
  readonly isUsed: boolean;
}

/** Of a live object that nothing but its permission keeps. */
export const LIVE_AND_UNUSED = {
  hasUnknownRetained: false,
  isSaidGone: false,
  live: "own",
  isUsed: false,
} as const satisfies Partial<DeletionFacts>;

/** `state` protects an object that the settings do not protect any more. `lifted`: `allowDeletion` names it. */
export type Protection = "none" | "lifted" | "settings" | "state";

export type LiveObject =
  /** Of the recorded type and provider. */
  | "own"
  /** Proven by polling, on a service that is the right one. */
  | "absent"
  /** Nothing of the stack lives on the service, so it may be another one. */
  | "absent from a doubtful service"
  | "of another type or provider"
  | "of another spelling"
  /** The list does not show its provider yet. */
  | "on an unknown provider"
  /** An interrupted apply has replaced it already. */
  | "replaced";

export type DeletionOutcome =
  | { readonly happens: "DESTROY" | "REPLACE"; readonly because?: undefined }
  /** It stays on the service, and Terraform forgets it. */
  | { readonly happens: "RETAIN"; readonly because?: undefined }
  /** It stays on the service, and the state takes over the new declaration. */
  | { readonly happens: "ADOPT"; readonly because?: undefined }
  /** Nothing is sent. */
  | { readonly happens: "GONE" | "REPLACED"; readonly because?: undefined }
  | DeletionRefusal;

export interface DeletionRefusal {
  readonly happens: "REFUSED";
  readonly because: RefusedBecause;
  readonly remedies: readonly DeletionRemedy[];
}

export type RefusedBecause =
  | "retained"
  | "service is doubtful"
  | "another object"
  | "another spelling"
  | "said to be gone"
  | "protected"
  | "retain matches nothing"
  | "provider is unknown"
  | "in use";

/** In the order of {@link decideDeletion}, which {@link refusedFirst} needs. */
export const DELETION_CODES = {
  retained: "RETAINED",
  "service is doubtful": "OBJECT_MISSING",
  "another object": "NOT_OURS",
  "another spelling": "NOT_OURS",
  "said to be gone": "NOT_GONE",
  protected: "PROTECTED",
  "retain matches nothing": "INVALID_SETTING",
  "provider is unknown": "PROVIDER_UNKNOWN",
  "in use": "PROVIDER_IN_USE",
} as const satisfies Readonly<Record<RefusedBecause, ErrorCode>>;

export type DeletionRemedy =
  | "ALLOW_DELETION"
  | "UNPROTECT_FIRST"
  | "KEEP"
  | "RETAIN"
  | "CORRECT_RETAIN"
  | "UNRETAIN"
  | "CORRECT_URL"
  | "ACCEPT_GONE"
  | "APPLY_PLAIN"
  | "APPLY"
  | "LET_GO"
  | "ADOPT"
  | "REMOVE_USERS"
  | "ADOPT_AND_REMOVE";

export const DELETION_DOMAINS: Domains<DeletionFacts> = {
  transition: ["remove", "replace"],
  isRetained: [false, true],
  isAdopted: [false, true],
  protection: ["none", "lifted", "settings", "state"],
  hasUnknownRetained: [false, true],
  isSaidGone: [false, true],
  live: [
    "own",
    "absent",
    "absent from a doubtful service",
    "of another type or provider",
    "of another spelling",
    "on an unknown provider",
    "replaced",
  ],
  isUsed: [false, true],
};

/**
 * The order is the precedence. `retain` comes first, because nothing is sent then. What is not on the service needs no
 * permission. A refusal that another one would follow is never first.
 */
export function decideDeletion(facts: DeletionFacts): DeletionOutcome {
  const isReplacement = facts.transition === "replace";
  if (facts.isRetained) {
    if (!isReplacement) return { happens: "RETAIN" };
    return facts.isAdopted ? { happens: "ADOPT" } : refused("retained", "KEEP", "UNRETAIN");
  }
  switch (facts.live) {
    case "absent":
      return { happens: "GONE" };
    case "absent from a doubtful service":
      return refused("service is doubtful", "CORRECT_URL", "ACCEPT_GONE");
    case "of another type or provider":
      return refused("another object", "LET_GO");
    case "of another spelling":
      return refused("another spelling", "LET_GO", "ADOPT");
    case "replaced":
      return { happens: "REPLACED" };
  }
  if (facts.isSaidGone) return refused("said to be gone", "APPLY_PLAIN");
  if (facts.protection === "settings" || facts.protection === "state") {
    const allowing: readonly DeletionRemedy[] =
      facts.protection === "state" ? ["ALLOW_DELETION", "UNPROTECT_FIRST"] : ["ALLOW_DELETION"];
    return isReplacement ? refused("protected", "KEEP", ...allowing) : refused("protected", ...allowing, "RETAIN");
  }
  if (facts.hasUnknownRetained) return refused("retain matches nothing", "CORRECT_RETAIN");
  if (facts.live === "on an unknown provider") return refused("provider is unknown", "APPLY", "LET_GO");
  if (facts.isUsed) return refused("in use", "REMOVE_USERS", "LET_GO", "ADOPT_AND_REMOVE");
  return { happens: isReplacement ? "REPLACE" : "DESTROY" };
}

export const possibleDeletions = possibleOutcomes(decideDeletion, DELETION_DOMAINS);

export function isRefusal(outcome: DeletionOutcome): outcome is DeletionRefusal {
  return outcome.happens === "REFUSED";
}

function refused(because: RefusedBecause, ...remedies: readonly DeletionRemedy[]): DeletionRefusal {
  return { happens: "REFUSED", because, remedies };
}

/** The refusals of objects, each with its object. */
export function refusedAmong<T>(objects: readonly T[], decide: (object: T) => DeletionOutcome) {
  return objects.flatMap((object) => {
    const refusal = decide(object);
    return isRefusal(refusal) ? [{ object, refusal }] : [];
  });
}

/** Those of the reason that comes first in {@link DELETION_CODES}. A person must end them first. */
export function refusedFirst<Refused extends { readonly refusal: DeletionRefusal }>(all: readonly Refused[]): readonly Refused[] {
  const first = REASONS.find((reason) => all.some(({ refusal }) => refusal.because === reason));
  return all.filter(({ refusal }) => refusal.because === first);
}

const REASONS = Object.keys(DELETION_CODES) as RefusedBecause[];

/**
 * What the Platform's settings say about an object.
 * @param id `type/kind/name`
 * @param byState whether the state or the object's own block says that it is protected, as with `Engine.PROVIDER`
 */
export function permissionOf(
  settings: ProtectionSettings,
  id: string,
  byState = false,
): Pick<DeletionFacts, "isRetained" | "protection"> {
  return { isRetained: isRetained(settings, id), protection: protectionOf(settings, id, byState) };
}

function protectionOf(settings: ProtectionSettings, id: string, byState: boolean): Protection {
  const { deletionProtection, allowDeletion } = settings;
  if (isProtected(settings, id)) return "settings";
  if (byState && isProtected({ deletionProtection: true, allowDeletion }, id)) return "state";
  return byState || isProtectedInState({ deletionProtection }, id) ? "lifted" : "none";
}
