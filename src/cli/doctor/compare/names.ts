import { idOf } from "../../../model/object-ref";
import { enumerated } from "../../../lifecycle/wording";
import { join } from "node:path";
import type { LiveCluster, LiveProvider } from "../../../api/client";
import type { SynthesizedObject } from "../../../contract/synthesized-objects";
import { declaredWithDefaults } from "../../../declarations/declared-with-defaults";
import { systemClock } from "../../../lifecycle/clock";
import { differences } from "../../../lifecycle/compare";
import { Journal, NOTES_FOLDER } from "../../../lifecycle/journal";
import { allowDeletionLine, isProtected, isRetained } from "../../../model/protection";
import type { StateObject } from "../../drift/state-objects";
import { doubtful, type CheckResult, good, wrong } from "../check-result";
import { liveOf, type ComparedPlatform } from "./compared-platform";
import { called, theirVerb } from "./words";

/**
 * Declared names that are taken by objects outside the state.
 * @param all the objects of all Platforms in the state
 */
export function* names({ stack, platform, service, env }: ComparedPlatform, all: readonly StateObject[]): Generator<CheckResult> {
  // The create of a tainted object failed, perhaps because the name is taken.
  const owned = new Set(all.filter(({ id, tainted }) => id.byProvider || !tainted).map(({ id }) => id.id));
  const journal = new Journal(
    { folder: join(stack.folder, NOTES_FOLDER), url: service.url, workspace: "", run: "" },
    systemClock,
  );
  const adopted = new Set((env.CLUSTER_PLATFORM_ADOPT ?? "").split(",").map((id) => id.trim()));
  const taken: string[] = [];
  for (const object of platform.declared.filter((each) => !owned.has(idOf(each)))) {
    const id = idOf(object);
    const live = liveOf(object, service);
    if (!live) continue;
    if (object.entry.adopt || adopted.has(id)) yield adoption(object, live);
    else if (journal.creationAnywhere(object))
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

function adoption(object: SynthesizedObject, live: LiveCluster | LiveProvider): CheckResult {
  const declared = Object.fromEntries(Object.entries(object.entry.triggers).map(([key, value]) => [key, String(value)]));
  const differing = differences(object.kind, object.type, declaredWithDefaults(object.type, object.kind, declared), live)
    .filter((difference) => !difference.declared.includes("${"))
    .map((difference) => `${difference.field} is ${difference.live}, declared is ${difference.declared}`);
  if (differing.length === 0) return good("name", `${idOf(object)} is on the service, and an apply adopts it`);
  return wrong(
    "name",
    `${idOf(object)} cannot be adopted, because it differs from its declaration (${differing.join("; ")}): declare the live values [ADOPT_MISMATCH]`,
  );
}

/** Live objects of unfinished creates that left the code. Terraform does not delete them. */
export function* leftovers({ platform, service, had }: ComparedPlatform): Generator<CheckResult> {
  const declared = new Set(platform.declared.map(idOf));
  const left = had
    // With the package's own provider, a failed create leaves nothing in the state.
    .filter(({ id, tainted }) => tainted && !id.byProvider && !declared.has(id.id) && !isRetained(platform.settings, id.id))
    .filter(({ id }) => liveOf(id, service))
    .map(({ id }) => id.id);
  if (left.length === 0) return;
  const refused = left.filter((id) => isProtected(platform.settings, id));
  const allowed =
    refused.length > 0 ? ` with ${allowDeletionLine(platform.settings, refused)} on ${called(platform.prefix)}` : "";
  yield wrong(
    "state",
    `${enumerated(left)} left the code before the create had finished, and ${theirVerb(left, "is")} still on the service: Terraform forgets it without deleting it. ` +
      `Declare it again, apply with CLUSTER_PLATFORM_ADOPT, and then remove it${allowed}; or list it in retain [STILL_LIVE]`,
  );
}
