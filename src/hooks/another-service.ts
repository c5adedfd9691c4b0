import { LifecycleError } from "../lifecycle/lifecycle-error";
import { findLive } from "../lifecycle/live";
import type { Remedy } from "../lifecycle/remedy";
import { enumerated } from "../lifecycle/wording";
import { idOf, objectOf } from "../model/object-ref";
import type { Run } from "./run";

/**
 * Throws if the service lacks objects, and has none that is certainly this stack's: it is probably another service.
 * @param owner who has the objects, as the end of "objects that …"
 * @param soFar what the apply has not done yet, as a sentence without its full stop
 * @param declared the objects that the code declares, if the run knows them
 */
export async function refuseAnotherService(
  run: Run,
  all: readonly string[],
  owner: "the state has" | "the code declares" | "the last apply declared",
  soFar: string,
  declared: readonly string[] = [],
): Promise<void> {
  const { gone } = run.ofRun;
  const ids = all.filter((id) => !gone.includes(objectOf(id)));
  if (ids.length === 0) return;
  const live = await findLive(run.context(), ids.map(objectOf), soFar);
  const absent = ids.filter((id) => !live.some((object) => idOf(object) === id));
  if (absent.length === 0) return;
  // If the name of an object was taken, the one that lives is probably somebody else's, and can be on any service. Another
  // workspace may have found it taken by this one, because a destroy hook does not know its workspace.
  if (live.some((object) => !run.journal().wasRefused(object))) return;
  const others = enumerated(live.map(idOf));
  const none =
    live.length > 0
      ? `only ${others} ${live.length === 1 ? "lives" : "live"}, whose name was taken when an apply tried to create it. ${enumerated(absent)} ${absent.length === 1 ? "is" : "are"} not`
      : ids.length === 1
        ? `${ids[0]}, the only object that ${owner}, is not`
        : `none of the ${ids.length} objects that ${owner} (${enumerated(ids)}) is`;
  const objects = absent.map(objectOf);
  const [staying, removed] = [absent.filter((id) => declared.includes(id)), absent.filter((id) => !declared.includes(id))];
  const wayOut: Remedy =
    staying.length > 0
      ? { code: "RECREATE_MISSING", objects: staying.map(objectOf), all: true, removed: removed.map(objectOf) }
      : { code: "ACCEPT_GONE", objects, orNeverCreated: owner !== "the state has" };
  throw new LifecycleError({
    code: "OBJECT_MISSING",
    objects,
    summary: `${none} on the service at ${run.client().url}. Is it the right one?`,
    detail: soFar,
    remedies: [{ code: "CORRECT_URL" }, wayOut],
  });
}
