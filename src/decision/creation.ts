import type { ErrorCode } from "../model/errors";
import { type Domains, type Partly, possibleOutcomes } from "./possible";

/** What decides about an object that a run creates, adopts or imports. */
export interface CreationFacts {
  readonly live: LiveUnderName;
  readonly claim: Claim;
  /** Whether the code or the run adopts the object. */
  readonly isAdopted: boolean;
  /** Whether the code has an import block. An import creates nothing. */
  readonly isImported: boolean;
  /** Whether the run deletes at its end what it creates and takes over, as `terraform test` does. */
  readonly isTemporary: boolean;
}

/** What the service has under the name. Some values need lists of a longer time: the decision asks for them with `LOOK`. */
export type LiveUnderName =
  | "absent"
  /** No list shows it, and a note says that the service may have it. */
  | "perhaps late"
  /** The service is deleting it. */
  | "leaving"
  /** The same after the time for a deletion. */
  | "lingering"
  /** This stack has deleted an object of the name some minutes ago, which lists may still show. */
  | "perhaps deleted"
  /** The same after ten seconds. */
  | "deleted"
  | "of another spelling"
  | "of another type"
  /** Either of these, and the state has it. The run does not free the name before it creates the object. */
  | "another one of the state"
  /** In a field that lists show. */
  | "differing"
  | "as declared";

/** What notes show about the live object. */
export type Claim =
  | "none"
  /** A request of this stack has made it. */
  | "certain"
  /** A request of this stack was sent, and something shows that the object may be another one. */
  | "doubtful"
  /** A request of this stack was sent, and the declaration has changed since. */
  | "of another declaration"
  /** This run has created the object or continued with it, for another instance: Terraform creates each instance once in a run. */
  | "of this run";

export type CreationOutcome =
  | { readonly happens: "CREATE" }
  /** A request of this stack has made the object, and nothing is sent. */
  | { readonly happens: "CONTINUE" }
  | { readonly happens: "ADOPT" }
  /** Lists of a longer time must show what the object is. Then the decision is asked again. */
  | { readonly happens: "LOOK" }
  | CreationRefusal;

export interface CreationRefusal {
  readonly happens: "REFUSED";
  readonly because: NotCreatedBecause;
  readonly remedies: readonly CreationRemedy[];
}

export type NotCreatedBecause =
  | "declared twice"
  | "taken"
  | "taken by the state"
  | "differs"
  | "sent otherwise"
  | "still leaving"
  | "still listed"
  | "nothing to import"
  | "temporary";

export const CREATION_CODES = {
  "declared twice": "NAME_TAKEN",
  taken: "NAME_TAKEN",
  "taken by the state": "NAME_TAKEN",
  differs: "ADOPT_MISMATCH",
  "sent otherwise": "ADOPT_MISMATCH",
  "still leaving": "DELETE_TIMEOUT",
  "still listed": "NAME_TAKEN",
  "nothing to import": "OBJECT_MISSING",
  temporary: "NAME_TAKEN",
} as const satisfies Readonly<Record<NotCreatedBecause, ErrorCode>>;

export type CreationRemedy =
  | "RENAME"
  /** Removes the other instance or this one from the code. */
  | "DECLARE_ONCE"
  | "ADOPT"
  | "DECLARE_LIVE"
  /** Declares what the noted request has sent. */
  | "DECLARE_SENT"
  /** Removes the other object in an apply of its own. */
  | "REMOVE_FIRST"
  | "CORRECT_IMPORT"
  /** Tests names that nothing has. */
  | "TEST_OTHERS"
  /** The same command later. */
  | "APPLY";

export const CREATION_DOMAINS: Domains<CreationFacts> = {
  live: [
    "absent",
    "perhaps late",
    "leaving",
    "lingering",
    "perhaps deleted",
    "deleted",
    "of another spelling",
    "of another type",
    "another one of the state",
    "differing",
    "as declared",
  ],
  claim: ["none", "certain", "doubtful", "of another declaration", "of this run"],
  isAdopted: [false, true],
  isImported: [false, true],
  isTemporary: [false, true],
};

export function decideCreation(facts: CreationFacts): CreationOutcome {
  const outcome = decideTaking(facts);
  const isTakenOver = outcome.happens === "ADOPT" || outcome.happens === "CONTINUE";
  return isTakenOver && facts.isTemporary ? refused("temporary", "TEST_OTHERS") : outcome;
}

/**
 * The order is the precedence. Two instances never have one object: the removal of one would delete the object of the other. What
 * may be no object any more is never adopted. A note that contradicts the code comes before an adoption, because lists do not show
 * every field.
 */
function decideTaking(facts: CreationFacts): CreationOutcome {
  if (facts.claim === "of this run") return refused("declared twice", "DECLARE_ONCE");
  switch (facts.live) {
    case "perhaps deleted":
      return { happens: "LOOK" };
    case "deleted":
      return refused("still listed", "APPLY");
  }
  if (facts.isImported) {
    const isThere = facts.live === "as declared" || facts.live === "differing";
    return isThere ? takenOver(facts) : refused("nothing to import", "CORRECT_IMPORT");
  }
  switch (facts.live) {
    case "absent":
      return { happens: "CREATE" };
    case "perhaps late":
    case "leaving":
      return { happens: "LOOK" };
    case "lingering":
      return refused("still leaving", "APPLY");
    case "another one of the state":
      return refused("taken by the state", "REMOVE_FIRST");
  }
  if (facts.isAdopted && facts.live !== "of another spelling") return takenOver(facts);
  if (facts.live === "as declared" && facts.claim === "certain") return { happens: "CONTINUE" };
  return refused("taken", "RENAME", facts.claim === "of another declaration" ? "DECLARE_SENT" : "ADOPT");
}

function takenOver({ live, claim }: CreationFacts): CreationOutcome {
  if (claim === "of another declaration") return refused("sent otherwise", "DECLARE_SENT");
  return live === "as declared" ? { happens: "ADOPT" } : refused("differs", "DECLARE_LIVE", "RENAME");
}

export const possibleCreations = possibleOutcomes(decideCreation, CREATION_DOMAINS);

/** The refusal that is certain, whatever the unknown facts are. */
export function certainRefusal(facts: Partly<CreationFacts>): CreationRefusal | undefined {
  const [first, ...others] = possibleCreations(facts);
  return first?.happens === "REFUSED" && others.every(({ happens }) => happens === "REFUSED") ? first : undefined;
}

function refused(because: NotCreatedBecause, ...remedies: readonly CreationRemedy[]): CreationRefusal {
  return { happens: "REFUSED", because, remedies };
}
