import { flag } from "../api/connection";
import { baseUrlOf, baseUrlProblem } from "../model/base-url";
import { ConfigurationError } from "../model/errors";
import { parseObjectId } from "../model/object-ref";

/** Settings for one run, from the environment. All functions throw INVALID_SETTING. */

/** Ids are `type/kind/name`. */
export function readAdoptions(env: NodeJS.ProcessEnv): ReadonlySet<string> {
  const ids = listed(env.CLUSTER_PLATFORM_ADOPT);
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

/** Earlier base URLs of the service, in the form of {@link baseUrlOf}. States that name one of them mean the service of this run. */
export function readFormerUrls(env: NodeJS.ProcessEnv): readonly string[] {
  return listed(env.CLUSTER_PLATFORM_FORMER_URL).map((text) => {
    const problem = baseUrlProblem(text);
    if (problem === undefined) return baseUrlOf(new URL(text));
    throw new ConfigurationError(
      "INVALID_SETTING",
      `environment: 'CLUSTER_PLATFORM_FORMER_URL' must ${problem}; nothing was sent`,
    );
  });
}

function listed(text = ""): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
