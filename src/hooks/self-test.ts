import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SELF_TEST_PASSED } from "../contract/hook-protocol";
import { ConfigurationError } from "../model/errors";
import type { Run } from "./run";

/** Loads every file of the bundle, for `cluster-platform doctor`. The settings of the stack were read before. */
export async function selfTest(run: Run): Promise<void> {
  for (const file of bundledFiles()) {
    try {
      await import(join(__dirname, file));
    } catch (error) {
      // The other lines list the files that require the missing one.
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
