import { certainRefusal, type LiveUnderName } from "../../decision/creation";
import { propOf } from "../../declarations/trigger-keys";
import { knownOf } from "../../declarations/terraform/declaration-schema";
import type { Comparison } from "../../lifecycle/compare";
import { sighting, type Creating, type Sighting } from "../../lifecycle/creation-facts";
import { isLeaving, type Live } from "../../lifecycle/live";
import { refusedCreation, type RefusedCreation } from "../../lifecycle/refused-creation";
import { NAMED } from "../../lifecycle/remedy-words";
import { describeObject } from "../../lifecycle/wording";
import { idOf, parseObjectId, type ObjectRef } from "../../model/object-ref";
import type { TypeCode } from "../../model/provider-type";
import { Unknown, type ObjectValue } from "../../terraform/value";
import { compareWithLive, fieldName } from "./comparison";
import type { Planning } from "./planning";
import type { Session } from "./session";

type Seen = Sighting & Pick<Creating, "live">;

/** Refuses a taken name at plan time. Otherwise the apply would fail, perhaps after it has deleted something else. */
export async function refuseTaken(planning: Planning, object: ObjectRef, proposed: ObjectValue): Promise<void> {
  const { session } = planning;
  const isAdopted = proposed.adopt === true || session.isAdopted(object);
  const first = await session.presence.find(object);
  const { facts, live } = await planSighting(planning, object, proposed, first, { isAdopted, isImported: false });
  if (facts.live !== "leaving") return;
  planning.report({
    severity: "warning",
    summary: `the service is deleting a ${live!.type} cluster with the name of ${describeObject(object)}`,
    detail: "The apply waits until it is gone, and then creates the object.",
  });
}

/** See {@link seenUnderName}, with what the plan knows of the object. */
export function planSighting(
  { kind, ledger, session }: Planning,
  object: ObjectRef,
  proposed: ObjectValue,
  first: Live | undefined,
  how: Pick<Creating, "isAdopted" | "isImported">,
): Promise<Seen> {
  const fields = kind.fieldsOf(proposed);
  const open = Object.keys(fields).filter((key) => fields[key] instanceof Unknown);
  return seenUnderName(session, first, {
    ...how,
    object,
    declared: knownOf(fields),
    open: new Set(open.map(propOf)),
    compare: (live) => compareWithLive(kind, fields, live),
    // Names of clusters are unique across types.
    isOfState: ({ type, name }) => ledger.stateOf({ ...object, type: type as TypeCode, name }) !== undefined,
    named: (field) => fieldName(kind, field, proposed),
    alsoTaken: () => alsoTaken({ ledger, session }, object),
  });
}

/**
 * The other declared objects whose names the service has, and that the state lacks, as far as the plan knows. Undefined if the plan
 * does not know what is declared, and if a command with all of them would be too long.
 */
async function alsoTaken(
  { ledger, session }: Pick<Planning, "ledger" | "session">,
  object: ObjectRef,
): Promise<readonly ObjectRef[] | undefined> {
  const { settings, presence, context } = session;
  const others = settings.declared?.filter((id) => id !== idOf(object)).map((id) => parseObjectId(id)!);
  const taken: ObjectRef[] = [];
  for (const other of others ?? []) {
    if (ledger.stateOf(other) || context.journal.of(other).makers.length > 0) continue;
    const live = await presence.find(other);
    if (live?.name === other.name && live.type === other.type && !isLeaving(live)) taken.push(other);
    if (taken.length > NAMED) return undefined;
  }
  return others && taken;
}

interface Wanted
  extends Pick<Creating, "object" | "declared" | "open" | "isAdopted" | "isImported">, Pick<RefusedCreation, "named"> {
  readonly compare?: (live: Live) => Comparison;
  readonly isOfState?: (live: Live) => boolean;
  readonly alsoTaken?: () => Promise<readonly ObjectRef[] | undefined>;
}

/**
 * What the service has under the name of an object that a plan creates, adopts or imports.
 * @param first what the first look shows
 * @throws NAME_TAKEN, ADOPT_MISMATCH, OBJECT_MISSING if that refuses the object, whatever else the apply sees
 */
export async function seenUnderName(
  { presence, context, url, isTest }: Session,
  first: Live | undefined,
  { compare, isOfState, named, alsoTaken: others, ...wanted }: Wanted,
): Promise<Seen> {
  const looked = new Set<LiveUnderName>();
  for (let live = first; ; live = await presence.findLater(wanted.object)) {
    const creating = {
      ...wanted,
      // A test may plan an adoption. An import is in the state of the test as soon as it is planned.
      isTemporary: isTest && wanted.isImported === true,
      live,
      comparison: live && compare?.(live),
      isOfState: live && isOfState?.(live),
      looked,
    };
    const seen = sighting(context, creating);
    const refusal = certainRefusal(seen.facts);
    if (refusal?.because === "declared twice") context.journal.contest(wanted.object);
    if (refusal) {
      const taken = refusal.because === "taken" ? await others?.() : undefined;
      throw refusedCreation(refusal, creating, seen, { named, url, alsoTaken: taken });
    }
    if (seen.facts.live !== "perhaps deleted") return { ...seen, live };
    looked.add(seen.facts.live);
  }
}
