import { certainRefusal, type LiveUnderName } from "../../decision/creation";
import type { Comparison } from "../../lifecycle/compare";
import { sighting, type Creating, type Sighting } from "../../lifecycle/creation-facts";
import type { Live } from "../../lifecycle/live";
import { refusedCreation, type RefusedCreation } from "../../lifecycle/refused-creation";
import type { ObjectRef } from "../../model/object-ref";
import type { Session } from "./session";

export interface Wanted
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
): Promise<Sighting & Pick<Creating, "live">> {
  const { journal, clock } = context;
  const looked = new Set<LiveUnderName>();
  for (let live = first; ; live = await presence.findLater(wanted.object)) {
    const creating = {
      ...wanted,
      // A test may plan an adoption. An import is in the state of the test as soon as it is planned.
      isTemporary: isTest && wanted.isImported === true,
      live,
      comparison: live && compare?.(live),
      isOfState: live && isOfState?.(live),
      journal,
      now: clock.now(),
      note: journal.creationOf(wanted.object),
      looked,
    };
    const seen = sighting(creating);
    const refusal = certainRefusal(seen.facts);
    if (refusal?.because === "declared twice") journal.contest(wanted.object);
    if (refusal) {
      const alsoTaken = refusal.because === "taken" ? await others?.() : undefined;
      throw refusedCreation(refusal, creating, seen, { named, url, alsoTaken });
    }
    if (seen.facts.live !== "perhaps deleted") return { ...seen, live };
    looked.add(seen.facts.live);
  }
}
