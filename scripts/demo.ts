import { spawn } from "node:child_process";
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { showsColours } from "../src/cli/report/output";
import { painter } from "../src/cli/report/text";
import { terraformBinary } from "./terraform-binary.mjs";

/**
 * Plan, apply, show, apply again, remove a construct, see the refusal, allow the deletion, destroy: with the real Terraform
 * against the embedded service. `--keep` stops while everything is running. `--engine provider` uses the package's own
 * Terraform provider.
 */
const root = resolve(import.meta.dirname, "..");
const folder = join(root, ".cache/demo");
const stack = join(folder, "cdktf.out/stacks/quickstart");
const { values: options } = parseArgs({
  options: { keep: { type: "boolean", default: false }, engine: { type: "string", default: "terraform_data" } },
});
const { keep, engine } = options;
const example = join(root, "examples/quickstart/main.ts");
/** The example, or a copy of it with another engine. */
const program = engine === "terraform_data" ? example : join(folder, "main.ts");
const token = "demo-token";
const secrets = { VSPHERE_USERNAME: "svc-clusters", VSPHERE_PASSWORD: "a-password-that-nobody-sees" };

const coloured = showsColours(process.env);
const paint = painter(coloured);
const title = (text: string) => console.log(`\n${paint(["bold", "cyan"], `▶ ${text}`)}\n`);
const note = (text: string) => console.log(paint("dim", text));
const good = (text: string) => console.log(paint("green", `✔ ${text}`));

interface Service {
  readonly url: string;
  readonly pid: number;
  readonly log: string;
}

const ENGINES = ["terraform_data", "null_resource", "provider"] as const;
const isEngine = (name: string): name is (typeof ENGINES)[number] => (ENGINES as readonly string[]).includes(name);
const ENGINE_OF_EXAMPLE = "Engine.TERRAFORM_DATA";

/** The service that the folder's state belongs to. */
const remembered = join(folder, "service.json");
let isKept = false;

async function main(): Promise<void> {
  if (!isEngine(engine)) throw new Error(`--engine must be one of ${ENGINES.join(", ")}, got ${engine}`);
  const terraform = terraformBinary();
  await refuseWhileServiceRuns();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const source = readFileSync(example, "utf8");
  if (program !== example) writeFileSync(program, source.replace(ENGINE_OF_EXAMPLE, `Engine.${engine.toUpperCase()}`));
  const started = Date.now();

  title("The service: an embedded implementation of the whole interface");
  const service = await startService();
  // Terraform warns at every step if TF_CLI_CONFIG_FILE names a missing file.
  if (!existsSync(process.env.TF_CLI_CONFIG_FILE ?? root)) delete process.env.TF_CLI_CONFIG_FILE;
  const env = {
    ...process.env,
    ...secrets,
    CLUSTER_PLATFORM_URL: service.url,
    CLUSTER_PLATFORM_TOKEN: token,
    CHECKPOINT_DISABLE: "1",
    TF_IN_AUTOMATION: "1",
  };
  const tf = (command: string, args: readonly string[] = [], stdout?: "ignore") =>
    run(terraform, [command, "-input=false", ...(coloured ? [] : ["-no-color"]), ...args], stack, env, stdout);
  const synth = (more: NodeJS.ProcessEnv = {}) =>
    run(process.execPath, ["--import", "tsx", program], folder, {
      ...env,
      ...more,
      TSX_TSCONFIG_PATH: join(root, "tsconfig.json"),
    });
  const show = async () => {
    for (const what of ["providers", "clusters"]) {
      console.log(paint("bold", what));
      await run(process.execPath, [join(root, "dist/cli/main.js"), "get", what], folder, env);
      console.log();
    }
  };

  note(`listening at ${service.url}`);

  title("Synthesize examples/quickstart: one provider, one cluster with two worker groups");
  if (program !== example)
    note(`with Engine.${engine.toUpperCase()} in place of ${ENGINE_OF_EXAMPLE}: ${relative(root, program)}`);
  await synth();
  note(`wrote ${relative(root, join(stack, "cdk.tf.json"))}`);

  title(`Plan, with ${terraform}`);
  await tf("init", [], "ignore");
  await tf("plan", ["-out=plan"]);

  const caller =
    engine === "provider" ? "the Terraform provider calls the service and waits" : "the hooks call the service and wait";
  title(`Apply the plan: ${caller} until the cluster is Provisioned`);
  await tf("apply", ["plan"]);

  title("The objects on the service");
  await show();

  if (keep) return leaveRunning(service, terraform);

  title("Apply again: nothing changes");
  await tf("apply", ["-auto-approve"]);

  title("Take the cluster's construct out of the code, and apply: refused, because clusters are protected by default");
  await synth({ WITHOUT_CLUSTER: "1" });
  await tf("apply", ["-auto-approve"]).then(
    () => Promise.reject(new Error("the protected cluster was deleted")),
    () => undefined,
  );

  title('Write allowDeletion: ["prod"] on the Platform, and apply: the service deletes the cluster');
  await synth({ WITHOUT_CLUSTER: "1", ALLOW_DELETION: "prod" });
  await tf("apply", ["-auto-approve"]);
  await show();

  title("Destroy the rest");
  await tf("destroy", ["-auto-approve"]);

  title("The service has no objects left");
  await show();
  const left = await count(service.url);
  if (left !== 0) throw new Error(`${left} objects are still on the service`);
  good(`the service is empty; the demo took ${Math.round((Date.now() - started) / 1000)} s`);
  note("next: read examples/quickstart/main.ts, then README.md; npm run demo -- --keep leaves everything running for you to try");
}

