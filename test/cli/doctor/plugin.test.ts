import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { Engine } from "../../../src/constructs/engine";
import { Platform } from "../../../src/constructs/platform";
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
const OF_PLUGIN = ["Terraform provider", "lock file", "provider_installation"];

test("finds nothing where nothing is wrong", async () => {
  const before = await doctor({ NODE_OPTIONS: `--require=${printing()}` });
  expect(rows(before.output, ...OF_PLUGIN)).toEqual([
    `good   Terraform provider: ${version} is in ${zip()} and starts`,
    "good   lock file: has the hash of the Terraform provider",
  ]);
  expect(before.output).toContain("2 of the 2 that the stack needs are available");
  expect(await doctor({ VSPHERE_PASSWORD: "" })).toMatchObject({
    output: expect.stringContaining(
      "WRONG  environment variable VSPHERE_PASSWORD: test/provider-vsphere (password) needs it, but",
    ) as string,
  });
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
const replaceIn = (file: string, from: RegExp, to: string) => writeFileSync(file, readFileSync(file, "utf8").replace(from, to));

type Breakage = [what: string, breakIt: () => NodeJS.ProcessEnv | void, message: RegExp];

const breakages: readonly Breakage[] = [
  ["a file is gone", () => inZip("main.cjs"), /WRONG.* does not start .*or synthesize again/],
  [
    "somebody has changed a file",
    () => inZip("main.cjs", (text) => `${text}\n`),
    /WRONG {2}lock file: .* does not have the version and the hash in \S+, .*: synthesize again/,
  ],
];

const moreBreakages: readonly Breakage[] = [
  ["the mirror is gone", () => rmSync(inStack("terraform.d"), { recursive: true }), /WRONG.*\.zip is missing: synthesize again/],
  [
    "the mirror has another version",
    () => renameSync(zip(), inStack(MIRROR, zipOf("9.9.9"))),
    /WRONG.*\.zip is missing: synthesize again/,
  ],
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
    /WRONG {2}lock file: .* does not have the version and the hash in \S+, .*: synthesize again/,
  ],
  [
    "hidden files were not carried along",
    () => rmSync(inStack(".terraform.lock.hcl")),
    /check {2}lock file: \S+ is missing or .*, perhaps because hidden files/,
  ],
];

test.each(breakages)("finds that %s", finds);
testOnceInRest.each(moreBreakages)("finds that %s", finds);

async function finds(_: string, breakIt: Breakage[1], message: RegExp): Promise<void> {
  const env = breakIt() ?? {};
  const { status, output } = await doctor(env);
  expect(rows(output, ...OF_PLUGIN)).toContainEqual(expect.stringMatching(message));
  if (/WRONG/.test(message.source)) expect(status).toBe(2);
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
  const [, mirror, exclude] =
    /^WRONG .* needs (filesystem_mirror .*), and in each direct and network_mirror (exclude = .*)$/.exec(found!)!;

  configure(mirror!, "direct {}");
  expect(await row()).toEqual([expect.stringContaining(exclude!)]);
  configure(mirror!);
  expect(await row()).toEqual([]);
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
