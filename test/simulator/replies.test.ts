import type { JsonObject, TypeCode } from "../../src/model/provider-type";
import { providerTypes } from "../../src/declarations/types";
import { type Simulator, startSimulator } from "../../src/simulator";
import { goldens } from "../goldens";
import { allServices } from "../goldens/golden";
import { type ClusterListReply, CLUSTERS, PROVIDERS } from "./bodies";
import { call } from "./call";
import { expectedReplies } from "./expected-replies";

let simulator: Simulator;
beforeEach(async () => {
  simulator = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0 });
});
afterEach(() => simulator.close());

const types = Object.keys(providerTypes) as TypeCode[];

async function listedProviders() {
  return (await call(simulator, "GET", PROVIDERS)).json as { providerType: string; configs: JsonObject[] }[];
}

async function listedClusters() {
  return (await call(simulator, "GET", CLUSTERS)).json as ClusterListReply;
}

describe.each(types)("%s", (type) => {
  const { provider, cluster } = goldens[type];
  const newProvider = `${PROVIDERS}/${type}`;
  const newCluster = `${PROVIDERS}/clusters/${type}`;
  const expected = expectedReplies[type];

  test("a request with a missing field is refused, with the field's name", async () => {
    for (const field of Object.keys(provider.minimal.body)) {
      const { [field]: _, ...rest } = provider.minimal.body;
      const { status, json } = await call(simulator, "POST", newProvider, rest);
      expect({ status, json }).toMatchObject({ status: 400, json: { error: { code: "INVALID_BODY", details: [{ field }] } } });
    }
    const optional = ["enabledServices", "disabledServices"];
    for (const part of ["cluster", "provider"]) {
      const fields = cluster.minimal.body[part] as JsonObject;
      for (const field of Object.keys(fields).filter((field) => !optional.includes(field))) {
        const { [field]: _, ...rest } = fields;
        const { status, json } = await call(simulator, "POST", newCluster, { ...cluster.minimal.body, [part]: rest });
        expect({ status, json }).toMatchObject({ status: 400, json: { error: { details: [{ field: `${part}.${field}` }] } } });
      }
    }
    expect(simulator.events).toEqual([]);
  });

  if (expected) {
    test("replies have the interface's format", async () => {
      const providerReply = await call(simulator, "POST", newProvider, provider.minimal.body);
      expect(providerReply.json).toEqual(expected.providerCreated);
      expect((await listedProviders()).find(({ providerType }) => providerType === type)?.configs).toEqual([expected.config]);

      const clusterReply = await call(simulator, "POST", newCluster, cluster.minimal.body);
      expect(clusterReply.json).toEqual(expected.clusterCreated);
      const { items } = await listedClusters();
      const { conditions: _, annotations: __, ...item } = items[0]!;
      expect(item).toEqual(expected.listed);
    });
  }
});

test("the list has one entry per type, used or not", async () => {
  expect(await listedProviders()).toEqual(
    ["capvs", "capov", "capbd", "capos", "capsmv2", "capyc", "capcd"].map((providerType) => ({ providerType, configs: [] })),
  );
});

test("the free addresses of a pool decrease with the nodes of its clusters", async () => {
  const { provider, cluster } = goldens.capvs;
  await call(simulator, "POST", `${PROVIDERS}/capvs`, { ...provider.minimal.body, IPAddressPoolName: "pool" });
  const before = (await listedProviders())[0]!.configs[0]!.IPAddressPoolAvailableCount as number;
  await call(simulator, "POST", `${PROVIDERS}/clusters/capvs`, cluster.minimal.body);
  const after = (await listedProviders())[0]!.configs[0]!.IPAddressPoolAvailableCount as number;
  expect(before).toBeGreaterThan(0);
  expect(before - after).toBe(3 + 2 + 0);
});

test("each Kubernetes version is listed once and with its v", async () => {
  const templates = ["1.28.3", "v1.28.3", "v1.29.0"].map((value, index) => ({ key: `t${index}`, value }));
  await call(simulator, "POST", `${PROVIDERS}/capvs`, { ...goldens.capvs.provider.minimal.body, template: templates });
  expect((await listedProviders())[0]!.configs[0]!.kubeVers).toEqual(["v1.28.3", "v1.29.0"]);
});

test("private keys of single hosts are hidden, too", async () => {
  const { body } = goldens.capsmv2.provider.maximal;
  simulator = await replaced({ acceptUnknownFields: true });
  const { json, text } = await call(simulator, "POST", `${PROVIDERS}/capsmv2`, body);
  expect((json as { hosts: unknown[] }).hosts[1]).toMatchObject({ credentials: { SSH: { userName: "root", privateKey: "" } } });
  expect(text).not.toContain("value of CAPSMV2_HOST_KEY");
});

test.each([
  ["capyc", "create", "*.apps.example.com"],
  ["capyc", "list", "*.apps.example.com"],
  ["capcd", "create", "apps.example.com"],
  ["capcd", "list", "*.apps.example.com"],
] as const)("the domain of a %s cluster is in its %s as %s", async (type, where, ingress) => {
  await call(simulator, "POST", `${PROVIDERS}/${type}`, goldens[type].provider.minimal.body);
  const body = goldens[type].cluster.minimal.body as { cluster: JsonObject; provider: JsonObject };
  const domain = { ...body, cluster: { ...body.cluster, ingress: "apps.example.com" } };
  const created = (await call(simulator, "POST", `${PROVIDERS}/clusters/${type}`, domain)).json as { cluster: JsonObject };
  const shown = where === "create" ? created.cluster : (await listedClusters()).items[0];
  expect(shown?.ingress).toBe(ingress);
});

test("a capcd cluster with only critical services is answered with every known service disabled", async () => {
  await call(simulator, "POST", `${PROVIDERS}/capcd`, goldens.capcd.provider.minimal.body);
  const { cluster, provider } = goldens.capcd.cluster.minimal.body as { cluster: JsonObject; provider: JsonObject };
  const { enabledServices: _, ...rest } = cluster;
  const body = { cluster: { ...rest, disabledServices: ["all"] }, provider };
  const { json } = await call(simulator, "POST", `${PROVIDERS}/clusters/capcd`, body);
  expect(json).toMatchObject({ cluster: { enabledServices: [], disabledServices: allServices } });
});

test("an IPv6 endpoint gets its port in brackets", async () => {
  const body = goldens.capvs.cluster.minimal.body as { cluster: JsonObject; provider: JsonObject };
  simulator.add("clusters", "capvs", { ...body, cluster: { ...body.cluster, apiEndpoint: "2001:db8::10" } });
  expect((await listedClusters()).items[0]!.apiEndpoint).toBe("[2001:db8::10]:6443");
});

async function replaced(options: Parameters<typeof startSimulator>[0]): Promise<Simulator> {
  await simulator.close();
  return startSimulator(options);
}
