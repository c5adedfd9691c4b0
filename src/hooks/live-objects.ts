import type { RequestOptions } from "../api/client";
import type { Kind, TypeCode } from "../api/provider-type";
import type { Run } from "./run";

/** Those of some objects, as `type/kind/name`, that the service has. A list that none of them can be in is not asked for. */
export async function liveObjects(run: Run, ids: readonly string[], options: RequestOptions): Promise<string[]> {
  const objects = ids.map((id) => {
    const [type, kind, name] = id.split("/") as [TypeCode, Kind, string];
    return { id, type, kind, name };
  });
  const some = (kind: Kind) => objects.some((object) => object.kind === kind);
  const clusters = some("clusters") ? await run.client().listClusters(options) : undefined;
  const providers = some("providers") ? await run.client().listProviders(options) : undefined;
  return objects
    .filter(({ type, kind, name }) =>
      kind === "clusters" ? clusters?.find(name)?.type === type : providers?.find(type, name) !== undefined,
    )
    .map(({ id }) => id);
}
