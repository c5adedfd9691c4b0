import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Whether this machine can build programs from the Go module proxy. */
export const hasGo = () => spawnSync("go", ["version"]).status === 0;

/** Runs Go without blocking and returns its output. */
export async function go(args, { env = {}, cwd = process.cwd(), minutes = 10 } = {}) {
  const options = { env: { ...process.env, ...env }, cwd, timeout: minutes * 60_000, maxBuffer: 64 * 1024 * 1024 };
  return (await run("go", args, options)).stdout;
}

/** Builds a program at a version into a folder. */
export const goInstall = (program, folder) =>
  go(["install", program], { env: { GOBIN: folder, GOFLAGS: "-mod=mod -buildvcs=false" }, minutes: 5 });
