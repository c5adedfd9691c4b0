import type { ErrorCode } from "../model/errors";
import { type Domains, possibleOutcomes } from "./possible";

/**
 * What decides about a Platform as a whole. These are two questions: whether missing objects are gone, and whether an object that
 * nobody declares stops the apply. No fact belongs to both of them, so they are independent.
 */

/** What decides whether objects are gone that no list of ten seconds has. */
export interface AbsenceFacts {
  /** The service that the state names. With hooks, it is that of the code. */
  readonly service: "this one" | "another";
  /** Whether the run was told that they are gone. */
  readonly isSaidGone: boolean;
  /** Whether another object lives there that is certainly this stack's. */
  readonly hasWitness: boolean;
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
  hasWitness: [false, true],
  isSeen: [false, true],
  isDeletionNoted: [false, true],
};

/** A service without any object of the stack is probably another one, so its lists prove nothing. */
export function decideAbsence(facts: AbsenceFacts): AbsenceOutcome {
  if (facts.isSaidGone) return { happens: "GONE" };
  if (facts.service === "another") return doubted("another service");
  if (facts.isSeen || facts.hasWitness || facts.isDeletionNoted) return { happens: "GONE" };
  return doubted("doubtful service");
}

export const possibleAbsences = possibleOutcomes(decideAbsence, ABSENCE_DOMAINS);

function doubted(because: AbsenceRefusal["because"]): AbsenceRefusal {
  return { happens: "REFUSED", because, remedies: ["CORRECT_URL", "ACCEPT_GONE"] };
}

/** What decides about an object that an unfinished apply may have left on the service, and that neither the code nor the state has. */
export interface OrphanFacts {
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
  live: ["present", "perhaps late", "absent"],
  service: ["this one", "another"],
  platform: ["in the code", "retains it", "left the code"],
};

export function decideOrphan(facts: OrphanFacts): OrphanOutcome {
  if (facts.service === "another") {
    if (facts.platform === "left the code") return stopped("created elsewhere", "CORRECT_URL", "DROP_NOTE");
    const mayBeOurs = facts.platform === "in the code" && facts.live === "present";
    return mayBeOurs ? { happens: "WARNED", remedies: ["ADOPT_AND_REMOVE"] } : { happens: "NOTHING" };
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