/** The objects of a running service would be in no state. */
async function refuseWhileServiceRuns(): Promise<void> {
  if (!existsSync(remembered)) return;
  const { url, pid } = JSON.parse(readFileSync(remembered, "utf8")) as Service;
  const answers = fetch(url, { signal: AbortSignal.timeout(5_000) }).then(
    () => true,
    ({ name }: Error) => name === "TimeoutError",
  );
  // Another program may have taken the port or the process id by now, but hardly both.
  if (!isAlive(pid) || !(await answers)) return;
  throw new Error(`the service of an earlier run at ${url} is still running. Stop it first:\n\n  kill ${pid}`);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function startService(): Promise<Service> {
  const log = join(folder, "service.log");
  const file = openSync(log, "w");
  const child = spawn(
    process.execPath,
    [join(root, "dist/cli/main.js"), "simulator", "--port", "0", "--provision-seconds", "6"],
    {
      env: { ...process.env, CLUSTER_PLATFORM_TOKEN: token },
      stdio: ["ignore", file, file],
      detached: keep,
    },
  );
  child.unref();
  process.on("exit", () => isKept || child.kill());
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  for (let tries = 0; tries < 100 && child.exitCode === null; tries++) {
    const url = /https?:\/\/127\.0\.0\.1:\d+/.exec(readFileSync(log, "utf8"))?.[0];
    if (url) {
      const service = { url, pid: child.pid!, log };
      writeFileSync(remembered, JSON.stringify(service));
      return service;
    }
    await new Promise((wake) => setTimeout(wake, 100));
  }
  throw new Error(`the embedded service did not start:\n${readFileSync(log, "utf8")}`);
}

async function count(url: string): Promise<number> {
  const get = async (path: string) => (await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })).json();
  const providers = (await get("/api/v1/platform/providers")) as { configs: unknown[] }[];
  const clusters = (await get("/api/v1/clusters")) as { count: number };
  return clusters.count + providers.reduce((sum, { configs }) => sum + configs.length, 0);
}

function leaveRunning(service: Service, terraform: string): void {
  isKept = true;
  // With -chdir, Terraform would look for the provider in the current folder.
  const inStack = (command: string) => `(cd ${relative(process.cwd(), stack)} && ${terraform} ${command})`;
  title("The service and the cluster keep running (--keep)");
  console.log(`To continue by hand, run in this shell:

  export CLUSTER_PLATFORM_URL=${service.url} CLUSTER_PLATFORM_TOKEN=${token}
  export ${Object.entries(secrets)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ")}
  node dist/cli/main.js get clusters
  ${inStack("plan")}

To change something, edit ${relative(process.cwd(), program)}, synthesize it and apply:

  (cd ${relative(process.cwd(), folder)} && npx tsx --tsconfig ../../tsconfig.json ${relative(folder, program)})
  ${inStack("apply")}

The service logs to ${relative(process.cwd(), service.log)}. To end, allow the deletion of the cluster and destroy everything:

  (cd ${relative(process.cwd(), folder)} && ALLOW_DELETION=prod npx tsx --tsconfig ../../tsconfig.json ${relative(folder, program)})
  ${inStack("destroy")}
  kill ${service.pid}
`);
}

function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  stdout: "inherit" | "ignore" = "inherit",
): Promise<void> {
  return new Promise((done, fail) => {
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", stdout, "inherit"] });
    child.on("error", fail);
    child.on("close", (status) => (status === 0 ? done() : fail(new Error(`${command} ${args[0]} ended with ${status}`))));
  });
}

main().catch((error: Error) => {
  console.error(paint("red", `\n✘ ${error.message}`));
  process.exitCode = 1;
});
