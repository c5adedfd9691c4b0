import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Installs a package into a folder, without its scripts. */
export function npmInstall(what, folder) {
  const flags = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  return promisify(execFile)("npm", ["install", ...flags, "--prefix", folder, what], { timeout: 120_000 });
}
