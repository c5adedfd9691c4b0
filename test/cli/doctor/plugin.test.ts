import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { TerraformVariable } from "cdktf";
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { Engine } from "../../../src/constructs/engine";
import { Platform } from "../../../src/constructs/platform";
import type { PlatformProps } from "../../../src/constructs/platform-props";
import { Secret } from "../../../src/constructs/secret";
import { type Simulator, startSimulator } from "../../../src/simulator";
import { cluster, provider, secrets } from "../../support/capvs";
import { accessTo } from "../../support/service";
import { terraform } from "../../support/tools";
import { testOnceInRest } from "../../terraform/test-on-backends";
import { execute, Workspace } from "../../terraform/workspace";
import { clusterPlatform } from "../command";
import { thisSystem } from "../../../src/contract/plugin-package";

/** Each case damages real files of a synthesized stack, and doctor must name the problem. */

const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
const MIRROR = "terraform.d/plugins/cluster-platform.invalid/cdktf/clusterplatform";
const zipOf = (ofVersion: string) => `terraform-provider-clusterplatform_${ofVersion}_${thisSystem()}.zip`;
const LAUNCHER = `terraform-provider-clusterplatform_v${version}`;

let simulator: Simulator;
let workspace: Workspace;

beforeEach(async () => {
  simulator = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0 });
  workspace = new Workspace({ ...accessTo(simulator), ...secrets });
  declareProd();
});
afterEach(async () => {
  workspace.remove();
  await simulator.close();
});

const declareProd = () =>
  workspace.synth((stack) => {
    new Platform(stack, "platform", { engine: Engine.PROVIDER, pollSeconds: 0.1, deletionProtection: ["prod"] });
    cluster(stack, "prod", provider(stack));
  });
const inStack = (...path: string[]) => join(workspace.stackFolder, ...path);
const zip = () => inStack(MIRROR, zipOf(version));
/** Without an edit, the file is removed. */
const inZip = (file: string, edit?: (text: string) => string) => {
  const files = unzipSync(readFileSync(zip()));
  if (edit) files[file] = strToU8(edit(strFromU8(files[file]!)));
  else delete files[file];
  // The files of other systems are links to the same one.
  rmSync(zip());
  writeFileSync(zip(), zipSync(files));
};
const doctor = (env: NodeJS.ProcessEnv = {}, ...args: string[]) =>
  clusterPlatform(["doctor", "--terraform", terraform, "--stack", workspace.stackFolder, ...args], {
    ...workspace.env,
    HOME: workspace.folder,
    // The configuration of the tests names the folder of another plugin.
    TF_CLI_CONFIG_FILE: undefined,
    ...env,
  });
const rows = (output: string, ...subjects: string[]) =>
  output.split("\n").filter((line) => subjects.some((subject) => line.slice(7).startsWith(`${subject}:`)));
const OF_PLUGIN = ["Terraform provider", "lock file", "provider_installation", "TF_CLI_ARGS_init"];

test("finds nothing where nothing is wrong", async () => {
  const before = await doctor({ NODE_OPTIONS: `--require=${printing()}` });
  expect(rows(before.output, ...OF_PLUGIN)).toEqual([
    `good   Terraform provider: ${version} is in ${zip()} and starts`,
    "good   lock file: has the hash of the Terraform provider",
    `check  Terraform provider: Terraform has not installed it yet: run 'terraform init' with ${workspace.stackFolder} as the current folder. With -chdir, Terraform does not find it`,
  ]);
  expect(before.output).toContain("2 of the 2 that the stack needs are available");
  expect(await doctor({ VSPHERE_PASSWORD: "" })).toMatchObject({
    output: expect.stringContaining(
      "WRONG  environment variable VSPHERE_PASSWORD: test/provider-vsphere (password) needs it, but",
    ) as string,
  });
});

