import { idOf, objectId, objectOf, type ObjectRef } from "../../../model/object-ref";
import { decideOrphan } from "../../../decision/platform";
import type { Failure } from "../../../lifecycle/lifecycle-error";
import { liveObject, liveUnder } from "../../../lifecycle/live";
import { leftBehind, orphanRemedies, refusedOrphans, removedFromCode } from "../../../lifecycle/refused-orphans";
import { inWords } from "../../../lifecycle/remedy-words";
import { enumerated } from "../../../lifecycle/wording";
import type { LiveCluster, LiveProvider } from "../../../api/client";
import { platformOfPrefix } from "../../../contract/addresses";
import type { SynthesizedObject } from "../../../synthesized/objects";
import { isRetained, withdrawn } from "../../../model/protection";
import type { StateObject } from "../../drift/state-objects";
import { type CheckResult, doubtful, wrong } from "../check-result";
import { deletionOf, isKept } from "./changes";
import { failing, isByProvider, type ComparedPlatform } from "./compared-platform";
import { creation } from "./creation";
import { isForgotten, isMigrating, isOwned } from "./stored";
import { platformAt, failingRun, inNumber, wordsOf } from "./words";

/** Declared objects that the state does not have for this Platform, and whose names are in use. */
export function* names(compared: ComparedPlatform): Generator<CheckResult> {
  const { stack, platform, service, had, adopted, leaving, storedFor } = compared;
  const isStored = (object: SynthesizedObject) => {
    const stored = storedFor(object);
    return stored !== undefined && !stored.isImported && (isOwned(stored) || isMigrating(stored, object));
  };
  for (const object of platform.declared.filter((each) => !isStored(each))) {
    const id = idOf(object);
    const live = liveUnder(object, service);
    const elsewhere = live && leaving.find((each) => each.id.id === id);
    const isInState = storedFor(object)?.isImported ?? false;
    const isImported = (isInState && live !== undefined) || (object.address !== undefined && stack.imported.has(object.address));
    const predecessor = live && predecessorOf(object, live, { platform, had });
    // With hooks, an apply deletes before it creates.
    if (predecessor && object.address === undefined && !predecessor.id.byProvider) continue;
    const isHandedOver = elsewhere && isKept(stack, elsewhere) && (isInState || adopted.has(object));
    if (elsewhere && !predecessor && !isHandedOver) {
      // Another finding is about a Platform that left the code or has another engine.
      if (isForgotten(stack, elsewhere)) continue;
      const blocking = storedFor(object);
      const remove = blocking ? `${blocking.address} is in the way: terraform state rm '${blocking.address}'. ` : "";
      yield wrong(
        "name",
        `the state has ${id} at ${elsewhere.address}, and the code declares it on ${platformAt(platform.prefix)}: an apply will fail. ` +
          `${remove}Write a moved block from the one address to the other${elsewhere.id.byProvider ? "" : `, and list it in the retain of ${platformAt(elsewhere.id.platform.prefix)} for that apply`} [DECLARED_ELSEWHERE]`,
      );
    } else if (live || isImported) {
      const withoutNotes = elsewhere?.id.byProvider === false;
      const how = { isAdopted: adopted.has(object), isImported, isOfState: predecessor !== undefined, withoutNotes };
      yield creation(compared, object, live, how);
    }
  }
}

/** The live object that has the name, in another type or spelling, if the state has it and this change removes it. */
function predecessorOf(
  { kind }: SynthesizedObject,
  live: LiveCluster | LiveProvider,
  { platform, had }: Pick<ComparedPlatform, "platform" | "had">,
): StateObject | undefined {
  const id = objectId(live.type, kind, live.name);
  if (platform.declared.some((object) => idOf(object) === id)) return undefined;
  return had.find((object) => object.id.id === id && isOwned(object) && deletionOf(platform, object).happens !== "RETAIN");
}

/** Live objects of unfinished creates that left the code. Terraform does not delete them. */
export function* leftovers(compared: ComparedPlatform): Generator<CheckResult> {
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
function orphans({ platform, service, had, leaving, isDeclaredElsewhere }: ComparedPlatform, suspects: readonly string[]) {
  const known = new Set([...platform.declared.map(idOf), ...[...had.filter(isOwned), ...leaving].map(({ id }) => id.id)]);
  const refusals = suspects.flatMap((id) => {
    const object = objectOf(id);
    const outcome = decideOrphan({
      isKnown: known.has(id) || isDeclaredElsewhere(id),
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
function interrupted({ stack, platform, journal }: ComparedPlatform): ObjectRef[] {
  const others = stack.platforms.map(({ prefix }) => platformOfPrefix(prefix));
  return [...journal.creations(), ...(isByProvider(platform) ? journal.creationsOfLeftPlatforms(others) : [])];
}
