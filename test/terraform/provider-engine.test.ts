import type { ChildProcess } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TerraformOutput, TerraformResource, type TerraformStack } from "cdktf";
import { Engine } from "../../src/constructs/engine";
import type { PlatformProps } from "../../src/constructs/platform-props";
import { RetiredPlatform } from "../../src/constructs/retired-platform";
import { cluster, provider } from "../support/capvs";
import { allBackends, isAtLeast, providerBackends, providerBackendsOfTerraform } from "../support/tools";
import { hooksAt, killTerraform } from "./processes";
import { inRest, testOn } from "./test-on-backends";
import { failed, type StackFixture, succeeded } from "./stack-fixture";
import { Workspace } from "./workspace";

const testOnProviderInRest = testOn(inRest(providerBackendsOfTerraform));

/** The summary line of a plan, which Terraform prints only with changes. */
const summary = async ({ workspace }: StackFixture) =>
  /Plan: .*|No changes\./.exec((await workspace.run(["plan", "-input=false"])).output)?.[0];

testOnProviderInRest("a plan shows only the changes, and attributes reach other resources", async (fixture) => {
  const { workspace } = fixture;
  const declare = (names: readonly string[], controlPlane = 3) =>
    workspace.synth((stack) => {
      fixture.platform(stack);
      const on = provider(stack, "vsphere", { folder: 'a "${b}" %{c} $${d} \\' });
      const clusters = names.map((name) => cluster(stack, name, on, { controlPlane: { ...size, count: controlPlane } }));
      const [first] = clusters;
      if (!first) return;
      const addOn = new TerraformResource(stack, "add_on", {
        terraformResourceType: "terraform_data",
        terraformGeneratorMetadata: { providerName: "terraform" },
        dependsOn: [first],
      });
      addOn.addOverride("triggers_replace", first.uid);
      new TerraformOutput(stack, "endpoint", { value: first.endpoint });
      new TerraformOutput(stack, "phase", { value: first.phase });
      new TerraformOutput(stack, "versions", { value: on.kubernetesVersions });
    });
  const six = ["a", "b", "c", "d", "e", "f"];
  declare(six);
  await fixture.converges();
  expect(fixture.simulator.providers[0]!.body).toMatchObject({ folder: 'a "${b}" %{c} $${d} \\' });
  const outputs = JSON.parse((await workspace.run(["output", "-json"], { quiet: true })).output) as Record<
    string,
    { value: unknown }
  >;
  expect(outputs).toMatchObject({
    endpoint: { value: expect.stringMatching(/^192\.168\.\d+\.\d+:6443$/) as string },
    phase: { value: "Provisioned" },
    versions: { value: ["v1.28.3"] },
  });

  declare([...six, "g"]);
  expect(await summary(fixture)).toBe("Plan: 1 to add, 1 to change, 0 to destroy.");

  // Resources on a cluster are replaced with it.
  declare(["a"], 5);
  const changes = (await workspace.plan()).map(({ address, actions }) => `${actions.join("+")} ${address}`);
  expect(changes).toContain("delete+create clusterplatform_capvs_cluster.a");
  expect(changes).toContain("delete+create terraform_data.add_on");
  await fixture.converges();
  expect(fixture.live()).toEqual(["a", "vsphere"]);
  await workspace.destroy();
  expect(fixture.live()).toEqual([]);
});

const size = { cpus: 4, memoryMib: 8192, diskGib: 60 };

testOnProviderInRest(
  "a protected object stays, whatever leaves the code; a RetiredPlatform deletes the rest",
  async (fixture) => {
    const { workspace } = fixture;
    fixture.declare(["prod", "stage"], { deletionProtection: ["prod"] });
    await fixture.applied();

    const retire = (props: PlatformProps = {}) =>
      workspace.synth(
        (stack: TerraformStack) =>
          void new RetiredPlatform(stack, "platform", { engine: Engine.PROVIDER, deletionProtection: ["prod"], ...props }),
      );
    retire();
    const refused = await fixture.failed();
    expect(refused).toContain("prod");
    expect(refused).toContain("PROTECTED");
    expect(fixture.live()).toEqual(["prod", "stage", "vsphere"]);

    retire({ allowDeletion: ["prod"] });
    await fixture.converges();
    expect(fixture.live()).toEqual([]);
  },
);

testOn(inRest(providerBackends))("stacks that share a cache of plugins do not need the folder of each other", async (fixture) => {
  const { env, binary } = fixture.workspace;
  const cache = join(fixture.workspace.folder, "cache");
  mkdirSync(cache);
  const stackOf = (name: string) => {
    const workspace = new Workspace({ ...env, TF_PLUGIN_CACHE_DIR: cache }, binary);
    workspace.synth((stack) => {
      fixture.platform(stack);
      provider(stack, name);
    });
    return workspace;
  };
  const [first, second] = [stackOf("first"), stackOf("second")];
  try {
    succeeded(await first.apply());
    succeeded(await second.apply());
    first.remove();
    expect(await second.plan()).toEqual([]);
    const third = stackOf("third");
    try {
      expect(succeeded(await third.run(["plan", "-input=false"]))).toContain("Plan: 2 to add");
    } finally {
      third.remove();
    }
  } finally {
    first.remove();
    second.remove();
  }
});

const migrates = allBackends.filter(({ binary }) => isAtLeast(binary, { terraform: 9, openTofu: 10 }));