testOnceInRest("compares what the state and the service have after an apply, and an edit of the code", async () => {
  expect(await workspace.apply()).toMatchObject({ status: 0 });
  const applied = await doctor();
  expect(applied.output).toContain("good   state: 2 objects, and the service has all of them unchanged");
  expect(applied.output).toMatch(/\nReady to apply\.\n$/);
  const state = join(workspace.folder, "state.json");
  writeFileSync(state, (await workspace.run(["show", "-json"], { quiet: true })).output);

  const withoutProd = (props: PlatformProps) =>
    workspace.synth((stack) => {
      new Platform(stack, "platform", { engine: Engine.PROVIDER, ...props });
      provider(stack);
    });
  withoutProd({ deletionProtection: ["prod"] });
  expect((await doctor()).output).toContain(
    'WRONG  deletionProtection: capvs/clusters/prod left the code and is protected: an apply will fail. To delete it, write allowDeletion: ["prod"]',
  );
  withoutProd({ deletionProtection: false });
  expect((await doctor()).output).toContain(
    "WRONG  deletionProtection: capvs/clusters/prod left the code and is still protected in the state: a plan will fail. To delete it, " +
      'write allowDeletion: ["prod"] on the Platform in the same change. Only the state protects the object: ' +
      "if the code no longer does, first apply the code without this deletion, which removes the protection from the state",
  );
  const plan = await workspace.run(["plan", "-input=false"]);
  expect(plan).toMatchObject({ status: 1, output: expect.stringContaining("[PROTECTED]") as string });
  declareProd();
  simulator.remove("clusters", "capvs", "prod");
  expect(await doctor()).toMatchObject({
    status: 0,
    output: expect.stringContaining(
      "check  state: capvs/clusters/prod is in the state but not on the service: an apply creates it again",
    ) as string,
  });
  // What is gone needs no permission, although Terraform plans a removal before it reads the object.
  withoutProd({ deletionProtection: ["prod"] });
  expect((await doctor()).output).toMatch(/\nReady to apply\.\n$/);
  expect(await workspace.run(["plan", "-input=false"])).toMatchObject({ status: 0 });
  workspace.synth((stack) => {
    new Platform(stack, "platform", { engine: Engine.TERRAFORM_DATA });
    provider(stack);
  });
  expect((await doctor()).output).toMatch(/check {2}engine: \S+ has the Terraform provider of Engine\.PROVIDER, and the code/);
  expect((await doctor({}, "--state", state)).output).toMatch(/WRONG {2}engine: the state has .* with Engine\.PROVIDER/);
});

/** A module that prints where Terraform reads the plugin's first line. */
function printing(): string {
  const file = join(workspace.folder, "printing.cjs");
  writeFileSync(file, 'console.log("preloaded");\n');
  return file;
}

const withoutNode = () => {
  const folder = join(workspace.folder, "bin");
  mkdirSync(folder);
  for (const program of ["sh", "cat"]) symlinkSync(located(program), join(folder, program));
  return { PATH: folder };
};
const located = (program: string) => execFileSync("/bin/sh", ["-c", `command -v ${program}`], { encoding: "utf8" }).trim();
const inJson = (edit: (stack: { terraform: { required_providers: object } }) => void) => {
  const stack = JSON.parse(readFileSync(inStack("cdk.tf.json"), "utf8")) as { terraform: { required_providers: object } };
  edit(stack);
  writeFileSync(inStack("cdk.tf.json"), JSON.stringify(stack));
};
const replaceIn = (file: string, from: RegExp, to: string) => writeFileSync(file, readFileSync(file, "utf8").replace(from, to));

type Breakage = [what: string, breakIt: () => NodeJS.ProcessEnv | void, message: RegExp];

const breakages: readonly Breakage[] = [
  ["a file is gone", () => inZip("main.cjs"), /WRONG.* does not start .*or synthesize again/],
  [
    "somebody has changed a file",
    () => inZip("main.cjs", (text) => `${text}\n`),
    /WRONG {2}lock file: .* does not have the hash in \S+, .*: synthesize again/,
  ],
];

