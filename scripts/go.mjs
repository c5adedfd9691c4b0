import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { cached } from "./tool-cache.mjs";

const run = promisify(execFile);

export const hasGo = () => spawnSync("go", ["version"]).status === 0;

export async function go(args, { env = {}, cwd = process.cwd(), minutes = 10 } = {}) {
  const options = { env: { ...process.env, ...env }, cwd, timeout: minutes * 60_000, maxBuffer: 64 * 1024 * 1024 };
  return (await run("go", args, options)).stdout;
}

export const goInstall = (program, folder) =>
  go(["install", program], { env: { GOBIN: folder, GOFLAGS: "-mod=mod -buildvcs=false" }, minutes: 5 });

/**
 * A program that `build` builds once per machine.
 *
 * @param build returns the path of the program
 * @returns {Promise<{ binary?: string, what: string, expected: boolean }>} `expected`: whether this machine can have it
 */
export async function builtFromProxy(name, build) {
  const what = `${name} built from the Go module proxy`;
  try {
    return { binary: await build(), what, expected: true };
  } catch (error) {
    return { what: `no ${what}: ${error.message}`, expected: hasGo() };
  }
}

/**
 * The program of the Go module in a folder, built once per machine for each content of the folder.
 *
 * @param command such as `["build"]` or `["test", "-c"]`
 */
export async function goProgram(name, sources, command) {
  const digest = createHash("sha256");
  for (const file of readdirSync(sources).sort()) digest.update(readFileSync(join(sources, file)));
  const folder = await cached(`${name}-${digest.digest("hex").slice(0, 12)}`, async (draft) => {
    console.log(`building the ${name} in Go, once on this machine …`);
    const options = ["-mod=readonly", "-buildvcs=false", "-trimpath", "-ldflags=-s", "-o", join(draft, "program"), "."];
    await go([...command, ...options], { cwd: sources });
  });
  return join(folder, "program");
}
