import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { App, LocalBackend, TerraformStack } from "cdktf";
import { Platform } from "../../src/constructs/platform";
import { INCOMPLETE_PROGRAM } from "../../src/contract/hook-interpreter";
import { type Simulator, startSimulator } from "../../src/simulator";
import { cluster, provider, secrets } from "../support/capvs";
import { accessTo } from "../support/service";
import type { Backend } from "../support/tools";
import { backends } from "../support/tools";
import { backendsFor, inRest } from "./test-on-backends";
import { execute } from "./workspace";

/** A plan from one machine is applied on another one that never had the code. */

let simulator: Simulator;
let folder: string;

beforeEach(async () => {
  simulator = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0 });
  folder = mkdtempSync(join(tmpdir(), "cluster-platform-machines-"));
});

afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await simulator.close();
});

/** Copies files without permissions, as an archive does, and without what `init` downloaded. */
function transfer(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.name === ".terraform") continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) transfer(source, target);
    else {
      copyFileSync(source, target);
      chmodSync(target, 0o600);
    }
  }
}

const succeeds =
  ({ binary }: Backend) =>
  async (cwd: string, env: NodeJS.ProcessEnv, ...args: string[]): Promise<string> => {
    const { status, output } = await execute(binary, args, cwd, env, {});
    expect({ status, output }).toEqual({ status: 0, output: expect.anything() });
    return output;
  };

const title = "the synthesized folder and the plan are all that has to travel";
test.each(backendsFor(title, inRest(backends)))(`${title}, on $title`, async (backend) => {
  const run = succeeds(backend);
  const builder = join(folder, "builder");
  mkdirSync(builder);
  const app = new App({ outdir: join(builder, "cdktf.out") });
  const stack = new TerraformStack(app, "test");
  new LocalBackend(stack, { path: join(folder, "state/terraform.tfstate") });
  new Platform(stack, "platform", { engine: backend.engine, pollSeconds: 0.2, deletionProtection: false });
  cluster(stack, "prod", provider(stack));
  app.synth();
  const synthesized = join(builder, "cdktf.out/stacks/test");
  // This machine still has the package, so the test checks that no path leads to it.
  expect(readFileSync(join(synthesized, "cdk.tf.json"), "utf8")).not.toContain(resolve("."));
  await run(synthesized, {}, "init", "-input=false");
  await run(synthesized, {}, "plan", "-input=false", "-out=plan");

  const elsewhere = join(folder, "elsewhere");
  transfer(synthesized, join(elsewhere, "work/stack"));
  renameSync(builder, join(folder, "gone"));

  const env = {
    ...secrets,
    ...accessTo(simulator),
  };
  await run(elsewhere, env, "-chdir=work/stack", "init", "-input=false");
  const assets = join(elsewhere, "work/stack/assets");
  renameSync(assets, join(folder, "assets"));
  const without = await execute(backend.binary, ["-chdir=work/stack", "apply", "-input=false", "plan"], elsewhere, env, {});
  expect(without).toMatchObject({ status: 1, output: expect.stringContaining(INCOMPLETE_PROGRAM) });
  expect(without.output).not.toMatch(/^\W*at /m);
  renameSync(join(folder, "assets"), assets);
  await run(elsewhere, env, "-chdir=work/stack", "apply", "-auto-approve", "-input=false");
  expect(simulator.clusters.map(({ name }) => name)).toEqual(["prod"]);
  expect(await run(elsewhere, env, "-chdir=work/stack", "plan", "-input=false")).toContain("No changes.");
  await run(elsewhere, env, "-chdir=work/stack", "destroy", "-auto-approve", "-input=false");
  expect([...simulator.providers, ...simulator.clusters]).toEqual([]);
});
