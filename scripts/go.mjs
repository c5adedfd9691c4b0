import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

export const hasGo = () => spawnSync("go", ["version"]).status === 0;

export async function go(args, { env = {}, cwd = process.cwd(), minutes = 10 } = {}) {
  const options = { env: { ...process.env, ...env }, cwd, timeout: minutes * 60_000, maxBuffer: 64 * 1024 * 1024 };
  return (await run("go", args, options)).stdout;
}

export const goInstall = (program, folder) =>
  go(["install", program], { env: { GOBIN: folder, GOFLAGS: "-mod=mod -buildvcs=false" }, minutes: 5 });
