import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { platform } from "node:os";
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
 * The program of a module on the Go module proxy, built once per machine.
 *
 * @param about.edits what changes in the files of the module before the build
 * @param about.options of `go build`
 */
export function builtFromModule({ name, module, version, program, edits, options = [], main = "." }) {
  const file = platform() === "win32" ? `${program}.exe` : program;
  return builtFromProxy(`${name} ${version}`, async () => {
    const folder = await cached(`${program}-${version}`, async (draft) => {
      if (!hasGo()) throw new Error("there is no Go");
      console.log(`building ${name} ${version}, once on this machine …`);
      const sources = join(draft, "sources");
      const download = await go(["mod", "download", "-json", `${module}@v${version}`]);
      cpSync(JSON.parse(download).Dir, sources, { recursive: true });
      for (const [path, edit] of Object.entries(edits)) change(join(sources, path), edit);
      const all = [...options, "-buildvcs=false", "-trimpath", `-ldflags=-s -X ${module}/version.dev=no`];
      await go(["build", "-C", sources, ...all, "-o", join(draft, file), main], { minutes: 30 });
      rmSync(sources, { recursive: true });
    });
    return join(folder, file);
  });
}

function change(file, edit) {
  // Files of the module cache can only be read.
  const text = edit(readFileSync(file, "utf8"));
  rmSync(file);
  writeFileSync(file, text);
}

/** For the file of Terraform or OpenTofu that lists its backends. */
export const withoutBackends = (names) => (text) =>
  text.replace(new RegExp(`^.*\\bbackend(${names.join("|")})\\b.*\\n`, "gm"), "");

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
