import { readGoneAccepted } from "../contract/run-settings";
import { findLive } from "../lifecycle/live";
import { enumerated } from "../lifecycle/wording";
import { ClusterPlatformError } from "../model/errors";
import { objectOf } from "../model/object-ref";
import type { Run } from "./run";

/**
 * Throws if the service has none of the objects that it should have: it is probably another service.
 * @param owner who has the objects, as the end of "objects that …"
 * @param soFar what the apply has not done yet, as a sentence without its full stop
 */
export async function refuseAnotherService(
  run: Run,
  ids: readonly string[],
  owner: "the state has" | "the code declares" | "the last apply declared",
  soFar: string,
): Promise<void> {
  if (ids.length === 0 || readGoneAccepted(run.env)) return;
  const live = await findLive(run.context(), ids.map(objectOf), soFar);
  if (live.length > 0) return;
  const [none, they] =
    ids.length === 1
      ? [`${ids[0]}, the only object that ${owner}, is not`, "it is"]
      : [`none of the ${ids.length} objects that ${owner} (${enumerated(ids)}) is`, "they are"];
  throw new ClusterPlatformError(
    "OBJECT_MISSING",
    `${none} on the service at ${run.client().url}. Is it the right one? ${soFar}. ` +
      `If the URL is wrong, correct it. If ${they} really gone${owner === "the state has" ? "" : ` or ${ids.length === 1 ? "was" : "were"} never created`}, run once with CLUSTER_PLATFORM_ACCEPT_GONE=1`,
  );
}
