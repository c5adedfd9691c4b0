import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SELF_TEST_PASSED } from "../contract/hook-protocol";
import { ConfigurationError } from "../model/errors";
import type { Run } from "./run";

/**
 * Shows that this program runs where Terraform would run it, for `cluster-platform doctor`: every file of the bundle is
 * loaded, those too that only some hooks need. That the settings of the stack arrive is seen before it is called.
 */
export async function selfTest(run: Run): Promise<void> {
  for (const file of bundledFiles()) {
    try {
      await import(join(__dirname, file));
    } catch (error) {
      // The lines after the first are where Node was looking from.
      const [reason] = String(error).split("\n");
      throw damaged(`${file} cannot be loaded (${reason})`);
    }
  }
  run.say(`${SELF_TEST_PASSED} ${process.versions.node}`);
}

function bundledFiles(): string[] {
  try {
    return (JSON.parse(readFileSync(join(__dirname, "package.json"), "utf8")) as { files: string[] }).files;
  } catch (error) {
    throw damaged(`its package.json cannot be read (${(error as Error).message})`);
  }
}

function damaged(what: string): ConfigurationError {
  return new ConfigurationError("INVALID_SETTING", `the hook program is not complete: ${what}; synthesize again`);
}
