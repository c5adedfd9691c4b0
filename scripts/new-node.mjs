import { arch, platform } from "node:os";
import { join } from "node:path";
import { npmInstall } from "./npm-install.mjs";
import { cached } from "./tool-cache.mjs";

/** The Node of the example pipelines, and the newest one. */
export const NEWER_NODES = ["24.22.3", process.env.TEST_NEW_NODE ?? "26.10.0"];

/** These npm packages have the programs without a script that downloads them. */
const PACKAGE = `node-${platform()}-${arch()}`;

/**
 * Installs it once per machine.
 *
 * @returns {Promise<{ folder?: string, what: string }>} `folder` has the program `node`. On Windows, there is none
 */
export async function newNode(version = NEWER_NODES.at(-1)) {
  if (platform() === "win32") return { what: "Node's npm package for Windows has another layout" };
  try {
    const cache = await cached(`node-${version}`, (draft) => npmInstall(`${PACKAGE}@${version}`, draft));
    return { folder: join(cache, "node_modules", PACKAGE, "bin"), what: `Node ${version}` };
  } catch (error) {
    return { what: `Node ${version} could not be installed: ${error.message}` };
  }
}
