import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** A relative path starts from `folder`. */
export function locate(path: string, folder = process.cwd()): string {
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : resolve(folder, path);
}

/**
 * The problem is the end of a sentence. Only regular files are read, because a pipe or a device could block a hook forever. A
 * file that is larger than `mebibytes` is refused, because it must be the wrong file.
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
