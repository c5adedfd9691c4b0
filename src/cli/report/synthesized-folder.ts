import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isPlainObject } from "../../util/prop-path";
import type { JsonObject } from "../../model/provider-type";
import { STACK_FILE } from "../../synthesized/folder";
import { invalidDocument, parseDocument, reading } from "./document";

const SYNTHESIZED = "the JSON of a synthesized stack";

const WAY_OUT = "name the folder of one synthesized stack, such as cdktf.out/stacks/production";

/** The folder of the synthesized stack that a plan or a state lies in. One from standard input lies in the working directory. */
export function stackFolderOf(file: string): string | undefined {
  const folder = file === "-" ? process.cwd() : dirname(resolve(file));
  return existsSync(join(folder, STACK_FILE)) ? folder : undefined;
}

/** In the output folder of `cdktf synth`. */
export const STACKS = "stacks";

/** The folders of the stacks in an output folder, by name. */
export function stacksIn(output: string): ReadonlyMap<string, string> {
  const all = join(output, STACKS);
  const names = existsSync(all) ? readdirSync(all).filter((name) => existsSync(join(all, name, STACK_FILE))) : [];
  return new Map(names.sort().map((name) => [name, join(all, name)]));
}

/**
 * @param folder as in `cdktf.out/stacks/production`
 * @throws INVALID_DOCUMENT
 */
export function readStack(folder: string): JsonObject {
  return parseStack(readInFolder(folder, STACK_FILE), join(folder, STACK_FILE));
}

/**
 * @param file where the content comes from, for errors
 * @throws INVALID_DOCUMENT
 */
export function parseStack(content: Buffer, file: string): JsonObject {
  const stack = parseDocument(content, file, SYNTHESIZED);
  if (isPlainObject(stack)) return stack;
  throw invalidDocument(file, SYNTHESIZED, `got ${Array.isArray(stack) ? "a list" : typeof stack}`);
}

/** @throws INVALID_DOCUMENT */
export function readInFolder(folder: string, name: string): Buffer {
  const file = join(folder, name);
  return reading(file, WAY_OUT, () => readFileSync(file));
}

/**
 * The names of the files and links in the folder of a stack.
 * @throws INVALID_DOCUMENT
 */
export function filesOf(folder: string): string[] {
  const entries = reading(folder, WAY_OUT, () => readdirSync(folder, { withFileTypes: true }));
  return entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
}
