import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { readRegularFile } from "../model/regular-file";

/** Far above any key or document; what is larger is not a secret but the wrong file. */
const FILE_LIMIT_MIB = 1;

/** What a place holds, or why nothing can be had from it, as the end of a sentence. */
export type Resolution = { readonly value: string } | { readonly problem: string };

/** The value of an environment variable. */
export function fromEnv(name: string, env: NodeJS.ProcessEnv): Resolution {
  const value = env[name];
  if (value) return { value };
  return { problem: `the environment variable ${name} ${value === undefined ? "is not set" : "is empty"}` };
}

/**
 * The text of a file; a relative path is taken from `folder`. Of a single line its line break is left out; a document
 * of several, such as a private key, is taken as it is: a key without its last line break is none.
 */
export function fromFile(path: string, folder = process.cwd()): Resolution {
  const shown = path.startsWith("~/") ? join(homedir(), path.slice(2)) : path;
  const file = resolve(folder, shown);
  const problem = (what: string) => ({ problem: `the file ${shown}${isAbsolute(shown) ? "" : ` (in ${folder})`} ${what}` });
  const read = readRegularFile(file, FILE_LIMIT_MIB);
  if ("problem" in read) return problem(read.problem);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(read.bytes);
  } catch {
    return problem("is not UTF-8 text");
  }
  const value = text.replace(/^([^\n]*?)\r?\n$/, "$1");
  return value === "" ? problem("is empty") : { value };
}
