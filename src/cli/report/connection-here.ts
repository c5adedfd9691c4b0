import { existsSync } from "node:fs";
import { join } from "node:path";
import type { PlatformSettings } from "../../contract/platform-settings";
import { readSynthesized, STACK_FILE } from "../../synthesized/folder";
import { synthesizedConnections } from "../../synthesized/platforms";

/**
 * The connection of the stack in a folder, if CLUSTER_PLATFORM_URL is not set and all Platforms of the stack have the same literal
 * `url`. Otherwise empty.
 * @throws INVALID_SETTING if the folder has a broken stack
 */
export function connectionHere(env: NodeJS.ProcessEnv, folder = "."): PlatformSettings["connection"] {
  if (env.CLUSTER_PLATFORM_URL?.trim() || !existsSync(join(folder, STACK_FILE))) return {};
  const [only, ...others] = synthesizedConnections(readSynthesized(folder), folder);
  return only?.url !== undefined && others.length === 0 ? only : {};
}
