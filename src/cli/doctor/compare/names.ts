import { idOf, objectId, objectOf } from "../../../model/object-ref";
import { liveUnder } from "../../../lifecycle/live";
import { enumerated } from "../../../lifecycle/wording";
import type { LiveCluster, LiveProvider } from "../../../api/client";
import { platformOfPrefix } from "../../../contract/addresses";
import type { SynthesizedObject } from "../../../synthesized/objects";
import { allowDeletionLine, isProtected, isRetained } from "../../../model/protection";
import type { StateObject } from "../../drift/state-objects";
import { type CheckResult, wrong } from "../check-result";
import { failing, isByProvider, isForgotten, isKept, isOwned, type ComparedPlatform } from "./compared-platform";
import { creation } from "./creation";
import { isMigrating } from "./stored";
import { called, theirVerb } from "./words";

/** Declared objects that the state does not have for this Platform, and whose names are in use. */
export function* names(compared: ComparedPlatform): Generator<CheckResult> {
  const { stack, platform, service, had, adopted, leaving, storedFor } = compared;
  const isStored = (object: SynthesizedObject) => {
    const stored = storedFor(object);
    return stored !== undefined && (isOwned(stored) || isMigrating(stack, stored, object));
  };
  for (const object of platform.declared.filter((each) => !isStored(each))) {
    const id = idOf(object);
    const live = liveUnder(object, service);
    const elsewhere = live && leaving.find((each) => each.id.id === id);
    const isImported = object.address !== undefined && stack.imported.has(object.address);
    const predecessor = live && predecessorOf(object, live, { platform, had });
    // With hooks, an apply deletes before it creates.
    if (predecessor && object.address === undefined && !predecessor.id.byProvider) continue;
    if (elsewhere && !predecessor && !(isKept(stack, elsewhere) && adopted.has(id))) {
      // Another finding is about a Platform that left the code.
      if (isForgotten(stack, elsewhere)) continue;
      yield wrong(
        "name",
        `the state has ${id} at ${elsewhere.address}, and the code declares it on ${called(platform.prefix)}: an apply will fail. ` +
          `Write a moved block from the one address to the other${elsewhere.id.byProvider ? "" : `, and list it in the retain of ${called(elsewhere.id.platform.prefix)} for that apply`} [DECLARED_ELSEWHERE]`,
      );
    } else if (live || isImported) {
      const withoutNotes = elsewhere?.id.byProvider === false;
      const how = { isAdopted: adopted.has(id), isImported, isOfState: predecessor !== undefined, withoutNotes };
      yield creation(compared, object, live, how);
    }
  }
}

/** The live cluster of another type that has the name, if the state has it and this change removes it. */
function predecessorOf(
  { kind, name }: SynthesizedObject,
  live: LiveCluster | LiveProvider,
  { platform, had }: Pick<ComparedPlatform, "platform" | "had">,
): StateObject | undefined {
  const id = objectId(live.type, kind, name);
  if (isRetained(platform.settings, id) || platform.declared.some((object) => idOf(object) === id)) return undefined;
  return had.find((object) => object.id.id === id && isOwned(object));
}

/** Live objects of unfinished creates that left the code. Terraform does not delete them. */
export function* leftovers(compared: ComparedPlatform): Generator<CheckResult> {
  const { platform, service, had, recorded } = compared;
  const unknown = interrupted(compared);
  if (unknown.length > 0) {
    yield failing(
      compared,
      "state",
      `${enumerated(unknown)} ${theirVerb(unknown, "is")} on the service and neither in the state nor in the code: an interrupted apply has created ${unknown.length === 1 ? "it" : "them"}, and an apply will fail. ` +
        "Declare it again, apply, and then remove it; or list it in retain [STILL_LIVE]",
    );
  }
  const declared = new Set(platform.declared.map(idOf));
  const deleted = new Set(had.filter(isOwned).map(({ id }) => id.id));
  const suspects = new Set([...had.filter((object) => !isOwned(object)).map(({ id }) => id.id), ...recorded]);
  const left = [...suspects].filter(
    (id) =>
      !deleted.has(id) &&
      !declared.has(id) &&
      !isRetained(platform.settings, id) &&
      liveUnder(objectOf(id), service) !== undefined,
  );
  if (left.length === 0) return;
  const refused = left.filter((id) => isProtected(platform.settings, id));
  const allowed =
    refused.length > 0 ? ` with ${allowDeletionLine(platform.settings, refused)} on ${called(platform.prefix)}` : "";
  yield wrong(
    "state",
    `${enumerated(left)} left the code before the create had finished, and ${theirVerb(left, "is")} still on the service: an apply does not delete ${left.length === 1 ? "it" : "them"}, and fails. ` +
      `Declare it again, apply with CLUSTER_PLATFORM_ADOPT, and then remove it${allowed}; or list it in retain [STILL_LIVE]`,
  );
}

/** Objects in notes that the check of the Terraform provider finds, which belongs to its waiting resource. */
function interrupted({ stack, platform, service, had, leaving, journal }: ComparedPlatform): string[] {
  const known = new Set([
    ...[...had, ...leaving].map(({ id }) => id.id),
    ...stack.platforms.flatMap(({ declared }) => declared.map(idOf)),
  ]);
  const others = stack.platforms.map(({ prefix }) => platformOfPrefix(prefix));
  const ofLeft = isByProvider(platform) ? journal.creationsOfLeftPlatforms(others) : [];
  return [...journal.creations(), ...ofLeft]
    .filter((object) => !known.has(idOf(object)) && !isRetained(platform.settings, idOf(object)))
    .filter((object) => liveUnder(object, service)?.type === object.type)
    .map(idOf);
}
