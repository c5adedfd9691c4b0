import { locate, readRegularFile } from "../util/regular-file";

/** A larger file is a mistake. */
const FILE_LIMIT_MIB = 1;

/** The problem is the end of a sentence. */
export type Resolution = { readonly value: string } | { readonly problem: string };

export function fromEnv(name: string, env: NodeJS.ProcessEnv): Resolution {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (value) return { value };
  return { problem: `the environment variable ${name} ${value === undefined ? "is not set" : "is empty"}` };
}

/** Drops the line break at the end of a single line. A private key needs its last line break. */
export function fromFile(path: string, folder?: string): Resolution {
  const file = locate(path, folder);
  const problem = (what: string) => ({ problem: `the file ${file} ${what}` });
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
