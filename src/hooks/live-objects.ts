import { ClusterPlatformError, DeadlineError } from "../model/errors";
import { parseObjectId } from "../contract/addresses";
import type { Kind } from "../model/provider-type";
import { duration, enumerated, type Run } from "./run";

/**
 * Those of some objects, as `type/kind/name`, that the service has. A list that none of them can be in is not asked for.
 *
 * @param otherwise what has become of them where the service does not show it in time; a sentence without its end
 * @throws DELETE_TIMEOUT
 */
export async function liveObjects(run: Run, ids: readonly string[], otherwise: string): Promise<string[]> {
  const objects = ids.map((id) => ({ id, ...parseObjectId(id)! }));
  const some = (kind: Kind) => objects.some((object) => object.kind === kind);
  const limit = run.settings.deleteSeconds * 1000;
  const options = { signal: run.interruption.signal, deadline: Date.now() + limit };
  try {
    const clusters = some("clusters") ? await run.client().listClusters(options) : undefined;
    const providers = some("providers") ? await run.client().listProviders(options) : undefined;
    return objects
      .filter(({ type, kind, name }) =>
        kind === "clusters" ? clusters?.find(name)?.type === type : providers?.find(type, name) !== undefined,
      )
      .map(({ id }) => id);
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error;
    throw new ClusterPlatformError(
      "DELETE_TIMEOUT",
      `whether the service has ${enumerated(ids)} was not seen within ${duration(limit)} (timeouts.deleteSeconds): ${error.message}. ${otherwise}; the next apply looks again`,
      { cause: error },
    );
  }
}