const moreBreakages: readonly Breakage[] = [
  [
    "the mirror is gone",
    () => rmSync(inStack("terraform.d"), { recursive: true }),
    /WRONG.*: terraform\.d\/plugins is missing below .*: synthesize again/,
  ],
  [
    "the mirror has another version",
    () => renameSync(zip(), inStack(MIRROR, zipOf("9.9.9"))),
    /WRONG.*: terraform-provider-\S+\.zip is not in \S+, which has .*_9\.9\.9_\S+: synthesize again/,
  ],
  ["the mirror is of other machines", () => rmSync(zip()), /WRONG.*\.zip is not in \S+, which has .*: synthesize again/],
  [
    "the zip file is cut off",
    () => {
      const whole = readFileSync(zip());
      rmSync(zip());
      writeFileSync(zip(), whole.subarray(0, 1000));
    },
    /WRONG.*\.zip cannot be unpacked \(.*\): synthesize again/,
  ],
  [
    // The kernel gives the same error for a file system with noexec and for an interpreter without the executable bit.
    "the file system executes nothing",
    () => inZip(LAUNCHER, () => `#!${inStack("cdk.tf.json")}\n`),
    /WRONG.*no program can be executed in .*noexec/,
  ],
  ["there is no node", withoutNode, /WRONG.* does not start \(The provider needs Node\.js, and there is no 'node' on the PATH/],
  [
    "NODE_OPTIONS break node",
    () => ({ NODE_OPTIONS: "--require ./package.json" }),
    /WRONG.* does not start \(Error: Cannot find module '\.\/package\.json'\): .* NODE_OPTIONS=--require/,
  ],
  ["a file is cut off", () => inZip("main.cjs", () => "const a = {"), /WRONG.* does not start \(SyntaxError: /],
  [
    "the lock file is of another version",
    () => replaceIn(inStack(".terraform.lock.hcl"), /version( +)= "[^"]*"/, 'version$1= "0.0.1"'),
    /WRONG {2}lock file: \S+ has version 0\.0\.1 .* requires \S+: synthesize again/,
  ],
  [
    "hidden files were not carried along",
    () => rmSync(inStack(".terraform.lock.hcl")),
    /check {2}lock file: \S+ is missing, perhaps because hidden files/,
  ],
  [
    "the stack has other providers, too",
    () =>
      inJson(({ terraform: { required_providers: all } }) =>
        Object.assign(all, { aws: { source: "aws" }, null: { source: "hashicorp/null" } }),
      ),
    /check {2}lock file: it does not have aws, hashicorp\/null: run 'terraform init', or 'cdktf deploy --skip-provider-lock'/,
  ],
  [
    "an option names another folder",
    () => ({ TF_CLI_ARGS_init: "-upgrade -plugin-dir=/opt/plugins" }),
    /WRONG {2}TF_CLI_ARGS_init: -plugin-dir prevents 'terraform init' from looking in .*: remove it/,
  ],
];

test.each(breakages)("finds that %s", finds);
testOnceInRest.each(moreBreakages)("finds that %s", finds);

async function finds(_: string, breakIt: Breakage[1], message: RegExp): Promise<void> {
  const env = breakIt() ?? {};
  const { status, output } = await doctor(env);
  expect(rows(output, ...OF_PLUGIN)).toContainEqual(expect.stringMatching(message));
  if (/WRONG/.test(message.source)) expect(status).toBe(1);
}

testOnceInRest("prints what makes a CLI configuration find the plugin", async () => {
  const file = join(workspace.folder, "terraform.rc");
  const env = { TF_CLI_CONFIG_FILE: file };
  const init = async () => (await execute(terraform, ["init", "-input=false"], workspace.stackFolder, env, {})).status;
  const configure = (...methods: string[]) => writeFileSync(file, `provider_installation {\n  ${methods.join("\n  ")}\n}\n`);
  const row = async () => rows((await doctor(env)).output, "provider_installation");

  configure('filesystem_mirror { path = "/usr/share/terraform/plugins" } # cluster-platform.invalid', "direct {}");
  const [found] = await row();
  expect(await init()).not.toBe(0);
  const [, mirror, exclude] = /^WRONG .*: add (filesystem_mirror .*) to that block, and (exclude = .*) to its direct$/.exec(
    found!,
  )!;

  configure(mirror!, "direct {}");
  expect(await row()).toEqual([expect.stringContaining(`also asks other sources: add ${exclude} to its direct`)]);
  configure(mirror!, `direct { ${exclude} }`);
  expect(await row()).toEqual([]);
  expect(await init()).toBe(0);

  // Without a variable, Terraform looks in the home folder.
  configure("direct {}");
  renameSync(file, join(workspace.folder, ".terraformrc"));
  const [installed] = rows((await doctor()).output, "provider_installation");
  // It has no effect on an apply, because Terraform has installed the provider.
  expect(installed).toMatch(/^check /);
});

testOnceInRest("finds that Terraform is too old for Secret.fromToken", async () => {
  workspace.synth((stack) => {
    new Platform(stack, "platform", { engine: Engine.PROVIDER });
    const token = Secret.fromToken(new TerraformVariable(stack, "password", { sensitive: true }).stringValue);
    provider(stack, "vsphere", { password: token, bodyOverrides: { labels: { api: token } } });
  });
  const saying = async (version: string) => {
    const program = join(workspace.folder, "program");
    const script = `[ "$1" = version ] && exec echo "${version}"; exec ${terraform} "$@"`;
    writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return rows((await doctor({}, "--terraform", program)).output, program).map((row) => row.replace(/^(\w+) +\S+ /, "$1 "));
  };
  const refused = (version: string, field: string) =>
    `WRONG ${version} would store the value of Secret.fromToken in its state, so Engine.PROVIDER refuses it in test/provider-vsphere (${field}): ` +
    "install Terraform 1.11 or OpenTofu 1.11, or newer, or use Secret.fromEnv or Secret.fromFile";

  expect(await saying("OpenTofu v1.10.6")).toEqual([
    "good OpenTofu v1.10.6",
    refused("OpenTofu v1.10.6", "password"),
    refused("OpenTofu v1.10.6", "bodyOverrides.labels.api"),
  ]);
  expect(await saying("Terraform v1.11.0")).toEqual(["good Terraform v1.11.0"]);
});
