import type { LiveCluster, LiveProvider } from "../../../api/client";
import type { SynthesizedObject } from "../../../synthesized/objects";
import { certainRefusal, possibleCreations } from "../../../decision/creation";
import { declaredWithDefaults } from "../../../declarations/declared-with-defaults";
import { segmentsOf } from "../../../declarations/trigger-keys";
import { compare, type Comparison } from "../../../lifecycle/compare";
import { sighting, type Creating } from "../../../lifecycle/creation-facts";
import { refusedCreation } from "../../../lifecycle/refused-creation";
import { idOf } from "../../../model/object-ref";
import { doubtful, type CheckResult, good, wrong } from "../check-result";
import type { ComparedPlatform } from "./compared-platform";
import { isToken } from "./stored";
import { failingRun } from "./words";

/**
 * What an apply does with an object that it creates, adopts or imports, and whose name is in use.
 * @param how with hooks, the deletion hook of an object in `retain` removes the notes before
 */
export function creation(
  { platform, service, journal, now }: ComparedPlatform,
  object: SynthesizedObject,
  live: LiveCluster | LiveProvider | undefined,
  how: Pick<Creating, "isAdopted" | "isImported" | "isOfState"> & { readonly withoutNotes?: boolean },
): CheckResult {
  const id = idOf(object);
  const creating = {
    ...how,
    ...declarationOf(object),
    object,
    live,
    comparison: live && compared(object, live),
    journal,
    now,
    note: how.withoutNotes ? undefined : journal.creationOf(object),
  };
  const seen = sighting(creating);
  const refusal = certainRefusal(seen.facts);
  if (refusal) return wrong("name", failingRun(platform, refusedCreation(refusal, creating, seen, { url: service.url })));
  const outcomes = new Set(possibleCreations(seen.facts).map(({ happens }) => happens));
  if (outcomes.has("LOOK")) {
    return seen.facts.live === "leaving"
      ? doubtful("name", `the service is deleting a cluster with the name of ${id}: an apply waits until it is gone`)
      : doubtful("name", `this stack has asked the service to delete ${id}, and lists still show it: an apply looks again`);
  }
  if (outcomes.has("ADOPT") && outcomes.size === 1)
    return good("name", `${id} is on the service, and an apply ${how.isImported ? "imports" : "adopts"} it`);
  return doubtful(
    "name",
    `${id} is on the service; an interrupted apply was creating it, and the next one continues with it if it matches its declaration`,
  );
}

/** The declaration as an apply sends it, without the values that only the apply knows. */
function declarationOf({ address, entry: { triggers } }: SynthesizedObject): Pick<Creating, "declared" | "open"> {
  const isByProvider = address !== undefined;
  // With the provider, `bodyOverrides` may be write-only.
  const isOpen = ([key, value]: [string, unknown]) => isToken(value) || (isByProvider && propOf(key) === "bodyOverrides");
  const fields = Object.entries(triggers);
  const text = (value: unknown) => (isByProvider ? String(value).normalize() : String(value));
  return {
    declared: Object.fromEntries(fields.filter((field) => !isOpen(field)).map(([key, value]) => [key, text(value)])),
    open: new Set(["bodyOverrides", ...fields.filter(isOpen).map(([key]) => propOf(key))].slice(isByProvider ? 0 : 1)),
  };
}

const propOf = (key: string) => String(segmentsOf(key)[0]);

function compared({ type, kind, entry: { triggers } }: SynthesizedObject, live: LiveCluster | LiveProvider): Comparison {
  const declared = Object.fromEntries(Object.entries(triggers).map(([key, value]) => [key, String(value)]));
  const { differences, unconfirmed } = compare(kind, type, declaredWithDefaults(type, kind, declared), live);
  return {
    differences: differences.filter((difference) => !difference.declared.includes("${")),
    unconfirmed: unconfirmed.filter((key) => key in declared),
  };
}
