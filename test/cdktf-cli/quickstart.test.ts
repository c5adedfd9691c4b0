import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Simulator, startSimulator } from "../../src/simulator";
import { Consumer, PEERS, Tarball, TSX } from "../package/consumer";
import { secrets } from "../support/capvs";
import { accessTo, happenedOn } from "../support/service";
import { Project } from "./project";

/**
 * Drives the quickstart with the packed package and the real cdktf command line. The project begins with CommonJS and switches
 * to ES modules while its stack is deployed.
 */

let tarball: Tarball;
let consumer: Consumer;
let simulator: Simulator;
let project: Project;

beforeAll(async () => {
  tarball = new Tarball();
  simulator = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0 });
  consumer = new Consumer()
    .install(tarball.path, ...PEERS)
    .copy("examples/quickstart/main.ts", "main.ts")
    .write({
      "cdktf.json": JSON.stringify({
        language: "typescript",
        app: `node ${resolve("node_modules", TSX)} main.ts`,
        projectId: "quickstart",
        sendCrashReports: "false",
      }),
      "preload.cjs": 'console.log("required out"); console.error("required err");',
      "preload.mjs": 'console.log("imported out"); console.error("imported err");',
    });
  const preload = (file: string) => join(consumer.folder, file);
  project = new Project(
    {
      ...accessTo(simulator),
      ...secrets,
      // Loaded by cdktf, the quickstart and the hooks.
      NODE_OPTIONS: `--require ${preload("preload.cjs")} --import ${preload("preload.mjs")}`,
    },
    consumer.folder,
  );
});

afterAll(async () => {
  consumer.remove();
  tarball.remove();
  await simulator.close();
});

let env: NodeJS.ProcessEnv = {};

const succeeds = async (...args: string[]) => {
  const { status, output } = await project.cdktf(args, { env });
  expect({ status, output }).toEqual({ status: 0, output });
  return output;
};
/** The creations and deletions during a run of cdktf. */
const happensIn = async (...args: string[]) => {
  const before = happenedOn(simulator).length;
  await succeeds(...args);
  return happenedOn(simulator).slice(before);
};
const edit = (from: string, to: string) => {
  const text = consumer.read("main.ts");
  expect(text).toContain(from);
  consumer.write({ "main.ts": text.replace(from, to) });
};

test("cdktf diff shows the creations and creates nothing", async () => {
  const diff = await succeeds("diff");
  // cdktf prints the construct's path after the address.
  expect(diff).toMatch(/terraform_data\.capvs_clusters \(.*\)\["prod"\] will be created/);
  expect(diff).toMatch(/\+ "controlPlane\.count" += "3"/);
  expect(diff).toMatch(/\d to add, 0 to change, 0 to destroy/);
  expect(simulator.requests).toEqual([]);
});

test("cdktf deploy shows the output of hooks as they run", async () => {
  // The cluster becomes ready only after its creation is shown. If cdktf held the output back, the test would time out.
  simulator.timing.provisionSeconds = 1_000;
  const { status, output } = await project.cdktf(["deploy", "--auto-approve"], {
    started: ({ stdout }) => {
      stdout!.on("data", (data: Buffer) => {
        if (data.toString().includes("cluster prod: created after")) simulator.timing.provisionSeconds = 0;
      });
    },
  });
  expect(status).toBe(0);
  expect(happenedOn(simulator)).toEqual(["+vsphere-eu", "+prod"]);
  expect(output).toContain("cluster prod is ready after");
  // The hooks have loaded the modules of NODE_OPTIONS.
  expect(output).toContain("(local-exec): imported out");
});

test("cdktf destroy is refused while the cluster is protected, and the refusal has the line to change", async () => {
  const destroy = () => project.cdktf(["destroy", "--auto-approve"]);
  const first = await destroy();
  // On a busy machine, cdktf may end before it has printed Terraform's error. The refusal changes nothing, so it comes again.
  const { status, output } = first.output.includes("Error: local-exec provisioner error") ? first : await destroy();
  expect([first.status, status]).toEqual([1, 1]);
  expect(output.replace(/\s*\n[│\s]*/g, " ")).toContain("write deletionProtection: false on the Platform and destroy again");
  expect(happenedOn(simulator)).toHaveLength(2);
  edit("engine: Engine.TERRAFORM_DATA", "engine: Engine.TERRAFORM_DATA, deletionProtection: false");
  expect(await happensIn("deploy", "--auto-approve")).toEqual([]);
});

test("a deployed stack can be destroyed after the project has switched to ES modules", async () => {
  consumer.write({ "package.json": JSON.stringify({ ...JSON.parse(consumer.read("package.json")), type: "module" }) });
  expect(await happensIn("destroy", "--auto-approve", "--skip-synth")).toEqual(["-prod", "-vsphere-eu"]);
});

test("cdktf synth shows warnings and succeeds", async () => {
  edit("count: 3, cpus: 4", "count: 2, cpus: 4");
  expect(await succeeds("synth")).toContain("'controlPlane.count' is 2, which survives the loss of 0 nodes");
});

test("a project of ES modules deploys, changes and destroys in the same way, with a secret from a file", async () => {
  edit('Secret.fromEnv("VSPHERE_PASSWORD")', 'Secret.fromFile("keys/vsphere")');
  mkdirSync(join(consumer.folder, "keys"));
  consumer.write({ "keys/vsphere": "from-the-project" });
  expect(await happensIn("deploy", "--auto-approve")).toEqual(["+vsphere-eu", "+prod"]);
  expect(JSON.stringify(simulator.requests)).toContain("from-the-project");
  edit("diskGib: 100", "diskGib: 120");
  expect(await happensIn("deploy", "--auto-approve")).toEqual(["-prod", "+prod"]);
  expect(await happensIn("destroy", "--auto-approve")).toEqual(["-prod", "-vsphere-eu"]);
  expect([...simulator.providers, ...simulator.clusters]).toEqual([]);
});

test("the provider deploys and destroys in the same way, without a flag, a registry or a configuration", async () => {
  consumer.write({ "cli.tfrc": "" });
  env = { TF_CLI_CONFIG_FILE: join(consumer.folder, "cli.tfrc") };
  edit("Engine.TERRAFORM_DATA", "Engine.PROVIDER");
  expect(await succeeds("diff")).toContain("3 to add, 0 to change, 0 to destroy");
  expect(await happensIn("deploy", "--auto-approve")).toEqual(["+vsphere-eu", "+prod"]);

  // Without its state, the stack imports what it has created.
  rmSync(join(project.folder, "terraform.quickstart.tfstate"));
  edit('new CapvsCluster(this, "prod", {', 'vsphere.importFrom();\n      const prod = new CapvsCluster(this, "prod", {');
  edit(
    "        ],\n      });\n",
    '        ],\n      });\n      prod.importFrom();\n      new TerraformOutput(this, "endpoint", { value: prod.endpoint });\n',
  );
  edit("import { App, TerraformStack }", "import { App, TerraformOutput, TerraformStack }");
  expect(await happensIn("deploy", "--auto-approve")).toEqual([]);
  expect(await succeeds("output")).toMatch(/endpoint = "?10\.20\.0\.10/);
  expect(await happensIn("destroy", "--auto-approve")).toEqual(["-prod", "-vsphere-eu"]);
  expect([...simulator.providers, ...simulator.clusters]).toEqual([]);
});
