import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { unzipSync, type Unzipped } from "fflate";
import { PLUGIN_NAME, PLUGIN_SOURCE } from "../../contract/addresses";
import {
  launcherName,
  LOCK_FILE,
  lockedPlugin,
  lockedProviders,
  MIRROR,
  packageHash,
  PLUGIN_SYSTEMS,
  pluginMirrorIn,
  thisSystem,
  zipName,
} from "../../contract/plugin-package";
import { writeOnlySecrets } from "../../synthesized/required-secrets";
import { doubtful, type CheckResult, good, wrong } from "./check-result";
import { SET_PROVIDER_ENGINE } from "./compare/words";
import { atLeast, type Program } from "./programs";
import { ask, nodeProblem } from "./run-program";
import type { Stack } from "./stack";

const SUBJECT = "Terraform provider";
/** What the plugin prints when a person starts it. */
const STARTED = /^This program is a plugin of Terraform/m;

interface Synthesized {
  readonly provider?: Readonly<Record<string, unknown>>;
  readonly terraform?: {
    readonly required_providers?: Readonly<Record<string, { readonly source?: string; readonly version?: string }>>;
  };
}

/** Checks that Terraform finds the package's own provider, may start it and can run it. */
export async function* plugin(
  { folder, synthesized }: Stack,
  program: Program | undefined,
  env: NodeJS.ProcessEnv,
): AsyncGenerator<CheckResult> {
  const { provider = {}, terraform = {} } = (synthesized ?? {}) as Synthesized;
  if (!(PLUGIN_NAME in provider)) {
    const lock = join(folder, LOCK_FILE);
    if (existsSync(lock) && lockedPlugin(readFileSync(lock, "utf8"))) {
      yield doubtful(
        "engine",
        `${lock} has the Terraform provider of Engine.PROVIDER, and the code has another engine: if the state has objects of it, 'terraform init' fails. ${SET_PROVIDER_ENGINE}`,
      );
    }
    return;
  }
  const version = terraform.required_providers?.[PLUGIN_NAME]?.version ?? "";
  yield* writeOnlyArguments(synthesized, program);
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
  yield* lockFile(found, folder, version, Object.values(terraform.required_providers ?? {}));
  if (!isInstalled) {
    yield doubtful(
      SUBJECT,
      `Terraform has not installed it yet: run 'terraform init' with ${resolve(folder)} as the current folder. With -chdir, Terraform does not find it`,
    );
  }
}

/** The first version of Terraform and of OpenTofu with write-only arguments. */
const WRITE_ONLY_SINCE = "1.11";

