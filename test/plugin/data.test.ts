import { addCluster, addProvider } from "../support/live-objects";
import { cluster, provider, ready, testOnPrograms } from "./plugin-fixture";

testOnPrograms("data sources show the lists and one object by name, as they are when they are read", async (stack) => {
  const { simulator } = stack;
  addProvider(simulator, "other");
  addCluster(simulator, "lab");
  const data = (type: string, id: string, ...lines: string[]) =>
    `data "clusterplatform_${type}" "${id}" {\n${lines.map((line) => `  ${line}\n`).join("")}}\n`;
  const output = (name: string, value: string) => `output "${name}" {\n  value = ${value}\n}\n`;

  // Data with a dependency on this apply shows its results, phases included. Other data is read during the plan.
  simulator.timing.provisionSeconds = 1;
  stack.write([
    provider(),
    cluster("prod"),
    ready(["prod"]),
    data("clusters", "before"),
    data("clusters", "after", "depends_on = [clusterplatform_ready.ready]"),
    // The same apply reads the list right after the creation and again when the cluster is ready.
    data("clusters", "early", "depends_on = [clusterplatform_capvs_cluster.prod]"),
    data("providers", "all"),
    data("provider", "other", 'type = "capvs"', 'name = "other"'),
    data("cluster", "prod", "name = clusterplatform_capvs_cluster.prod.name", "depends_on = [clusterplatform_ready.ready]"),
    output("before", "data.clusterplatform_clusters.before.names"),
    output("after", "data.clusterplatform_clusters.after.names"),
    output("all", "data.clusterplatform_providers.all.names"),
    output("other", "data.clusterplatform_provider.other"),
    output("lab", 'data.clusterplatform_clusters.before.clusters["lab"]'),
    output("one", "data.clusterplatform_cluster.prod"),
    output("same", 'data.clusterplatform_clusters.after.clusters["prod"] == data.clusterplatform_cluster.prod'),
  ]);
  await stack.applied();
  const shown = await stack.run(["output", "-json"], { quiet: true });
  const values = Object.fromEntries(
    Object.entries(JSON.parse(shown.output) as Record<string, { value: unknown }>).map(([name, { value }]) => [name, value]),
  );
  expect(values).toMatchObject({
    before: ["lab"],
    after: ["lab", "prod"],
    all: ["other"],
    other: { name: "other", type: "capvs", kubernetes_versions: ["v1.28.3"] },
    lab: { name: "lab", type: "capvs", provider_name: "vsphere", control_plane_count: 3, workers: { default: 2 } },
    one: {
      name: "prod",
      type: "capvs",
      provider_name: "vsphere",
      phase: "Provisioned",
      endpoint: expect.stringMatching(/^192\.168\.0\.1:6443$/) as string,
      pod_subnet: "10.244.0.0/16",
      secure: true,
    },
    same: true,
  });

  stack.write([
    data("cluster", "typo", 'name = "prodd"'),
    data("provider", "none", 'type = "capov"', 'name = "other"'),
    data("provider", "bad", 'type = "other"', 'name = "a b"'),
  ]);
  const invalid = await stack.refused();
  expect(invalid).toContain("'type' must be one of capvs, ");
  expect(invalid).toMatch(/\[INVALID_PROP\].*'name' must be 1 to 253 ASCII letters.*, got "a b"/);

  stack.write([data("cluster", "typo", 'name = "prodd"'), data("provider", "none", 'type = "capov"', 'name = "other"')]);
  const missing = await stack.refused();
  expect(missing).toMatch(/\[OBJECT_MISSING\].*cluster prodd is not on the service at \S+.*most similar name there is prod\./);
  expect(missing).toContain("capov provider other is not on the service at");
});
