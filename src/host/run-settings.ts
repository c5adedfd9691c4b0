import { ConfigurationError } from "../model/errors";
import { parseObjectId } from "../model/object-ref";

/** What a person says about one run, in its environment. */
export interface RunSettings {
  /** Objects to adopt if the service has them, as `type/kind/name`. */
  readonly adoptions: ReadonlySet<string>;
  /** Ids of objects that must be gone: missing ones count as gone, and the run deletes none that lives. */
  readonly gone: ReadonlySet<string>;
}

/** @throws INVALID_SETTING */
export function readRunSettings(env: NodeJS.ProcessEnv): RunSettings {
  return {
    adoptions: idsIn(env, "CLUSTER_PLATFORM_ADOPT"),
    gone: idsIn(env, "CLUSTER_PLATFORM_ACCEPT_GONE"),
  };
}

function idsIn(env: NodeJS.ProcessEnv, name: string): ReadonlySet<string> {
  const ids = listed(env[name]);
  const wrong = ids.find((id) => parseObjectId(id) === undefined);
  if (wrong === undefined) return new Set(ids);
  throw new ConfigurationError(
    "INVALID_SETTING",
    `environment: '${name}' must be ids of objects such as capvs/clusters/prod, separated by commas, got ${JSON.stringify(wrong)}; nothing was sent`,
  );
}

function listed(text = ""): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
