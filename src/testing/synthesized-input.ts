import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { TerraformStack } from "cdktf";
import { readSynthesized, STACK_FILE } from "../synthesized/folder";
import { refuseMissing } from "../model/cdk";
import { ConfigurationError } from "../model/errors";
import { isPlainObject } from "../util/prop-path";

/**
 * A stack in one of these forms: the construct, the text or the parsed JSON of `Testing.synth` or `Testing.synthScope`, or the path
 * of a synthesized folder. The folder is that of the stack, such as `cdktf.out/stacks/production`, or `cdktf.out` with one stack.
 */
export type SynthesizedInput = TerraformStack | string | object;

/** @throws INVALID_SETTING if the input is no stack, or a folder without a stack or with several */
export function synthesizedIn(input: SynthesizedInput): unknown {
  if (isStack(input)) return JSON.parse(cdkTesting().synth(input)) as unknown;
  if (typeof input !== "string")
    return isPlainObject(input) ? input : refuse(input, "a TerraformStack, synthesized JSON or the path of a synthesized folder");
  return input.trimStart().startsWith("{") ? parsed(input) : readSynthesized(stackFolder(input));
}

/** A construct is synthesized into a new temporary folder. */
export function synthesizedFolder(input: TerraformStack | string): string {
  if (isStack(input)) return stackFolder(cdkTesting().fullSynth(input));
  return typeof input === "string" ? stackFolder(input) : refuse(input, "a TerraformStack or the path of a synthesized folder");
}

function isStack(input: unknown): input is TerraformStack {
  return typeof input === "object" && input !== null && "toTerraform" in input && "synthesizer" in input;
}

function stackFolder(folder: string): string {
  const stacks = join(folder, "stacks");
  if (existsSync(join(folder, STACK_FILE)) || !existsSync(stacks)) return folder;
  const found = readdirSync(stacks).filter((name) => existsSync(join(stacks, name, STACK_FILE)));
  const [only, ...others] = found.map((name) => join(stacks, name));
  if (only === undefined || others.length === 0) return only ?? folder;
  throw new ConfigurationError("INVALID_SETTING", `${folder} has several stacks: pass one of ${[only, ...others].join(", ")}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigurationError(
      "INVALID_SETTING",
      `the text is not the JSON of a synthesized stack: ${(error as Error).message}`,
    );
  }
}

function refuse(input: unknown, rule: string): never {
  const got =
    input === null || input === undefined ? String(input) : Array.isArray(input) ? "a list" : `a value of type ${typeof input}`;
  throw new ConfigurationError("INVALID_SETTING", `a stack must be ${rule}, got ${got}`);
}

/** Loaded on demand, because JSON and folders need no CDK. */
function cdkTesting() {
  refuseMissing("cdktf");
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return (require("cdktf") as typeof import("cdktf")).Testing;
}
