import { join } from "node:path";
import { goInstall, hasGo } from "./go.mjs";
import { cached } from "./tool-cache.mjs";

const VERSION = "1.7.12";

/**
 * The linter for GitHub's workflows. A machine builds it once, from the Go module proxy.
 *
 * @returns {Promise<{ program: string } | { problem: string }>}
 */
export async function actionlint() {
  try {
    const folder = await cached(`actionlint-${VERSION}`, async (draft) => {
      if (!hasGo()) throw new Error("it is built with Go, which is not on the PATH");
      await goInstall(`github.com/rhysd/actionlint/cmd/actionlint@v${VERSION}`, draft);
    });
    return { program: join(folder, process.platform === "win32" ? "actionlint.exe" : "actionlint") };
  } catch (error) {
    return { problem: error.message };
  }
}
