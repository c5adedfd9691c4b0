import { ClusterPlatformError } from "../api/errors";
import { isProtected, isRetained, WAY_PAST_PROTECTION } from "../api/protection";
import { removedObjects } from "./removed-objects";
import type { Run } from "./run";

/** Runs before anything is deleted, and refuses if any of it is protected. */
export async function guard(run: Run): Promise<void> {
  const refused = removedObjects(run.env).filter((id) => !isRetained(run.settings, id) && isProtected(run.settings, id));
  if (refused.length === 0) return;
  throw new ClusterPlatformError(
    "PROTECTED",
    `${refused.join(", ")} ${refused.length === 1 ? "is" : "are"} protected from deletion; nothing was deleted. To delete, ${WAY_PAST_PROTECTION}`,
  );
}
