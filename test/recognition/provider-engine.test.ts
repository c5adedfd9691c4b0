import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, TerraformStack } from "cdktf";
import { Engine, Platform } from "cdktf-cluster-platform";
import { filesInFolder } from "../../src/cli/review/plan/configuration-files";
import { pluginMirrorIn, zipName } from "../../src/contract/plugin-package";
import { foreignPlaces } from "../../src/recognition/recognize";
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
    return foreignPlaces(filesInFolder(folder)).map(({ address, problem }) => `${address} ${problem}`);
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
    ["provider.clusterplatform lacks 'declared[1]', which this package writes"],
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

const OTHER = "is not the Terraform provider of this version of cdktf-cluster-platform";

describe("the files of the Terraform provider:", () => {
  const mirror = () => pluginMirrorIn(folder);
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  const zip = () => join(mirror(), zipName(version, "linux_amd64"));
  let own: Buffer;
  beforeEach(() => (own = readFileSync(zip())));
  afterEach(() => {
    // The others are links to the first one.
    rmSync(zip(), { force: true });
    writeFileSync(zip(), own);
    rmSync(join(mirror(), version), { recursive: true, force: true });
  });

  test.each<[string, () => void]>([
    ["another one", () => (rmSync(zip()), writeFileSync(zip(), ""))],
    ["none", () => rmSync(zip())],
    // Terraform finds it, too.
    [
      "a folder with one",
      () => {
        const planted = join(mirror(), version, "linux_arm64");
        mkdirSync(planted, { recursive: true });
        writeFileSync(join(planted, "terraform-provider"), "");
      },
    ],
  ])("%s", (_, change) => {
    change();
    expect(problems(() => undefined)).toEqual([`terraform.d/plugins ${OTHER}`]);
  });
});
