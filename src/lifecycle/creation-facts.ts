import type { Claim, CreationFacts, LiveUnderName } from "../decision/creation";
import { type Partly, UNSEEN } from "../decision/possible";
import type { FlatDeclaration } from "../declarations/declaration";
import { propOf } from "../declarations/trigger-keys";
import type { ObjectRef } from "../model/object-ref";
import type { Comparison, Difference } from "./compare";
import type { Context } from "./context";
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
  readonly declared: FlatDeclaration | undefined;
  /** The props with values that are not known yet. @default - none */
  readonly open?: ReadonlySet<string>;
  /**
   * The live object and its declaration. Undefined if nothing lives, or if the caller does not know the declaration. Then an object of
   * the name and type counts as declared.
   */
  readonly comparison?: Comparison;
  readonly isAdopted: boolean;
  readonly isImported?: boolean;
  /** See {@link CreationFacts.isTemporary}. @default false */
  readonly isTemporary?: boolean;
  /** The requests that may have made the object. @default - {@link ObjectRecord.makers} */
  readonly makers?: readonly SentCreate[];
  /** The requests of this create itself. @default - none */
  readonly sent?: readonly SentCreate[];
  /** Whether this create has found the name free after the first of the makers was noted. */
  readonly wasFree?: boolean;
  /** When this machine has sent a request for the object, or has left it on the service. Lists may lag behind. @default - never */
  readonly notedAt?: string;
  /** What was looked for already, as long as the decision asks. */
  readonly looked?: ReadonlySet<LiveUnderName>;
  /** Whether the state has the live object, of another type or spelling, and the run does not free its name first. */
  readonly isOfState?: boolean;
}

/** The facts, and what a message says of them. */
export interface Sighting {
  readonly facts: Partly<CreationFacts> & { readonly live: LiveUnderName };
  readonly record: ObjectRecord;
  readonly makers: readonly SentCreate[];
  readonly differences: readonly Difference[];
  /** Fields that a noted request had otherwise, and whose live values the lists do not confirm. */
  readonly uncertain: readonly string[];
  /**
   * These fields, and then the declared fields that lists do not show. A note does not confirm them: another machine may have made
   * the live object.
   */
  readonly unconfirmed: readonly string[];
  /** If every noted request was of another declaration: the fields in which the last of them differs. */
  readonly changed: readonly string[];
  /** What speaks against the live object being the declared one that a noted request has made, as clauses. */
  readonly objections: readonly string[];
}

/** @returns what decides about the creation, as far as the caller knows it. Call it after the look: other instances write notes, too */
export function sighting({ journal, clock }: Pick<Context, "journal" | "clock">, creating: Creating): Sighting {
  const { object, live, sent, isAdopted, isImported = false, isTemporary = false } = creating;
  const { differences, unconfirmed } = creating.comparison ?? NOTHING;
  const record = journal.of(object);
  const { makers = record.makers } = creating;
  const { changed, isUndecided, uncertain } = changesSince(makers, record, creating);
  const signs = live ? signsOfAnother(live, makers, record, creating, clock.now()) : [];
  const claim = (): Claim | typeof UNSEEN => {
    if (record.isOfAnotherInstance(sent)) return "of this run";
    if (makers.length === 0) return "none";
    if (changed.length > 0) return "of another declaration";
    if (isUndecided) return UNSEEN;
    return signs.length + uncertain.length > 0 ? "doubtful" : "certain";
  };
  const inFields =
    changed.length > 0
      ? [`since then ${enumerated(changed)} changed in the code`]
      : [
          ...(uncertain.length > 0 ? [`requests with another ${enumerated(uncertain)} were also sent`] : []),
          ...differences.map((each) => `its ${differing([each])}`),
        ];
  return {
    facts: {
      live: liveUnderName(creating, makers, record, clock.now()),
      claim: claim(),
      isAdopted,
      isImported,
      isTemporary,
    },
    record,
    makers,
    differences,
    uncertain,
    unconfirmed: [...new Set([...uncertain, ...unconfirmed])],
    changed,
    objections: [...(live && live.name !== object.name ? [`its name is ${live.name}`] : []), ...signs, ...inFields],
  };
}

/** How the declaration differs from those of noted requests. */
interface Changes extends Pick<Sighting, "changed" | "uncertain"> {
  /** Whether values that the caller does not know decide whether it differs from all of them. */
  readonly isUndecided: boolean;
}

function changesSince(makers: readonly SentCreate[], { facts }: ObjectRecord, { declared, open, comparison }: Creating): Changes {
  if (!declared) return { changed: [], uncertain: [], isUndecided: true };
  const fieldsSince = (create: SentCreate) => changedSinceNote(create.declared, declared);
  const isKnown = (field: string) => !open?.has(propOf(field));
  const byMaker = makers.map(fieldsSince);
  const knownByMaker = byMaker.map((fields) => fields.filter(isKnown));
  const changed = knownByMaker.some((fields) => fields.length === 0) ? [] : (knownByMaker.at(-1) ?? []);
  // Without makers, a request that proves nothing may have made the live object.
  const sentOtherwise = new Set((makers.length > 0 ? byMaker : facts.creates.map(fieldsSince)).flat());
  return {
    changed,
    // A list confirms no field that has left the declaration, because it is compared with declared fields only. Open fields are not in it.
    uncertain: [...sentOtherwise].filter((field) => comparison?.unconfirmed.includes(field) || !(field in declared)),
    isUndecided: changed.length === 0 && byMaker.every((fields) => fields.length > 0),
  };
}

/** Signs that none of the makers has made the live object: it is older than they are, or later than the deletion of what they made. */
function signsOfAnother(
  live: Live,
  makers: readonly SentCreate[],
  record: ObjectRecord,
  { wasFree = false }: Creating,
  now: number,
): string[] {
  const deletion = makers.length > 0 ? record.deletion : undefined;
  const isOfLater = deletion && isSuccessor(live, deletion, now) && !isAfter(makers, deletion);
  return [
    ...(wasFree ? [] : seenBefore(live, makers)),
    ...(isOfLater ? [`this stack has asked the service at ${deletion.at} to delete what it had created`] : []),
  ];
}

const NOTHING: Comparison = { differences: [], unconfirmed: [] };

function liveUnderName(
  { object, live, comparison = NOTHING, notedAt, looked, isOfState }: Creating,
  makers: readonly SentCreate[],
  record: ObjectRecord,
  now: number,
): LiveUnderName {
  if (live === undefined) return notedAt !== undefined && !looked?.has("perhaps late") ? "perhaps late" : "absent";
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
  return comparison.differences.length > 0 ? "differing" : "as declared";
}

/** A condition that is older than the first request, so the object is older. */
function seenBefore(live: Live, [first]: readonly SentCreate[]): string[] {
  const conditions = first && "conditions" in live ? live.conditions : [];
  return conditions
    .filter(({ lastTransitionTime }) => Date.parse(lastTransitionTime) < Date.parse(first!.sentAt) - CLOCK_SKEW_MS)
    .slice(0, 1)
    .map(({ type, lastTransitionTime }) => `it was already ${type} at ${lastTransitionTime}, by the service's clock`);
}
