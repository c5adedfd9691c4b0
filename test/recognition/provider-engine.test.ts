import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, TerraformStack } from "cdktf";
import { Engine, Platform } from "cdktf-cluster-platform";
import { filesInFolder } from "../../src/cli/review/plan/configuration-files";
import { pluginMirrorIn, zipName } from "../../src/contract/plugin-package";
import { foreignParts } from "../../src/recognition/recognize";
import { cluster, provider } from "../support/capvs";

interface Stack {
  terraform: { required_providers: Record<string, { source: string; version: string }> };
  provider: { clusterplatform: Record<string, unknown>[] };
  resource: Record<string, Record<string, Record<string, unknown>>>;
}

let outdir: string;
let folder: string;
beforeAll(() => {
  outdir = mkdtempSync(join(tmpdir(), "cluster-platform-foreign-"));
  folder = join(outdir, "stacks/stack");
  const app = new App({ outdir });
  const platform = new Platform(new TerraformStack(app, "stack"), "platform", { engine: Engine.PROVIDER });
  cluster(platform, "prod", provider(platform));
  app.synth();
});
afterAll(() => rmSync(outdir, { recursive: true, force: true }));

/** Undoes the change afterwards. */
function problems(edit: (stack: Stack) => unknown): string[] {
  const file = join(folder, "cdk.tf.json");
  const text = readFileSync(file, "utf8");
  const stack = JSON.parse(text) as Stack;
  edit(stack);
  writeFileSync(file, JSON.stringify(stack, null, 2));
  try {
    return foreignParts(filesInFolder(folder)).map(({ address, problem }) => `${address} ${problem}`);
  } finally {
    writeFileSync(file, text);
  }
}
const prod = ({ resource }: Stack) => resource.clusterplatform_capvs_cluster!.prod!;
const block = ({ provider: { clusterplatform } }: Stack) => clusterplatform[0]!;

test.each<[string, (stack: Stack) => unknown, string[]]>([
  ["nothing", () => undefined, []],
  [
    "values that the plan shows",
    (stack) => Object.assign(prod(stack), { api_endpoint: "192.168.0.9", lifecycle: { prevent_destroy: true } }),
    [],
  ],
  [
    "a removed block of an object",
    (stack) => Object.assign(stack, { removed: [{ from: "clusterplatform_capvs_cluster.gone", lifecycle: { destroy: false } }] }),
    [],
  ],
  [
    "a provisioner of an object",
    (stack) => (prod(stack).provisioner = [{ "local-exec": { command: "true" } }]),
    ["clusterplatform_capvs_cluster.prod has 'provisioner', which this package does not write"],
  ],
  [
    "many objects",
    (stack) => (prod(stack).count = 2),
    ["clusterplatform_capvs_cluster.prod has 'count', which this package does not write"],
  ],
  [
    "a protection that only Terraform can evaluate",
    (stack) => (block(stack).deletion_protection = "${var.none}"),
    ["provider.clusterplatform has another 'deletion_protection' than this package writes"],
  ],
  [
    "an object that the provider block does not declare",
    (stack) => (block(stack).declared as string[]).pop(),
    ["provider.clusterplatform has another 'declared[0]' than this package writes, and 1 more"],
  ],
  [
    "another source",
    ({ terraform }) => (terraform.required_providers.clusterplatform!.source = "evil.example.com/x/clusterplatform"),
    ["required_providers.clusterplatform has another 'source' than this package writes"],
  ],
  [
    "another version",
    ({ terraform }) => (terraform.required_providers.clusterplatform!.version = "9.9.9"),
    ["required_providers.clusterplatform has another 'version' than this package writes"],
  ],
  [
    "a wait for fewer objects",
    ({ resource }) => (resource.clusterplatform_ready!.ready!.objects = {}),
    ["clusterplatform_ready.ready lacks 'objects.capvs/clusters/prod', which this package writes, and 1 more"],
  ],
])("%s", (_, edit, expected) => expect(problems(edit)).toEqual(expected));

test("only what is foreign is reported", () => {
  expect(problems(() => undefined)).toEqual([]);
  expect(problems((stack) => (prod(stack).count = 2))).toHaveLength(1);
});

test("another file of the Terraform provider", () => {
  const mirror = pluginMirrorIn(folder);
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  // Terraform finds both.
  const zip = zipName(version, "linux_amd64");
  const planted = join(version, "linux_arm64");
  rmSync(join(mirror, zip));
  writeFileSync(join(mirror, zip), "");
  mkdirSync(join(mirror, planted), { recursive: true });
  writeFileSync(join(mirror, planted, "terraform-provider"), "");
  expect(problems(() => undefined)).toEqual(
    [join(planted, "terraform-provider"), zip].map((path) =>
      expect.stringContaining(`${path} is not the Terraform provider of this version of the package`),
    ),
  );
});
