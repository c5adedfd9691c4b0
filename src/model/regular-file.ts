import { readFileSync, statSync } from "node:fs";

/**
 * What a file holds, or why it cannot be had, as the end of a sentence. What is no regular file is not read: a pipe or a
 * device could keep a hook for ever, deaf to signals. What is larger than so many MiB is the wrong file.
 */
export function readRegularFile(path: string, mebibytes: number): { readonly bytes: Buffer } | { readonly problem: string } {
  try {
    const found = statSync(path);
    if (!found.isFile()) return { problem: found.isDirectory() ? "is a folder" : "is not a regular file" };
    if (found.size > mebibytes * 1024 * 1024) return { problem: `is larger than ${mebibytes} MiB` };
    return { bytes: readFileSync(path) };
  } catch (error) {
    return { problem: `cannot be read (${(error as NodeJS.ErrnoException).code})` };
  }
}
