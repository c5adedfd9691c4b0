import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { execute, type Outcome } from "../terraform/workspace";

const MAIN = join(__dirname, "../../dist/cli/main.js");

/** Only `env` names the service. */
export function clusterPlatform(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  started?: (process: ChildProcess) => void,
): Promise<Outcome> {
  const none = { CLUSTER_PLATFORM_URL: undefined, CLUSTER_PLATFORM_TOKEN: undefined, FORCE_COLOR: undefined };
  return execute(process.execPath, [MAIN, ...args], process.cwd(), { ...none, ...env }, { started });
}