testOn(migrates)(
  "objects move from hooks to the provider without a request, and those that leave the code are deleted",
  async (fixture) => {
    const { workspace, engine } = fixture;
    fixture.declare(["prod", "stage", "gone"]);
    await fixture.applied();
    const before = fixture.writes();

    const migrated = { engine: Engine.PROVIDER, migrateFrom: engine };
    fixture.declare(["prod", "stage"], migrated);
    if (engine === Engine.NULL_RESOURCE) {
      const mirror = `filesystem_mirror { path = ${JSON.stringify(join(workspace.stackFolder, "terraform.d/plugins"))} }`;
      const configuration = join(workspace.folder, "without-null.tfrc");
      writeFileSync(configuration, `provider_installation {\n  ${mirror}\n}\n`);
      expect(await fixture.failed({ env: { TF_CLI_CONFIG_FILE: configuration } })).toContain("hashicorp/null");
      expect(fixture.writes()).toEqual(before);
    }
    const changes = (await workspace.plan()).map(({ address, actions }) => `${actions.join("+")} ${address}`);
    expect(changes.filter((change) => change.startsWith("delete"))).toEqual([
      `delete ${engine}.capvs_clusters["gone"]`,
      "delete terraform_data.cluster_platform_deletion_guard",
      "delete terraform_data.cluster_platform_orphan_check",
    ]);
    expect(changes.filter((change) => change.startsWith("create"))).toEqual(["create clusterplatform_ready.ready"]);
    await fixture.converges();
    expect(fixture.writes().slice(before.length)).toHaveLength(1);
    expect(fixture.live()).toEqual(["prod", "stage", "vsphere"]);

    fixture.declare(["prod", "stage"], { engine: Engine.PROVIDER });
    expect(await workspace.plan()).toEqual([]);
    fixture.declare(["prod"], { engine: Engine.PROVIDER });
    await fixture.converges();
    expect(fixture.live()).toEqual(["prod", "vsphere"]);
  },
);

testOn(inRest(migrates))(
  "a migration deletes nothing if it deletes something protected, and one that is killed is completed",
  async (fixture) => {
    const { workspace, simulator, engine } = fixture;
    const migrated = { engine: Engine.PROVIDER, migrateFrom: engine, deletionProtection: ["prod"] };
    fixture.declare(["prod", "stage", "gone"], { deletionProtection: ["prod"] });
    await fixture.applied();

    const [, ...created] = fixture.happened();
    const before = fixture.writes();
    fixture.declare(["stage"], migrated);
    expect(await fixture.failed()).toContain("capvs/clusters/prod is protected from deletion; nothing was deleted");
    expect(fixture.writes()).toEqual(before);

    fixture.declare(["prod", "stage"], migrated);
    // While the plan reads the moved objects, and while a hook deletes the one that leaves.
    for (const point of ["GET", "DELETE"]) {
      let terraform: ChildProcess | undefined;
      simulator.onRequest = async ({ method }) => {
        if (method !== point) return;
        simulator.onRequest = undefined;
        const hooks = await hooksAt(simulator);
        await killTerraform(terraform!, () => workspace.hasIntactState());
        for (const { pid } of hooks) process.kill(pid, "SIGKILL");
      };
      const options = { args: ["-lock=false"], started: (child: ChildProcess) => (terraform = child) };
      expect((await workspace.apply(options)).status).not.toBe(0);
      if (point === "GET") expect(fixture.writes()).toEqual(before);
    }

    await fixture.converges({ args: ["-lock=false"] });
    expect(fixture.happened()).toEqual(["+vsphere", ...created, "-gone"]);
    // The state has the protection of the moved objects.
    fixture.declare(["stage"], { ...migrated, deletionProtection: false });
    expect(await fixture.failed()).toContain("PROTECTED");
  },
);

testOn(inRest(migrates))(
  "a migration does not delete the object of somebody else that a failed create has met",
  async (fixture) => {
    const { workspace, engine } = fixture;
    fixture.foreigners.add("prod");
    fixture.declare(["prod"]);
    expect(await fixture.failed()).toContain("the name of cluster prod is taken");
    fixture.declare(["prod"], { engine: Engine.PROVIDER, migrateFrom: engine });
    const address = `${engine}.capvs_clusters["prod"]`;
    const refused = await fixture.failed();
    expect(refused).toContain(`the plan moves cluster prod from ${engine} and deletes it [ENGINE_SWITCHED]`);
    expect(refused).toContain(`terraform state rm '${address}'`);
    // OpenTofu does not tell the provider of the move then. The plan is refused because the name is taken.
    const unrefreshed = /Plan again without -refresh=false|the name of cluster prod is taken by [^[]*\[NAME_TAKEN\]/;
    expect(await fixture.failed({ args: ["-refresh=false"] })).toMatch(unrefreshed);
    expect(failed(await workspace.destroy())).toContain("[ENGINE_SWITCHED]");

    succeeded(await workspace.run(["state", "rm", address]));
    expect(await fixture.failed()).toContain("the name of cluster prod is taken");
    fixture.declare([], { engine: Engine.PROVIDER, migrateFrom: engine, retain: ["prod"] });
    await fixture.converges();
  },
);

testOn(inRest(migrates))("a RetiredPlatform of the provider deletes the objects that hooks still have", async (fixture) => {
  fixture.declare(["prod"]);
  await fixture.applied();
  const props = { engine: Engine.PROVIDER, deletionProtection: false };
  fixture.workspace.synth((stack) => void new RetiredPlatform(stack, "platform", props));
  await fixture.converges();
  expect(fixture.happened()).toEqual(["+vsphere", "+prod", "-prod", "-vsphere"]);
});
