import { flag } from "../api/connection";
import { ConfigurationError } from "../model/errors";
import { parseObjectId } from "../model/object-ref";

/** Settings for one run, from the environment. All functions throw INVALID_SETTING. */

/** Ids are `type/kind/name`. */
export function readAdoptions(env: NodeJS.ProcessEnv): ReadonlySet<string> {
  const ids = (env.CLUSTER_PLATFORM_ADOPT ?? "")
    .split(",")
    .map((id) => id.trim())
    .filter((id) => id !== "");
  const wrong = ids.find((id) => parseObjectId(id) === undefined);
  if (wrong === undefined) return new Set(ids);
  throw new ConfigurationError(
    "INVALID_SETTING",
    `environment: 'CLUSTER_PLATFORM_ADOPT' must be ids of objects such as capvs/clusters/prod, separated by commas, got ${JSON.stringify(wrong)}; nothing was sent`,
  );
}

/** Whether this run accepts that everything in the state is gone from the service. */
export function readGoneAccepted(env: NodeJS.ProcessEnv): boolean {
  return flag(env, "CLUSTER_PLATFORM_ACCEPT_GONE", "nothing was deleted");
}
