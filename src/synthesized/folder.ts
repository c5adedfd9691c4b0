import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigurationError } from "../model/errors";

/** In the folder of each synthesized stack. */
export const STACK_FILE = "cdk.tf.json";

/**
 * @param folder the folder of one stack
 * @throws INVALID_SETTING if the folder holds no synthesized stack
 */
export function readSynthesized(folder: string): unknown {
  const file = join(folder, STACK_FILE);
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new ConfigurationError(
      "INVALID_SETTING",
      `${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? "it is not JSON"}): synthesize first, and pass the folder of one stack, such as cdktf.out/stacks/production`,
    );
  }
}
