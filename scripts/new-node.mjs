import { arch, platform } from "node:os";
import { join } from "node:path";
import { npmInstall } from "./npm-install.mjs";
import { cached } from "./tool-cache.mjs";

/** The newest Node. The npm packages `node-<platform>-<arch>` have the programs without a script that downloads them. */
const VERSION = process.env.TEST_NEW_NODE ?? "26.10.0";
const PACKAGE = `node-${platform()}-${arch()}`;

/**
 * Installs it once per machine.
 *
 * @returns {Promise<{ folder?: string, what: string }>} `folder` has the program `node`. On Windows, there is none
 */
export async function newNode() {
  if (platform() === "win32") return { what: "Node's npm package for Windows has another layout" };
  try {
    const cache = await cached(`node-${VERSION}`, (draft) => npmInstall(`${PACKAGE}@${VERSION}`, draft));
    return { folder: join(cache, "node_modules", PACKAGE, "bin"), what: `Node ${VERSION}` };
  } catch (error) {
    return { what: `Node ${VERSION} could not be installed: ${error.message}` };
  }
}
