import { compare, SENT_AS } from "../../src/lifecycle/compare";
import { segmentsOf } from "../../src/declarations/trigger-keys";
import { valueAt } from "../../src/util/prop-path";
import { goldens } from "../goldens";
import { complete, flatten } from "../../src/declarations/declaration";
import type { LiveCluster, LiveProvider } from "../../src/api/lists";
import { providerTypes } from "../../src/declarations/types";
import type { JsonObject } from "../../src/model/provider-type";

const differences = (...of: Parameters<typeof compare>) => compare(...of).differences;

const declared = {
  name: "prod",
  provider: "vsphere-eu",
  "controlPlane.count": "3",
  "controlPlane.diskGib": "40",
  "workers.default.count": "2",
  'workers["gpu.large"].count': "1",
  podSubnet: "10.244.0.0/16",
  serviceSubnet: "10.96.0.0/12",
  ingress: "apps.example.com",
  apiEndpoint: "10.0.0.5",
  secure: "true",
  services: "base",
};

const live: LiveCluster = {
  name: "prod",
  type: "capvs",
  provider: "vsphere-eu",
  phase: "Provisioned",
  conditions: [],
  apiEndpoint: "10.0.0.5:6443",
  ingress: "*.apps.example.com",
  podSubnet: "10.244.0.0/16",
  serviceSubnet: "10.96.0.0/12",
  secure: true,
  controlPlaneCount: 3,
  workers: new Map([
    ["default", 2],
    ["gpu.large", 1],
  ]),
  raw: {},
};

const cluster = (changes: Partial<LiveCluster>, declaration: Record<string, string | undefined> = {}) => {
  const wanted = Object.fromEntries(Object.entries({ ...declared, ...declaration }).filter(([, value]) => value !== undefined));
  return differences("clusters", "capvs", wanted as Record<string, string>, { ...live, ...changes });
};

test("a cluster matches its declaration, apart from wildcard, port and fields that the list does not show", () => {
  expect(cluster({})).toEqual([]);
});

test.each([
  ["controlPlane.count", "bodyOverrides.cluster.controlPlaneNodesCount", "5", { controlPlaneCount: 5 }],
  ["workers", "bodyOverrides.provider.workerNodeConfigs[0].workersCount", "5", { workers: new Map([["default", 5]]) }],
  ["podSubnet", "bodyOverrides.cluster.podSubnet", "(secret)", { podSubnet: "10.99.0.0/16" }],
  ["serviceSubnet", "bodyOverrides.cluster.serviceSubnet", '"10.99.0.0/16"', { serviceSubnet: "10.99.0.0/16" }],
  ["ingress", "bodyOverrides.cluster.ingress", '"other.example.com"', { ingress: "other.example.com" }],
  ["secure", "bodyOverrides.cluster.secure", "false", { secure: false }],
  ["apiEndpoint", "bodyOverrides.cluster.apiEndpoint", '"10.0.0.6"', { apiEndpoint: "10.0.0.6" }],
])("%s is not compared if bodyOverrides have sent another value", (_, key, value, changes) => {
  expect(cluster(changes)).not.toEqual([]);
  expect(cluster(changes, { [key]: value })).toEqual([]);
  expect(cluster(changes, { "bodyOverrides.cluster.note": '"other"' })).not.toEqual([]);
});

test("the fields of a provider are not compared if bodyOverrides have sent other values", () => {
  const registered: LiveProvider = {
    name: "vsphere",
    type: "capvs",
    kubernetesVersions: ["v1.29.1"],
    allowEditCsi: true,
    ipAddressPoolName: "pool",
    poolAvailable: undefined,
    raw: {},
  };
  const props = { "templates.a.kubernetesVersion": "v1.28.3", allowEditCsi: "false", ipAddressPoolName: "" };
  const overrides = {
    "bodyOverrides.template[0].value": '"v1.29.1"',
    "bodyOverrides.allowEditCSI": "true",
    "bodyOverrides.IPAddressPoolName": "(secret)",
  };
  expect(differences("providers", "capvs", props, registered)).toHaveLength(3);
  expect(differences("providers", "capvs", { ...props, ...overrides }, registered)).toEqual([]);
});

