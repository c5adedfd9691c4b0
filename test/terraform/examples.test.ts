import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TYPE_CODES } from "../../src/model/provider-type";
import { type Simulator, startSimulator } from "../../src/simulator";
import { accessTo } from "../support/service";
import { terraform } from "../support/tools";
import { execute } from "./workspace";

/** Runs the examples unchanged, as a user does. */

let simulator: Simulator;
let folder: string;

beforeEach(async () => {
  simulator = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0 });
  folder = mkdtempSync(join(tmpdir(), "cluster-platform-example-"));
});

afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await simulator.close();
});

async function run(args: readonly string[], stack: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { status, output } = await execute(terraform, args, join(folder, "stacks", stack), env, {});
  if (status !== 0) throw new Error(output);
  return output;
}

/** Synthesizes and applies an example. Returns the environment for further runs. */
async function apply(example: string, secrets: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> {
  const synth = spawnSync(process.execPath, ["--import", "tsx", `examples/${example}/main.ts`], {
    env: { ...process.env, CDKTF_OUTDIR: folder },
    encoding: "utf8",
  });
  expect(synth.stderr).toBe("");
  const env = { ...secrets, ...accessTo(simulator) };
  await run(["init", "-input=false", `-backend-config=path=${join(folder, "terraform.tfstate")}`], example, env);
  await run(["apply", "-auto-approve", "-input=false"], example, env);
  return env;
}

/** Destroys an example as if its Platform had `deletionProtection: false`. */
async function destroy(example: string, env: NodeJS.ProcessEnv): Promise<void> {
  const file = join(folder, "stacks", example, "cdk.tf.json");
  const [byDefault, never] = [["*/clusters/*"], []].map((value) => escaped(`"deletionProtection":${JSON.stringify(value)}`));
  writeFileSync(file, readFileSync(file, "utf8").replaceAll(byDefault!, never!));
  await run(["destroy", "-auto-approve", "-input=false"], example, env);
}

const escaped = (text: string) => JSON.stringify(text).slice(1, -1);

test("all-types: one provider and one cluster of each type are applied, need no change, and are destroyed", async () => {
  const sourced = spawnSync("sh", ["-c", ". examples/all-types/.env.example && env -0"], { encoding: "utf8", env: {} });
  const env = await apply("all-types", Object.fromEntries(sourced.stdout.split("\0").map((line) => line.split(/=(.*)/s))));

  expect(simulator.providers.map(({ type }) => type).sort()).toEqual([...TYPE_CODES].sort());
  expect(simulator.clusters.map(({ type }) => type).sort()).toEqual([...TYPE_CODES].sort());
  expect(await run(["plan", "-input=false", "-detailed-exitcode"], "all-types", env)).toContain("No changes.");

  await destroy("all-types", env);
  expect([...simulator.providers, ...simulator.clusters]).toEqual([]);
});

test("bare-metal: two thousand hosts arrive, each with its labels, and are readable in the state", async () => {
  const env = await apply("bare-metal", { HALL_SSH_PRIVATE_KEY: "key of the hall" });

  const [hall] = simulator.requests.filter(({ method, path }) => method === "POST" && path.endsWith("/providers/capsmv2"));
  const { hosts } = hall!.body as { hosts: { address: string; labelsSelector: Record<string, string> }[] };
  expect(hosts).toHaveLength(2000);
  expect(hosts[1999]).toEqual({
    address: "10.64.39.59",
    labelsSelector: { role: "worker", rack: "r39", "inventory.example.com/m01999": "true" },
    credentials: null,
  });
  expect(readFileSync(join(folder, "terraform.tfstate"), "utf8")).toContain(
    String.raw`"hosts[\"10.64.39.59\"].labels.rack": "r39"`,
  );
  expect(await run(["plan", "-input=false", "-detailed-exitcode"], "bare-metal", env)).toContain("No changes.");

  await destroy("bare-metal", env);
  expect([...simulator.providers, ...simulator.clusters]).toEqual([]);
});
