import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { Engine } from "../../src/constructs/engine";
import { type Simulator, startSimulator } from "../../src/simulator";
import { Project } from "../cdktf-cli/project";
import { secrets } from "../support/capvs";
import { accessTo, happenedOn } from "../support/service";
import { StateServer } from "../support/state-server";
import { engines, terraform } from "../support/tools";
import { execute } from "../terraform/workspace";
import { Consumer, PEERS, Tarball, TSX } from "./consumer";
import { before, clusters } from "./existing-project";
import { forCdktn } from "./for-cdktn";

/** A deployed stack changes from cdktf to CDK Terrain, each with its real command line. */

let tarball: Tarball;
let simulator: Simulator;
let states: StateServer;
let deployed: Consumer;
let changed: Consumer;
/** The newest Node, because cdktn-cli needs a newer one than this package. */
let node: string;

beforeAll(async () => {
  const newNode = 'import("./scripts/new-node.mjs").then(async ({ newNode }) => console.log((await newNode()).folder))';
  node = join(execFileSync(process.execPath, ["-e", newNode], { encoding: "utf8" }).trim(), "node");
  tarball = new Tarball();
  simulator = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0 });
  states = await StateServer.start();
});

beforeEach(() => {
  const app = `node ${resolve("node_modules", TSX)} main.ts`;
  const settings = { "cdktf.json": JSON.stringify({ language: "typescript", app, sendCrashReports: "false" }) };
  deployed = new Consumer().write(settings).install(tarball.path, ...PEERS);
  changed = new Consumer().write(settings).install(tarball.path, "cdktn@^0.24", "cdktn-cli@^0.24", "constructs@~10.6");
});

afterEach(() => {
  for (const project of [deployed, changed]) project.remove();
});

afterAll(async () => {
  tarball.remove();
  await states.close();
  await simulator.close();
});

const ownNullProvider = /^import .*@cdktf\/provider-null.*\n|^ +new (NullProvider|Resource)\(.*\n/gm;

test.each([...engines, Engine.PROVIDER])("with %s, the plan is empty, and a review finds nothing foreign", async (engine) => {
  const program = before.replace(ownNullProvider, "");
  const used = clusters.replace("pollSeconds", `engine: "${engine}" as never, pollSeconds`);
  deployed.write({ "main.ts": program, "clusters.ts": used });
  changed.write({ "main.ts": forCdktn(program), "clusters.ts": forCdktn(used) });

  // With the configuration of the null plugin, Terraform would not look for a plugin in the stack's folder.
  const plugins = engine === Engine.PROVIDER ? { TF_CLI_CONFIG_FILE: "" } : {};
  const env = { ...accessTo(simulator), ...secrets, STATE_ADDRESS: `${states.url}/shop`, ...plugins };
  const cdktf = new Project(env, deployed.folder);
  const cdktn = new Project(env, changed.folder, [node, join(changed.folder, "node_modules/cdktn-cli/bundle/bin/cdktn.js")]);
  const run = async (project: Project, command: string, ...options: string[]) => {
    const { status, output } = await project.cdktf([command, "--skip-provider-lock", ...options]);
    expect({ status, output }).toEqual({ status: 0, output: expect.anything() });
    return output;
  };

  await run(cdktf, "deploy", "--auto-approve");
  expect(happenedOn(simulator).slice(-2)).toEqual(["+vsphere", "+prod"]);
  expect(await run(cdktn, "diff")).toContain("No changes.");

  const stack = join(changed.folder, "cdktf.out/stacks/shop");
  expect((await execute(terraform, ["plan", "-input=false", "-out=plan"], stack, env, {})).output).toContain("No changes.");
  const review = ["review", join(stack, "plan"), "--format", "json"];
  const { status, output } = await changed.node(["node_modules/.bin/cluster-platform", ...review]);
  expect({ status, notes: (JSON.parse(output) as { notes: unknown }).notes }).toEqual({ status: 0, notes: [] });

  await run(cdktn, "destroy", "--auto-approve");
  expect(happenedOn(simulator).slice(-2)).toEqual(["-prod", "-vsphere"]);
});
