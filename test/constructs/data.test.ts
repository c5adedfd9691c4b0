import { TerraformOutput, TerraformStack, TerraformVariable, Testing } from "cdktf";
import { DataCluster, DataClusters, DataProvider, DataProviders } from "../../src/constructs/data";
import { Engine } from "../../src/constructs/engine";
import { Platform } from "../../src/constructs/platform";
import { cluster, provider } from "../support/capvs";
import { synthError, synthesize } from "../support/synth";

const PROVIDER = { engine: Engine.PROVIDER };

test("data are read by the provider of their Platform, and wait for what they depend on", () => {
  const synthesized = synthesize((stack) => {
    const platform = new Platform(stack, "platform", { ...PROVIDER, name: "eu" });
    const prod = cluster(stack, "prod", provider(stack));
    const name = new TerraformVariable(stack, "name", { type: "string" });
    const all = new DataClusters(stack, "all", { dependsOn: [platform] });
    new DataProviders(stack, "providers", { platform });
    const one = new DataCluster(stack, "one", { name: "prod", dependsOn: [prod] });
    const other = new DataProvider(stack, "other", { type: "capov", name: name.stringValue });
    const values = {
      names: all.names,
      workers: one.workers,
      secure: one.secure,
      type: one.providerType,
      versions: other.kubernetesVersions,
    };
    for (const [id, value] of Object.entries(values)) new TerraformOutput(stack, id, { value });
  }) as unknown as {
    data: Record<string, Record<string, Record<string, unknown>>>;
    output: Record<string, { value: unknown }>;
  };
  const { data, output } = synthesized;
  const blocks = Object.entries(data).map(([type, group]) => [type, Object.values(group).map(({ "//": _, ...block }) => block)]);
  const common = { provider: "clusterplatform.eu" };
  expect(Object.fromEntries(blocks)).toEqual({
    clusterplatform_clusters: [{ ...common, depends_on: ["clusterplatform_ready.eu_ready"] }],
    clusterplatform_providers: [common],
    clusterplatform_cluster: [{ ...common, name: "prod", depends_on: ["clusterplatform_ready.eu_capvs_cluster_ready_prod"] }],
    clusterplatform_provider: [{ ...common, type: "capov", name: "${var.name}" }],
  });
  expect(Object.fromEntries(Object.entries(output).map(([id, { value }]) => [id, value]))).toEqual({
    names: "${data.clusterplatform_clusters.all.names}",
    workers: "${data.clusterplatform_cluster.one.workers}",
    secure: "${data.clusterplatform_cluster.one.secure}",
    type: "${data.clusterplatform_cluster.one.type}",
    versions: "${data.clusterplatform_provider.other.kubernetes_versions}",
  });
});

test.each<[string, (stack: TerraformStack) => unknown, string]>([
  ["a name", (stack) => new DataCluster(stack, "data", { name: "a b" }), `'name' must be 1 to 253 ASCII letters`],
  ["no props", (stack) => new DataCluster(stack, "data", undefined as never), "'name' must be 1 to 253 ASCII letters"],
  [
    "a type",
    (stack) => new DataProvider(stack, "data", { type: "vsphere" as never, name: "" }),
    `'type' must be one of capvs, capov, capbd, capos, capsmv2, capyc, capcd, got "vsphere"; 'name' must be`,
  ],
  ["dependsOn", (stack) => new DataClusters(stack, "data", { dependsOn: ["x"] as never }), "'dependsOn[0]' must be a construct"],
  [
    "a Platform elsewhere",
    (stack) => {
      const platform = new Platform(new TerraformStack(Testing.app(), "other"), "platform", PROVIDER);
      new DataClusters(stack, "data", { platform });
    },
    "'platform' must be in the same stack, got one of 'other'",
  ],
])("%s that breaks its rule is refused", (_, declare, message) => {
  const error = synthError((stack) => {
    new Platform(stack, "platform", PROVIDER);
    declare(stack);
  });
  expect(error.message).toMatch(/stack\/data[:\]] /);
  expect(error.message).toContain(message);
});
