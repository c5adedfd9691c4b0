import { remove as removeObject } from "../lifecycle/delete";
import { called } from "../lifecycle/wording";
import { ClusterPlatformError } from "../model/errors";
import { idOf } from "../model/object-ref";
import { isProtected, isRetained, WAY_PAST_PROTECTION } from "../model/protection";
import { readBlock, readName, readProvider } from "./environment";
import type { Run } from "./run";

export async function remove(run: Run): Promise<void> {
  const { type, kind, address } = readBlock(run.env);
  const object = { type, kind, name: readName(run.env) };
  if (isRetained(run.settings, idOf(object))) {
    run.journal().forget(object);
    return run.say(`${called(object)}: left on the service (retain); Terraform forgets it`);
  }
  if (isProtected(run.settings, idOf(object))) {
    throw new ClusterPlatformError(
      "PROTECTED",
      `${called(object)} is protected from deletion; nothing was sent. To delete it, ${WAY_PAST_PROTECTION}`,
    );
  }
  const provider = kind === "clusters" ? readProvider(run.env) : undefined;
  await removeObject(
    run.context(() => address),
    { object, provider },
  );
}