test.each(Object.values(goldens))(
  "a request has every compared field where bodyOverrides could replace it: $code",
  ({ provider, cluster }) => {
    for (const [kind, { declared, maximal }] of [
      ["providers", provider],
      ["clusters", cluster],
    ] as const) {
      const isDeclared = (prop: string) => Object.keys(declared).some((key) => segmentsOf(key)[0] === prop);
      const missing = Object.entries(SENT_AS[kind])
        .filter(([field]) => isDeclared(String(segmentsOf(field)[0])))
        .filter(([, places]) => !places.some((place) => valueAt(maximal.body, segmentsOf(place)) !== undefined));
      expect(missing).toEqual([]);
    }
  },
);

test.each<[Partial<LiveCluster>, string, string, string]>([
  [{ type: "capov" }, "type", "capvs", "capov"],
  [{ provider: "other" }, "provider", "vsphere-eu", "other"],
  [{ controlPlaneCount: 1 }, "controlPlane.count", "3", "1"],
  [
    {
      workers: new Map([
        ["default", 5],
        ["gpu.large", 1],
      ]),
    },
    "workers.default.count",
    "2",
    "5",
  ],
  [{ workers: new Map([["default", 2]]) }, 'workers["gpu.large"].count', "1", "0"],
  [{ workers: new Map([...live.workers!, ["infra", 3]]) }, "workers.infra.count", "0", "3"],
  [{ podSubnet: "10.1.0.0/16" }, "podSubnet", "10.244.0.0/16", "10.1.0.0/16"],
  [{ serviceSubnet: "10.2.0.0/16" }, "serviceSubnet", "10.96.0.0/12", "10.2.0.0/16"],
  [{ ingress: "*.other.example.com" }, "ingress", "apps.example.com", "other.example.com"],
  [{ secure: false }, "secure", "true", "false"],
  [{ apiEndpoint: "10.0.0.6:6443" }, "apiEndpoint", "10.0.0.5", "10.0.0.6"],
  [{ apiEndpoint: "[fd00::6]:6443" }, "apiEndpoint", "10.0.0.5", "fd00::6"],
])("a cluster that is live with %j differs in %s", (changes, field, wanted, found) => {
  expect(cluster(changes)).toEqual([{ field, declared: wanted, live: found }]);
});

test("all differences are reported", () => {
  expect(cluster({ type: "capov", provider: "other", podSubnet: "10.1.0.0/16" }).map(({ field }) => field)).toEqual([
    "type",
    "provider",
    "podSubnet",
  ]);
});

test.each<Partial<LiveCluster>>([
  { provider: "" },
  { controlPlaneCount: undefined },
  { workers: undefined },
  { podSubnet: undefined, serviceSubnet: undefined },
  { secure: undefined },
  { ingress: "" },
  { ingress: "apps.example.com" },
  { apiEndpoint: "" },
  { apiEndpoint: "10.0.0.5" },
  { workers: new Map([...live.workers!, ["infra", 0]]) },
])("a field that the list does not show is no difference: %j", (changes) => {
  expect(cluster(changes)).toEqual([]);
});

test.each([
  [{ ingress: "*.live.example.com" }, { ingress: "" }],
  [{ ingress: "*.live.example.com" }, { ingress: undefined }],
  [{ apiEndpoint: "10.9.9.9:6443" }, { apiEndpoint: "" }],
  [{ apiEndpoint: "10.9.9.9:6443" }, { apiEndpoint: undefined }],
  [{ apiEndpoint: "[fd00::5]:6443" }, { apiEndpoint: "fd00::5" }],
  [{ apiEndpoint: "[fd00:0::5]:6443" }, { apiEndpoint: "FD00::0005" }],
  [{ ingress: "*.apps.example.com" }, { ingress: "*.apps.example.com" }],
  [{ workers: new Map([["default", 2]]) }, { 'workers["gpu.large"].count': "0" }],
])("a live %j matches a declared %j", (changes, declaration) => {
  expect(cluster(changes, declaration)).toEqual([]);
});

test("two different IPv6 addresses differ", () => {
  expect(cluster({ apiEndpoint: "[fd00::6]:6443" }, { apiEndpoint: "fd00::5" })).toEqual([
    { field: "apiEndpoint", declared: "fd00::5", live: "fd00::6" },
  ]);
});

test("overrides of the request are not compared with similar fields", () => {
  expect(cluster({}, { "bodyOverrides.workers.default.count": "9" })).toEqual([]);
});

