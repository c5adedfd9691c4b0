import { idOf, objectId, objectOf } from "../../../model/object-ref";
import { liveUnder } from "../../../lifecycle/live";
import { enumerated } from "../../../lifecycle/wording";
import type { LiveCluster, LiveProvider } from "../../../api/client";
import { platformOfPrefix } from "../../../contract/addresses";
import type { SynthesizedObject } from "../../../contract/synthesized-objects";
import { declaredWithDefaults } from "../../../declarations/declared-with-defaults";
import { differences } from "../../../lifecycle/compare";
import { allowDeletionLine, isProtected, isRetained } from "../../../model/protection";
import type { StateObject } from "../../drift/state-objects";
import { doubtful, type CheckResult, good, wrong } from "../check-result";
import { failing, isByProvider, isForgotten, isKept, isOwned, type ComparedPlatform } from "./compared-platform";
import { isMigrating } from "./stored";
import { called, differenceInWords, theirVerb } from "./words";

/** Declared names that are taken by objects that the state does not have for this Platform. */
export function* names({
  stack,
  platform,
  service,
  had,
  journal,
  adopted,
  leaving,
  storedFor,
}: ComparedPlatform): Generator<CheckResult> {
  const isStored = (object: SynthesizedObject) => {
    const stored = storedFor(object);
    return stored !== undefined && (isOwned(stored) || isMigrating(stack, stored, object));
  };
  const taken: string[] = [];
  for (const object of platform.declared.filter((each) => !isStored(each))) {
    const id = idOf(object);
    const live = liveUnder(object, service);
    const elsewhere = live && leaving.find((each) => each.id.id === id);
    const isImported = object.address !== undefined && stack.imported.has(object.address);
    const predecessor = live && predecessorOf(object, live, { platform, had });
    if (!live) {
      if (isImported)
        yield wrong("name", `${id} has an import block, but is not on the service: a plan will fail [OBJECT_MISSING]`);
    } else if (predecessor) {
      // With hooks, an apply deletes before it creates.
      if (object.address === undefined && !predecessor.id.byProvider) continue;
      yield wrong(
        "name",
        `the state has ${predecessor.id.id}, whose name ${id} takes: a plan will fail. Remove the one in one apply, and declare the other in the next one [NAME_TAKEN]`,
      );
    } else if (elsewhere && !(isKept(stack, elsewhere) && adopted.has(id))) {
      // Another finding is about a Platform that left the code.
      if (isForgotten(stack, elsewhere)) continue;
      yield wrong(
        "name",
        `the state has ${id} at ${elsewhere.address}, and the code declares it on ${called(platform.prefix)}: an apply will fail. ` +
          `Write a moved block from the one address to the other${elsewhere.id.byProvider ? "" : `, and list it in the retain of ${called(elsewhere.id.platform.prefix)} for that apply`} [DECLARED_ELSEWHERE]`,
      );
    } else if (isImported) yield takeover(object, live, "import");
    else if (adopted.has(id)) yield takeover(object, live, "adopt");
    else if (journal.isCreationProven(object))
      yield doubtful(
        "name",
        `${id} is on the service; an interrupted apply was creating it, and the next one continues with it if it matches its declaration`,
      );
    else taken.push(id);
  }
  if (taken.length === 0) return;
  yield wrong(
    "name",
    `${enumerated(taken)} ${theirVerb(taken, "is")} on the service, but not in this state. ` +
      `If this stack should manage it: apply once with CLUSTER_PLATFORM_ADOPT=${taken.length === 1 ? taken[0] : "its id"}. If it belongs to somebody else: choose another name here [NAME_TAKEN]`,
  );
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

export function takeover(object: SynthesizedObject, live: LiveCluster | LiveProvider, how: "adopt" | "import"): CheckResult {
  const declared = Object.fromEntries(Object.entries(object.entry.triggers).map(([key, value]) => [key, String(value)]));
  const differing = differences(object.kind, object.type, declaredWithDefaults(object.type, object.kind, declared), live)
    .filter((difference) => !difference.declared.includes("${"))
    .map(differenceInWords);
  if (differing.length === 0) return good("name", `${idOf(object)} is on the service, and an apply ${how}s it`);
  return wrong(
    "name",
    `${idOf(object)} cannot be ${how}ed, because it differs from its declaration (${differing.join("; ")}): declare the live values [ADOPT_MISMATCH]`,
  );
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
