import { platformOfPrefix } from "../../../contract/addresses";
import { certainRefusal, possibleCreations } from "../../../decision/creation";
import { decideOrphan } from "../../../decision/platform";
import { declaredWithDefaults } from "../../../declarations/declared-with-defaults";
import { segmentsOf } from "../../../declarations/trigger-keys";
import { compare } from "../../../lifecycle/compare";
import { sighting, type Creating } from "../../../lifecycle/creation-facts";
import type { Failure } from "../../../lifecycle/lifecycle-error";
import { type Live, liveObject } from "../../../lifecycle/live";
import { refusedCreation } from "../../../lifecycle/refused-creation";
import { leftBehind, orphanRemedies, refusedOrphans, removedFromCode } from "../../../lifecycle/refused-orphans";
import { inWords } from "../../../lifecycle/remedy-words";
import { enumerated } from "../../../lifecycle/wording";
import { idOf, objectId, objectOf, type ObjectRef } from "../../../model/object-ref";
import { isRetained, withdrawn } from "../../../model/protection";
import type { SynthesizedObject } from "../../../synthesized/objects";
import { doubtful, type CheckResult, good, wrong } from "../check-result";
import { failing, isByProvider, type LivePlatform } from "./compared-platform";
import { isMigrating, isOwned, isToken } from "./planned";
import { failingRun, inNumber, platformAt, wordsOf } from "./words";

/** Declared objects that the state does not have for this Platform, and whose names are in use. */
export function* names(compared: LivePlatform): Generator<CheckResult> {
  const { stack, state, platform, had, adopted, leaving, liveOf } = compared;
  for (const object of platform.declared) {
    const [id, live, stored] = [idOf(object), liveOf(object), state.storedFor(object)];
    const isInState = stored?.isImported ?? false;
    if (stored && !isInState && (isOwned(stored) || isMigrating(stored, object))) continue;
    const elsewhere = live && leaving.find((each) => each.id.id === id);
    const isImported = (isInState && live !== undefined) || (object.address !== undefined && stack.imported.has(object.address));
    // The live object that has the name, in another type or spelling, if the state has it and this change removes it.
    const other = live && objectId(live.type, object.kind, live.name);
    const predecessor = other !== id && had.find((each) => each.id.id === other && state.planOf(each) === "delete");
    // With hooks, an apply deletes before it creates.
    if (predecessor && object.address === undefined && !predecessor.id.byProvider) continue;
    const plan = elsewhere && state.planOf(elsewhere);
    const isHandedOver = (plan === "retain" || plan === "forget") && (isInState || adopted.has(object));
    if (elsewhere && !predecessor && !isHandedOver) {
      // Another finding is about a Platform that left the code or has another engine.
      if (plan === "forget") continue;
      const remove = stored ? `${stored.address} is in the way: terraform state rm '${stored.address}'. ` : "";
      yield wrong(
        "name",
        `the state has ${id} at ${elsewhere.address}, and the code declares it on ${platformAt(platform.prefix)}: an apply will fail. ` +
          `${remove}Write a moved block from the one address to the other${elsewhere.id.byProvider ? "" : `, and list it in the retain of ${platformAt(elsewhere.id.platform.prefix)} for that apply`} [DECLARED_ELSEWHERE]`,
      );
    } else if (live || isImported) {
      const withoutNotes = elsewhere?.id.byProvider === false;
      const how = { isAdopted: adopted.has(object), isImported, isOfState: Boolean(predecessor), withoutNotes };
      yield creation(compared, object, how);
    }
  }
}

/**
 * What an apply does with an object that it creates, adopts or imports, and whose name is in use.
 * @param how with hooks, the deletion hook of an object in `retain` removes the notes before
 */