function* writeOnlyArguments(synthesized: unknown, program: Program | undefined): Generator<CheckResult> {
  if (program === undefined || atLeast(program.version, WRITE_ONLY_SINCE)) return;
  const { command, product, version } = program;
  for (const { path, prop } of writeOnlySecrets(synthesized)) {
    yield wrong(
      command,
      `${product} v${version} would store the value of Secret.fromToken in its state, so Engine.PROVIDER refuses it in ${path} (${prop}): install Terraform ${WRITE_ONLY_SINCE} or OpenTofu ${WRITE_ONLY_SINCE}, or newer, or use Secret.fromEnv or Secret.fromFile`,
    );
  }
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
  const mirror = pluginMirrorIn(folder);
  const again = "synthesize again, and copy the whole folder of the stack";
  if (!existsSync(mirror)) return { problem: `${MIRROR} is missing below ${folder}: ${again}` };
  const there = readdirSync(mirror);
  const name = zipName(version, system);
  if (!there.includes(name)) {
    return { problem: `${name} is not in ${mirror}, which has ${there.join(", ") || "nothing"}: ${again}` };
  }
  const path = join(mirror, name);
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

function* lockFile(
  { path, files }: Mirrored & { readonly path: string },
  folder: string,
  version: string,
  required: readonly { readonly source?: string }[],
): Generator<CheckResult> {
  const file = join(folder, LOCK_FILE);
  if (!existsSync(file)) {
    yield doubtful(
      "lock file",
      `${file} is missing, perhaps because hidden files were not copied: 'terraform init' writes a new one, which trusts the contents of ${MIRROR}`,
    );
    return;
  }
  const text = readFileSync(file, "utf8");
  const locked = lockedPlugin(text);
  const again = "synthesize again, which writes the hash of the provider";
  if (!locked) yield doubtful("lock file", `${file} does not have the Terraform provider: ${again}`);
  else if (locked.version !== version)
    yield wrong(
      "lock file",
      `${file} has version ${locked.version} of the Terraform provider, and the stack requires ${version}: ${again}`,
    );
  else if (!locked.hashes.includes(packageHash(files)))
    yield wrong(
      "lock file",
      `${path} does not have the hash in ${file}, so 'terraform init' or the plan fails: ${again}. If nobody has rebuilt the package, somebody has changed the files`,
    );
  else yield good("lock file", "has the hash of the Terraform provider");
  const others = required.map(({ source = "" }) => (source.split("/").length === 2 ? `/${source}` : source));
  const known = lockedProviders(text);
  const unknown = others.filter((source) => source !== PLUGIN_SOURCE && !known.some((each) => each.endsWith(source)));
  if (unknown.length > 0) {
    yield doubtful(
      "lock file",
      `it does not have ${unknown.map((source) => source.replace(/^\//, "")).join(", ")}: run 'terraform init', or 'cdktf deploy --skip-provider-lock' the first time, because cdktf asks a registry for all providers otherwise`,
    );
  }
}

/** Reports a CLI configuration with which 'terraform init' does not look for the plugin in the folder of the stack. */
function* cliConfiguration(folder: string, env: NodeJS.ProcessEnv, report: typeof wrong): Generator<CheckResult> {
  const option = ["TF_CLI_ARGS", "TF_CLI_ARGS_init"].find((name) => /(^|\s)--?plugin-dir\b/.test(env[name] ?? ""));
  const mirror = resolve(folder, MIRROR);
  if (option !== undefined) {
    yield report(
      option,
      `-plugin-dir prevents 'terraform init' from looking in ${mirror}: remove it, or add that folder with another -plugin-dir`,
    );
  }
  const file = configurationFile(env);
  if (file === undefined) return;
  const text = readFileSync(file, "utf8")
    .replace(/(?:#|\/\/).*$/gm, "")
    .replace(/\/\*[^]*?\*\//g, "");
  const [, installation] = /\bprovider_installation\s*\{([^]*)/.exec(text) ?? [];
  if (installation === undefined) return;
  const paths = [...installation.matchAll(/\bpath\s*=\s*"((?:[^"\\]|\\.)*)"/g)].map(([, path]) => path!);
  const excludes = [...installation.matchAll(/\b(direct|network_mirror)\s*\{([^{}]*)\}/g)].filter(
    ([, , body]) => !body!.includes(PLUGIN_HOST) && !/\binclude\s*=/.test(body!),
  );
  const adding = paths.some((path) => isSame(path, mirror))
    ? undefined
    : `filesystem_mirror { path = ${JSON.stringify(mirror)} }`;
  const method = excludes[0]?.[1];
  const excluding = method === undefined ? undefined : `exclude = ["${PLUGIN_HOST}/*/*"]`;
  if (adding === undefined && excluding === undefined) return;
  const mend = [
    ...(adding === undefined ? [] : [`add ${adding} to that block`]),
    ...(excluding === undefined ? [] : [`${excluding} to its ${method}`]),
  ].join(", and ");
  yield report(
    "provider_installation",
    `${file} sets where 'terraform init' looks for providers, so it ${adding === undefined ? "also asks other sources" : `does not look in ${mirror}`}: ${adding === undefined ? "add " : ""}${mend}`,
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
