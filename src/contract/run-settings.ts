import { flag } from "../api/connection";
import { ConfigurationError } from "../model/errors";
import { parseObjectId } from "../model/object-ref";

/**
 * What the person who runs Terraform says about this run, by environment variables.
 *
 * Every function throws INVALID_SETTING.
 */

/** Objects that this run may take over, as `type/kind/name`. */
export function readAdoptions(env: NodeJS.ProcessEnv): ReadonlySet<string> {
  const ids = (env.CLUSTER_PLATFORM_ADOPT ?? "")
    .split(",")
    .map((id) => id.trim())
    .filter((id) => id !== "");
  const wrong = ids.find((id) => parseObjectId(id) === undefined);
  if (wrong === undefined) return new Set(ids);
  throw new ConfigurationError(
    "INVALID_SETTING",
    `environment: 'CLUSTER_PLATFORM_ADOPT' must be ids of objects, as in capvs/clusters/prod, separated by commas, got ${JSON.stringify(wrong)}; nothing was sent`,
  );
}

/** Whether all that the state has may be gone from the service. */
export function readGoneAccepted(env: NodeJS.ProcessEnv): boolean {
  return flag(env, "CLUSTER_PLATFORM_ACCEPT_GONE", "nothing was deleted");
}
