import type { ErrorCode } from "../model/errors";
import { CODES, type DeletionRefusal, type RefusedBecause } from "./deletion";
import { type Domains, possibleOutcomes } from "./possible";

/**
 * What decides about a Platform as a whole. These are two questions: whether missing objects are gone, and whether an object that
 * nobody declares stops the apply. No fact belongs to both of them, so they are independent.
 */

/** The refusals that a person must end first: those of the reason that comes first for one object, too. */
export function refusedFirst<Refused extends { readonly refusal: DeletionRefusal }>(all: readonly Refused[]): readonly Refused[] {
  const first = REASONS.find((reason) => all.some(({ refusal }) => refusal.because === reason));
  return all.filter(({ refusal }) => refusal.because === first);
}

const REASONS = Object.keys(CODES) as RefusedBecause[];

/** What decides whether objects are gone that no list of ten seconds has. */
export interface AbsenceFacts {
  /** The service that the state names. With hooks, it is that of the code. */
  readonly service: "this one" | "another";
  /** Whether the run was told that they are gone. */
  readonly isSaidGone: boolean;
  /** The other objects of the stack that live there. `refused`: only such whose name was taken, so that they may be somebody else's. */
  readonly witnesses: "none" | "refused" | "own";
  /** Whether this run has found or changed something there that is certainly this stack's. */
  readonly isSeen: boolean;
  /** Whether a note says that this stack has sent the deletions of all of them there. */
  readonly isDeletionNoted: boolean;
}

export type AbsenceOutcome = { readonly happens: "GONE" } | AbsenceRefusal;

export interface AbsenceRefusal {
  readonly happens: "REFUSED";
  readonly because: "another service" | "doubtful service";
  readonly remedies: readonly ("CORRECT_URL" | "ACCEPT_GONE")[];
}

export const ABSENCE_DOMAINS: Domains<AbsenceFacts> = {
  service: ["this one", "another"],
  isSaidGone: [false, true],
  witnesses: ["none", "refused", "own"],
  isSeen: [false, true],
  isDeletionNoted: [false, true],
};

/** A service without any object of the stack is probably another one, so its lists prove nothing. */
export function decideAbsence(facts: AbsenceFacts): AbsenceOutcome {
  if (facts.isSaidGone) return { happens: "GONE" };
  if (facts.service === "another") return doubted("another service", "CORRECT_URL", "ACCEPT_GONE");
  if (facts.isSeen || facts.witnesses === "own" || facts.isDeletionNoted) return { happens: "GONE" };
  return doubted("doubtful service", "CORRECT_URL", "ACCEPT_GONE");
}

export const possibleAbsences = possibleOutcomes(decideAbsence, ABSENCE_DOMAINS);

function doubted(because: AbsenceRefusal["because"], ...remedies: AbsenceRefusal["remedies"]): AbsenceRefusal {
  return { happens: "REFUSED", because, remedies };
}

/** What decides about an object that an unfinished apply may have left on the service. */
export interface OrphanFacts {
  /** Whether the code declares it, or Terraform deletes it because the state has it. */
  readonly isKnown: boolean;
  readonly live:
    | "present"
    /** No list has it, and a request of this stack may still create it, or lists may lag behind. */
    | "perhaps late"
    | "absent";
  /** The one that the request was sent to. */
  readonly service: "this one" | "another";
  /** A Platform that has left the code retains nothing, and no later apply looks for its objects. */
  readonly platform: "in the code" | "retains it" | "left the code";
}

export type OrphanOutcome =
  | { readonly happens: "NOTHING" }
  /** It stays on the service, and is not this stack's any more. */
  | { readonly happens: "RELEASE" }
  /** It was not created, or is deleted. */
  | { readonly happens: "GONE" }
  /** Lists of a longer time must show it. */
  | { readonly happens: "LOOK" }
  /** It is another service, or the same one at a new URL. */
  | { readonly happens: "WARNED"; readonly remedies: readonly OrphanRemedy[] }
  | OrphanRefusal;

export interface OrphanRefusal {
  readonly happens: "REFUSED";
  readonly because: "still live" | "created elsewhere";
  readonly remedies: readonly OrphanRemedy[];
}

export type OrphanRemedy = "RESTORE_PLATFORM" | "LET_GO" | "ADOPT_AND_REMOVE" | "CORRECT_URL" | "DROP_NOTE";

export const ORPHAN_CODES = {
  "still live": "STILL_LIVE",
  "created elsewhere": "INVALID_SETTING",
} as const satisfies Readonly<Record<OrphanRefusal["because"], ErrorCode>>;

export const ORPHAN_DOMAINS: Domains<OrphanFacts> = {
  isKnown: [false, true],
  live: ["present", "perhaps late", "absent"],
  service: ["this one", "another"],
  platform: ["in the code", "retains it", "left the code"],
};

export function decideOrphan(facts: OrphanFacts): OrphanOutcome {
  if (facts.isKnown) return { happens: "NOTHING" };
  if (facts.service === "another") {
    if (facts.platform === "left the code") return stopped("created elsewhere", "CORRECT_URL", "DROP_NOTE");
    const isDoubtful = facts.platform === "in the code" && facts.live === "present";
    return isDoubtful ? { happens: "WARNED", remedies: ["ADOPT_AND_REMOVE"] } : { happens: "NOTHING" };
  }
  if (facts.platform === "retains it") return { happens: "RELEASE" };
  switch (facts.live) {
    case "absent":
      return { happens: "GONE" };
    case "perhaps late":
      return { happens: "LOOK" };
  }
  const restoring: readonly OrphanRemedy[] = facts.platform === "left the code" ? ["RESTORE_PLATFORM"] : [];
  return stopped("still live", ...restoring, "LET_GO", "ADOPT_AND_REMOVE");
}

export const possibleOrphans = possibleOutcomes(decideOrphan, ORPHAN_DOMAINS);

function stopped(because: OrphanRefusal["because"], ...remedies: readonly OrphanRemedy[]): OrphanRefusal {
  return { happens: "REFUSED", because, remedies };
}