export function creation(
  { platform, service, journal, now, liveOf }: LivePlatform,
  object: SynthesizedObject,
  how: Pick<Creating, "isAdopted" | "isImported" | "isOfState"> & { readonly withoutNotes?: boolean },
): CheckResult {
  const [id, live] = [idOf(object), liveOf(object)];
  const creating = {
    ...how,
    ...declarationOf(object, live),
    object,
    live,
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

/** The declaration as an apply sends it, without the values that only the apply knows, and how the live object differs from it. */
function declarationOf(
  { type, kind, address, entry: { triggers } }: SynthesizedObject,
  live: Live | undefined,
): Pick<Creating, "declared" | "open" | "comparison"> {
  const propOf = (key: string) => String(segmentsOf(key)[0]);
  // With the provider, `bodyOverrides` may be write-only.
  const hidden = address === undefined ? [] : ["bodyOverrides"];
  const fields = Object.entries(triggers).map(
    ([key, value]) => [key, address ? String(value).normalize() : String(value)] as const,
  );
  const isOpen = ([key]: readonly [string, string]) => isToken(triggers[key]) || hidden.includes(propOf(key));
  const all = Object.fromEntries(fields);
  const { differences = [], unconfirmed = [] } = live ? compare(kind, type, declaredWithDefaults(type, kind, all), live) : {};
  return {
    declared: Object.fromEntries(fields.filter((field) => !isOpen(field))),
    open: new Set([...hidden, ...fields.filter(isOpen).map(([key]) => propOf(key))]),
    comparison: {
      differences: differences.filter(({ declared }) => !declared.includes("${")),
      unconfirmed: unconfirmed.filter((key) => key in all),
    },
  };
}

/** Live objects of unfinished creates that left the code. Terraform does not delete them. */
export function* leftovers(compared: LivePlatform): Generator<CheckResult> {
  const { platform, had, recorded, journal } = compared;
  const [checked, noted] = [Object.keys(recorded?.objects ?? {}), interrupted(compared).map(idOf)];
  const left = orphans(compared, withdrawn(noted, checked));
  if (left) yield failing(compared, "state", left.messageOf(leftBehind(left.objects, true)));
  const removed = orphans(compared, checked);
  if (removed) {
    const text = removedFromCode(removed.objects, (object) => journal.wasRefused(object));
    yield wrong("state", removed.messageOf(text));
  }
  const tainted = had.filter((object) => !isOwned(object)).map(({ id }) => id.id);
  const others = orphans(compared, withdrawn(tainted, [...checked, ...noted]));
  if (!others) return;
  const [are, it] = [inNumber(others.objects, "is"), inNumber(others.objects, "it")];
  yield doubtful(
    "state",
    `${enumerated(others.objects.map(idOf))} left the code and ${are} tainted, and the orphan check does not know ${it}: an apply leaves ${it} on the service. ` +
      inWords(orphanRemedies(["ADOPT_AND_REMOVE"], others.objects), () => wordsOf(platform)),
  );
}

/** Those of the objects that live, and that an apply refuses to leave if it looks for them. Undefined if there are none. */
function orphans({ platform, service, had, leaving, declaredElsewhere }: LivePlatform, suspects: readonly string[]) {
  const known = new Set([...platform.declared.map(idOf), ...[...had.filter(isOwned), ...leaving].map(({ id }) => id.id)]);
  const refusals = suspects.flatMap((id) => {
    const object = objectOf(id);
    const outcome = decideOrphan({
      isKnown: known.has(id) || declaredElsewhere(id).length > 0,
      live: liveObject(object, service) ? "present" : "absent",
      service: "this one",
      platform: isRetained(platform.settings, id) ? "retains it" : "in the code",
    });
    return outcome.happens === "REFUSED" ? [{ object, outcome }] : [];
  });
  const [first] = refusals;
  if (!first) return undefined;
  const objects = refusals.map(({ object }) => object);
  const messageOf = (text: Pick<Failure, "summary">) => failingRun(platform, refusedOrphans(first.outcome, objects, text));
  return { objects, messageOf };
}

/** Objects in notes that the check of the Terraform provider finds, which belongs to its waiting resource. */
function interrupted({ stack, platform, journal }: LivePlatform): ObjectRef[] {
  const others = stack.platforms.map(({ prefix }) => platformOfPrefix(prefix));
  return [...journal.creations(), ...(isByProvider(platform) ? journal.creationsOfLeftPlatforms(others) : [])];
}
