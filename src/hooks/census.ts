import { ClusterPlatformError } from "../api/errors";
import type { Kind, TypeCode } from "../api/provider-type";
import { isRetained } from "../api/protection";
import { connection } from "../api/settings";
import { Journal } from "./journal";
import { removedObjects } from "./removed-objects";
import type { Run } from "./run";

/**
 * Runs after everything that goes is gone, and fails while any of it still lives: an instance whose create was
 * killed is tainted, and Terraform drops it without ever calling its destroy hook.
 */
export async function census(run: Run): Promise<void> {
  const gone = removedObjects(run.env);
  for (const id of gone.filter((id) => isRetained(run.settings, id))) {
    Journal.forget(id, connection(run.settings.connection, run.env).url);
  }
  const removed = gone.filter((id) => !isRetained(run.settings, id));
  if (removed.length === 0) return;
  run.interruption.leaving("Whether removed objects still live was not looked at. The next apply does");
  const live = await stillLive(run, removed);
  for (const id of removed) if (!live.includes(id)) Journal.forget(id, run.client().url);
  if (live.length === 0) return;
  throw new ClusterPlatformError(
    "STILL_LIVE",
    `removed from the code, but still on the service: ${live.join(", ")}. Terraform called no destroy hook, because their create was interrupted, failed, or was refused as the name was taken. ` +
      `If it is this stack's: declare it again, apply with CLUSTER_PLATFORM_ADOPT=${live.join(",")} (or run terraform untaint on its address), and remove it then. ` +
      `If it is somebody else's, or is to stay: retain: [${live.map((id) => `"${id}"`).join(", ")}] on the Platform, for one apply`,
  );
}

async function stillLive(run: Run, removed: string[]): Promise<string[]> {
  const parsed = removed.map((id) => {
    const [type, kind, name] = id.split("/") as [TypeCode, Kind, string];
    return { id, type, kind, name };
  });
  const options = { signal: run.interruption.signal };
  const of = (kind: Kind) => parsed.filter((object) => object.kind === kind);
  const clusters = of("clusters").length > 0 ? await run.client().listClusters(options) : undefined;
  const providers = of("providers").length > 0 ? await run.client().listProviders(options) : undefined;
  return parsed
    .filter(({ type, kind, name }) =>
      kind === "clusters" ? clusters?.find(name)?.type === type : providers?.find(type, name) !== undefined,
    )
    .map(({ id }) => id);
}
