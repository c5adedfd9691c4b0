import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { TerraformOutput, TerraformResource } from "cdktf";
import { cluster, provider, size } from "../support/capvs";
import { providerBackends, providerBackendsOfTerraform } from "../support/tools";
import { inRest, testOn } from "./test-on-backends";
import { type StackFixture, succeeded } from "./stack-fixture";
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
