import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { unzipSync, type Unzipped } from "fflate";
import { PLUGIN_NAME, PLUGIN_SOURCE } from "../../contract/addresses";
import {
  launcherName,
  LOCK_FILE,
  lockedPlugin,
  MIRROR,
  packageHash,
  PLUGIN_SYSTEMS,
  pluginMirrorIn,
  thisSystem,
  zipName,
} from "../../contract/plugin-package";
import { type CheckResult, doubtful, good, wrong } from "./check-result";
import { ask, nodeProblem } from "./run-program";
import type { Stack } from "./stack";

const SUBJECT = "Terraform provider";
/** What the plugin prints when a person starts it. */
const STARTED = /^This program is a plugin of Terraform/m;

interface Synthesized {
  readonly provider?: Readonly<Record<string, unknown>>;
  readonly terraform?: { readonly required_providers?: Readonly<Record<string, { readonly version?: string }>> };
}

/** Checks that Terraform finds the package's own provider, may start it and can run it. */
export async function* plugin({ folder, synthesized }: Stack, env: NodeJS.ProcessEnv): AsyncGenerator<CheckResult> {
  const { provider = {}, terraform } = (synthesized ?? {}) as Synthesized;
  if (!(PLUGIN_NAME in provider)) return;
  const version = terraform?.required_providers?.[PLUGIN_NAME]?.version ?? "";
  const isInstalled = existsSync(join(folder, env.TF_DATA_DIR || ".terraform", "providers", PLUGIN_SOURCE, version));
  // Only 'terraform init' reads this configuration.
  yield* cliConfiguration(folder, env, isInstalled ? doubtful : wrong);
  const found = mirrored(folder, version);
  if (found.path === undefined) {
    yield wrong(SUBJECT, found.problem);
    return;
  }
  const problem = await startProblem(found, folder, version, env);
  yield problem === undefined ? good(SUBJECT, `${version} is in ${found.path} and starts`) : wrong(SUBJECT, problem);
  yield lockFile(found, folder, version);
}

type Mirrored =
  | { readonly path: string; readonly files: Unzipped; readonly problem?: undefined }
  | { readonly path?: undefined; readonly problem: string };

function mirrored(folder: string, version: string): Mirrored {
  const system = thisSystem();
  if (!PLUGIN_SYSTEMS.includes(system)) {
    return {
      problem: `it supports ${PLUGIN_SYSTEMS.join(", ")}, but this machine is ${system}: set engine: Engine.TERRAFORM_DATA, or run Terraform on one of these`,
    };
  }
  const path = join(pluginMirrorIn(folder), zipName(version, system));
  const again = "synthesize again, and copy the whole folder of the stack";
  if (!existsSync(path)) return { problem: `${path} is missing: ${again}` };
  try {
    return { path, files: unzipSync(readFileSync(path)) };
  } catch (error) {
    return { problem: `${path} cannot be unpacked (${(error as Error).message}): ${again}` };
  }
}

/** Starts it from a temporary folder, as Terraform does after it has unpacked it. */
async function startProblem(
  { path, files }: Mirrored & { readonly path: string },
  stackFolder: string,
  version: string,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "cluster-platform-plugin-"));
  try {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content, { mode: 0o755 });
    const answer = await ask(join(folder, launcherName(version)), [], { env, cwd: stackFolder });
    if (STARTED.test(answer?.output ?? "")) return undefined;
    const failure = answer === undefined ? "it cannot be started" : (answer.failure ?? "");
    if (/EACCES/.test(failure)) {
      return `no program can be executed in ${tmpdir()}, perhaps because it is mounted with noexec, so this check cannot start ${path}: set TMPDIR to another folder. If the stack's file system is mounted like that, too, move the stack, or set engine: Engine.TERRAFORM_DATA`;
    }
    return `${path} does not start ${nodeProblem(failure || answer!.output, "the provider", env)}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function lockFile({ path, files }: Mirrored & { readonly path: string }, folder: string, version: string): CheckResult {
  const file = join(folder, LOCK_FILE);
  const locked = existsSync(file) ? lockedPlugin(readFileSync(file, "utf8")) : undefined;
  if (!locked)
    return doubtful(
      "lock file",
      `${file} is missing or does not have the provider, perhaps because hidden files were not copied. So 'terraform init' trusts the contents of ${MIRROR}: synthesize again, which writes the hash`,
    );
  if (locked.version === version && locked.hashes.includes(packageHash(files)))
    return good("lock file", "has the hash of the Terraform provider");
  return wrong(
    "lock file",
    `${path} does not have the version and the hash in ${file}, so 'terraform init' or the plan fails: synthesize again. If nobody has rebuilt the package, somebody has changed the files`,
  );
}

/** Reports a CLI configuration with which 'terraform init' does not look for the plugin in the folder of the stack only. */
function* cliConfiguration(folder: string, env: NodeJS.ProcessEnv, report: typeof wrong): Generator<CheckResult> {
  const file = configurationFile(env);
  if (file === undefined) return;
  const text = readFileSync(file, "utf8")
    .replace(/(?:#|\/\/).*$/gm, "")
    .replace(/\/\*[^]*?\*\//g, "");
  const [, installation] = /\bprovider_installation\s*\{([^]*)/.exec(text) ?? [];
  if (installation === undefined) return;
  const mirror = resolve(folder, MIRROR);
  const paths = [...installation.matchAll(/\bpath\s*=\s*"((?:[^"\\]|\\.)*)"/g)].map(([, path]) => path!);
  const isExcluded = !/\b(direct|network_mirror)\b/.test(installation) || installation.includes(PLUGIN_HOST);
  if (isExcluded && paths.some((path) => isSame(path, mirror))) return;
  yield report(
    "provider_installation",
    `${file} sets where 'terraform init' looks for providers. That block needs filesystem_mirror { path = ${JSON.stringify(mirror)} }, and in each direct and network_mirror exclude = ["${PLUGIN_HOST}/*/*"]`,
  );
}

const PLUGIN_HOST = PLUGIN_SOURCE.split("/")[0]!;

function configurationFile(env: NodeJS.ProcessEnv): string | undefined {
  const named = env.TF_CLI_CONFIG_FILE || env.TERRAFORM_CONFIG;
  const home = env.HOME || homedir();
  const candidates = named ? [named] : [join(home, ".tofurc"), join(home, ".terraformrc")];
  return candidates.find((file) => existsSync(file));
}

function isSame(one: string, other: string): boolean {
  const real = (path: string) => (existsSync(path) ? realpathSync(path) : resolve(path));
  return real(one) === real(other);
}
