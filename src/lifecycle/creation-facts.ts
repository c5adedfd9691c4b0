import type { Claim, CreationFacts, LiveUnderName } from "../decision/creation";
import { type Partly, UNSEEN } from "../decision/possible";
import type { Declared } from "../declarations/declaration";
import { segmentsOf } from "../declarations/trigger-keys";
import type { ObjectRef } from "../model/object-ref";
import type { Comparison, Difference } from "./compare";
import { changedSinceNote } from "./fingerprint";
import { isLeaving, isSuccessor, type Live } from "./live";
import { isAfter, type ObjectRecord, type SentCreate } from "./object-record";
import { CLOCK_SKEW_MS } from "./times";
import { differing, enumerated } from "./wording";

/** An object that a run creates, adopts or imports, and what a look shows. */
export interface Creating {
  readonly object: ObjectRef;
  readonly live: Live | undefined;
  /** The declaration, flat, without defaults, secrets and {@link open}. Undefined if the caller does not know it. */
  readonly declared: Declared | undefined;
  /** The props with values that are not known yet. @default - none */
  readonly open?: ReadonlySet<string>;
  /** The live object and its declaration. Undefined if nothing lives, or if the caller does not know the declaration. */
  readonly comparison?: Comparison;
  readonly isAdopted: boolean;
  readonly isImported?: boolean;
  /** See {@link CreationFacts.isTemporary}. @default false */
  readonly isTemporary?: boolean;
  readonly record: ObjectRecord;
  /** By this machine's clock, in milliseconds since the epoch. */
  readonly now: number;
  /** The requests that may have made the object. See {@link ObjectRecord.makers}. */
  readonly makers: readonly SentCreate[];
  /** Whether this create has found the name free after the first of them was noted. */
  readonly wasFree?: boolean;
  /** See {@link ObjectRecord.isOfAnotherInstance}. */
  readonly isOfAnotherInstance: boolean;
  /** When a request was sent that the service may still carry out, or that lists may lag behind. @default - there is none */
  readonly sentAt?: string;
  /** What was looked for already, as long as the decision asks. */
  readonly looked?: ReadonlySet<LiveUnderName>;
  /** Whether the state has the live object, of another type or spelling, and the run does not free its name first. */
  readonly isOfState?: boolean;
}

/** The facts, and what a message says of them. */
export interface Sighting {
  readonly facts: Partly<CreationFacts> & { readonly live: LiveUnderName };
  readonly differences: readonly Difference[];
  /** Fields that another noted request had otherwise, and whose live values the lists do not confirm. */
  readonly uncertain: readonly string[];
  /**
   * These fields, and then the declared fields that lists do not show. A note does not confirm them: another machine may have made
   * the live object.
   */
  readonly unconfirmed: readonly string[];
  /** Fields whose declaration differs from that of every noted request. */
  readonly changed: readonly string[];
  /** Reasons to doubt that a noted request created the live object. */
  readonly doubts: readonly string[];
}

/** @returns what decides about the creation, as far as the caller knows it */
export function sighting(creating: Creating): Sighting {
  const { object, live, makers, record, declared } = creating;
  const { isAdopted, isImported = false, isTemporary = false, wasFree = false } = creating;
  const { differences, unconfirmed } = creating.comparison ?? NOTHING;
  const changesSince = (creates: readonly SentCreate[]) =>
    declared ? creates.map((create) => changedSinceNote(create.declared, declared)) : [];
  const changes = changesSince(makers);
  const certain = changes.map((fields) => fields.filter((field) => !creating.open?.has(String(segmentsOf(field)[0]))));
  const changed = certain.some((fields) => fields.length === 0) ? [] : (certain.at(-1) ?? []);
  const isOpen = changed.length === 0 && changes.length > 0 && changes.every((fields) => fields.length > 0);
  const older = live && !wasFree ? seenBefore(live, makers) : [];
  const deletion = makers.length > 0 && live ? record.deletion : undefined;
  const isLater = deletion && live && isSuccessor(live, deletion, creating.now) && !isAfter(makers, deletion);
  // A request that proves nothing may have made the live object, too.
  const otherwise = new Set((makers.length > 0 ? changes : changesSince(record.facts.creates)).flat());
  // Lists are compared with declared fields only.
  const uncertain = [...otherwise].filter((field) => unconfirmed.includes(field) || !(field in (declared ?? {})));
  const ofNote = [
    ...older,
    ...(isLater ? [`this stack has asked the service at ${deletion.at} to delete what it had created`] : []),
    ...(uncertain.length > 0 ? [`requests with another ${enumerated(uncertain)} were also sent`] : []),
  ];
  const claim = (): Claim | typeof UNSEEN => {
    if (creating.isOfAnotherInstance) return "of this run";
    if (makers.length === 0) return "none";
    if (!declared) return UNSEEN;
    if (changed.length > 0) return "of another declaration";
    return isOpen ? UNSEEN : ofNote.length > 0 ? "doubtful" : "certain";
  };
  const doubts =
    changed.length > 0
      ? [...older, `since then ${enumerated(changed)} changed in the code`]
      : [
          ...(live && live.name !== object.name ? [`its name is ${live.name}`] : []),
          ...ofNote,
          ...differences.map((each) => `its ${differing([each])}`),
        ];
  return {
    facts: { live: liveUnderName(creating, differences), claim: claim(), isAdopted, isImported, isTemporary },
    differences,
    uncertain,
    unconfirmed: [...new Set([...uncertain, ...unconfirmed])],
    changed,
    doubts,
  };
}

const NOTHING: Comparison = { differences: [], unconfirmed: [] };

function liveUnderName(
  { object, live, makers, record, now, sentAt, looked, isOfState }: Creating,
  differences: readonly Difference[],
): LiveUnderName {
  if (live === undefined) return sentAt !== undefined && !looked?.has("perhaps late") ? "perhaps late" : "absent";
  if (isLeaving(live)) return looked?.has("leaving") ? "lingering" : "leaving";
  const deletion = record.recentDeletion();
  if (deletion && !isSuccessor(live, deletion, now)) {
    if (!looked?.has("perhaps deleted")) return "perhaps deleted";
    // A list after ten seconds shows what a request after the DELETE has made, unless the DELETE takes longer.
    if (deletion.answer === "accepted" || !isAfter(makers, deletion)) return "deleted";
  }
  const isAnother = live.name !== object.name || live.type !== object.type;
  if (isAnother && isOfState) return "another one of the state";
  if (live.name !== object.name) return "of another spelling";
  if (live.type !== object.type) return "of another type";
  return differences.length > 0 ? "differing" : "as declared";
}

/** A condition that is older than the first request, so the object is older. */
function seenBefore(live: Live, [first]: readonly SentCreate[]): string[] {
  const conditions = first && "conditions" in live ? live.conditions : [];
  return conditions
    .filter(({ lastTransitionTime }) => Date.parse(lastTransitionTime) < Date.parse(first!.sentAt) - CLOCK_SKEW_MS)
    .slice(0, 1)
    .map(({ type, lastTransitionTime }) => `it was already ${type} at ${lastTransitionTime}, by the service's clock`);
}