test("a group whose name was a token at synth is found by its field", () => {
  const tokens = { "workers.default.count": undefined, "workers[0].group": "default", "workers[0].count": "4" };
  expect(cluster({}, tokens)).toEqual([{ field: "workers.default.count", declared: "4", live: "2" }]);
});

describe("a provider", () => {
  const config: LiveProvider = {
    type: "capvs",
    name: "vsphere-eu",
    kubernetesVersions: ["v1.29.1", "v1.28.3"],
    allowEditCsi: false,
    ipAddressPoolName: "pool",
    poolAvailable: 3,
    raw: {},
  };
  const wanted = {
    "templates.ubuntu.kubernetesVersion": "v1.28.3",
    'templates["/DC/vm/[x] \\"y\\".kubernetesVersion"].kubernetesVersion': "1.29.1",
    allowEditCsi: "false",
    ipAddressPoolName: "pool",
  };
  const provider = (changes: Partial<LiveProvider>, declaration: Record<string, string> = wanted) =>
    differences("providers", "capvs", declaration, { ...config, ...changes });

  test("matches its declaration in any order, with or without a leading v", () => {
    expect(provider({})).toEqual([]);
    expect(provider({ kubernetesVersions: ["1.28.3", "1.28.3", "v1.29.1"] })).toEqual([]);
  });

  test.each<[Partial<LiveProvider>, string, string, string]>([
    [{ type: "capov" }, "type", "capvs", "capov"],
    [{ kubernetesVersions: ["v1.28.3"] }, "templates", "1.28.3, 1.29.1", "1.28.3"],
    [{ allowEditCsi: true }, "allowEditCsi", "false", "true"],
    [{ ipAddressPoolName: "other" }, "ipAddressPoolName", "pool", "other"],
    [{ ipAddressPoolName: "" }, "ipAddressPoolName", "pool", "none"],
  ])("that is live with %j differs in %s", (changes, field, declaredValue, found) => {
    expect(provider(changes)).toEqual([{ field, declared: declaredValue, live: found }]);
  });

  test.each([
    ["templates", { "templates.ubuntu.kubernetesVersion": "v1.28.3" }, "1.28.3", "1.28.3, 1.29.1"],
    ["ipAddressPoolName", { ipAddressPoolName: "" }, "none", "pool"],
  ])("that is declared differently differs in %s", (field, declaration, declaredValue, found) => {
    expect(provider({}, declaration)).toEqual([{ field, declared: declaredValue, live: found }]);
  });

  test("is not compared for templates that only the request's overrides have", () => {
    expect(provider({}, { "bodyOverrides.templates.ubuntu.kubeVersion": "v1.30.0" })).toEqual([]);
  });

  test.each<Partial<LiveProvider>>([{ kubernetesVersions: [] }, { allowEditCsi: undefined }, { ipAddressPoolName: undefined }])(
    "for which the list does not show %j matches",
    (changes) => {
      expect(provider(changes)).toEqual([]);
    },
  );

  test("of a type without these fields is not compared by them", () => {
    expect(provider({ allowEditCsi: true, kubernetesVersions: ["v1"] }, {})).toEqual([]);
  });
});

test("a declaration in the constructs' flat form is compared field by field", () => {
  const spec: JsonObject = {
    name: "prod",
    provider: "vsphere-eu",
    podSubnet: "10.244.0.0/16",
    serviceSubnet: "10.96.0.0/12",
    productVersion: "1.0.0",
    apiEndpoint: "10.0.0.5",
    ingress: "apps.example.com",
    controlPlane: { count: 3, diskGib: 40, memoryMib: 8192, cpus: 4 },
    workers: [
      { group: "default", count: 2, diskGib: 40, memoryMib: 8192, cpus: 4 },
      { group: "gpu.large", count: 1, diskGib: 40, memoryMib: 8192, cpus: 4 },
    ],
  };
  const flat = Object.fromEntries(
    Object.entries(flatten(providerTypes.capvs.cluster, complete(providerTypes.capvs.cluster, spec))).map(([key, value]) => [
      key,
      String(value),
    ]),
  );
  expect(differences("clusters", "capvs", flat, live)).toEqual([]);
  const changed = { ...live, controlPlaneCount: 5, workers: new Map([["default", 7]]) };
  expect(differences("clusters", "capvs", flat, changed).map(({ field }) => field)).toEqual([
    "controlPlane.count",
    "workers.default.count",
    'workers["gpu.large"].count',
  ]);
});
