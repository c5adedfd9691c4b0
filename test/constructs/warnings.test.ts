import { App, TerraformStack, TerraformVariable } from "cdktf";
import { type CapvsClusterProps, CapvsProvider, Platform, Services } from "../../src";
import { TYPE_CODES, type JsonObject, type TypeCode } from "../../src/model/provider-type";
import { goldens } from "../goldens";
import { cluster } from "../support/capvs";
import { declare } from "../support/declare";

function newStack(): TerraformStack {
  const stack = new TerraformStack(new App({ outdir: "/nonexistent" }), "stack");
  new Platform(stack, "platform");
  return stack;
}

const warningsOf = ({ node }: { readonly node: TerraformStack["node"] }) =>
  node.metadata.map(({ type, data }) => `${type} ${String(data)}`);

function warnings(type: TypeCode, kind: "provider" | "cluster", props: JsonObject): string[] {
  return warningsOf(declare(newStack(), type, kind, { ...goldens[type][kind].minimal.declaration, ...props }));
}

const size = { cpus: 4, diskGib: 60 };
const nodes = (memoryMib: number, workersMib = memoryMib, count = 3) => ({
  controlPlane: { count, ...size, memoryMib },
  workers: [
    { group: "a", count: 1, ...size, memoryMib: 8192 },
    { group: "b", count: 1, ...size, memoryMib: workersMib },
  ],
});
const TOO_LITTLE = "a node with less than 512 MiB does not run Kubernetes";
const UNLISTED = "which the service's interface does not list";

test.each<[what: string, type: TypeCode, props: JsonObject, expected: string[]]>([
  [
    "host bits",
    "capvs",
    { podSubnet: "10.244.3.5/17", serviceSubnet: "10.97.0.0/12" },
    [
      "'podSubnet' is 10.244.3.5/17, which has host bits set: the network is 10.244.0.0/17",
      "'serviceSubnet' is 10.97.0.0/12, which has host bits set: the network is 10.96.0.0/12",
    ],
  ],
  [
    "host bits of IPv6",
    "capvs",
    { podSubnet: "FD00:0:0:1234:5678::1/56", serviceSubnet: "fd00:0:0:2000:0::/56" },
    ["'podSubnet' is FD00:0:0:1234:5678::1/56, which has host bits set: the network is fd00:0:0:1200::/56"],
  ],
  [
    "an API endpoint among the pods",
    "capsmv2",
    { apiEndpoint: "10.244.255.1", podSubnet: "10.244.0.0/16", serviceSubnet: "10.96.0.0/12" },
    ["'apiEndpoint' is 10.244.255.1, which is inside 'podSubnet' (10.244.0.0/16): the cluster uses these addresses itself"],
  ],
  [
    "an ingress among the services",
    "capos",
    { ingressVip: "10.96.0.1", podSubnet: "10.244.0.0/16", serviceSubnet: "10.96.0.0/12" },
    ["'ingressVip' is 10.96.0.1, which is inside 'serviceSubnet' (10.96.0.0/12): the cluster uses these addresses itself"],
  ],
  [
    "an even control plane",
    "capvs",
    nodes(8192, 8192, 4),
    ["'controlPlane.count' is 4, which survives the loss of 1 node, as 3 does: etcd needs a majority; use an odd number"],
  ],
  [
    "unknown services",
    "capcd",
    { services: { enabled: ["product-vip", "product-vpi-provider", "product-observability-stack"] } },
    [
      `'services' names product-vpi-provider, ${UNLISTED}; did you mean product-vip-provider?`,
      `'services' names product-observability-stack, ${UNLISTED}`,
    ],
  ],
  [
    "unknown services that are left out",
    "capcd",
    { services: { disabled: ["product-backups"] } },
    [`'services' names product-backups, ${UNLISTED}; did you mean product-backup?`],
  ],
  [
    "no service",
    "capbd",
    { services: { enabled: [] } },
    [
      "'services' is Services.only() without names, so an empty list is sent; for the services that every cluster needs, use Services.criticalOnly()",
    ],
  ],
  [
    "little memory",
    "capvs",
    nodes(8, 511),
    [`'controlPlane.memoryMib' is 8: ${TOO_LITTLE}`, `'workers[1].memoryMib' is 511: ${TOO_LITTLE}`],
  ],
  [
    "little memory as text",
    "capyc",
    { controlPlane: { ...(goldens.capyc.cluster.minimal.declaration.controlPlane as JsonObject), memorySize: "16Mi" } },
    [`'controlPlane.memorySize' is 16Mi: ${TOO_LITTLE}`],
  ],
])("synth warns of %s", (_, type, props, expected) => {
  expect(warnings(type, "cluster", props)).toEqual(expected.map((message) => `@cdktf/warn ${message}`));
});

test("synth warns of a repeated address, unless it is refused or one load balancer serves both", () => {
  const stack = newStack();
  const platform = Platform.of(stack);
  const lab = new Platform(stack, "lab", { name: "lab", url: "https://lab.example.com" });
  const declared = (name: string, on: string, props: Partial<CapvsClusterProps>) =>
    warningsOf(cluster(stack, name, CapvsProvider.fromName(on), { platform, apiEndpoint: "fd00::1", ...props }));
  const shared = (address: string, prop: string, other: string) =>
    `is ${address}, which is also the '${prop}' of stack/cluster-${other}: the two must then be in separate networks`;

  expect(declared("first", "eu", { ingressVip: "FD00:0::1" })).toEqual([
    "@cdktf/warn 'ingressVip' is FD00:0::1, which is also the 'apiEndpoint' of this cluster: one load balancer must then serve both",
  ]);
  const external = { externalApiLoadBalancer: true, externalIngressLoadBalancer: true };
  expect(declared("external", "eu", { apiEndpoint: "fd00::2", ingressVip: "fd00::2", ...external })).toEqual([]);
  expect(declared("site", "us", { ingressVip: "fd00::2" })).toEqual([
    `@cdktf/warn 'apiEndpoint' ${shared("fd00::1", "apiEndpoint", "first")}`,
    `@cdktf/warn 'ingressVip' ${shared("fd00::2", "apiEndpoint", "external")}`,
  ]);
  expect(declared("lab", "eu", { platform: lab })).toEqual([
    `@cdktf/warn 'apiEndpoint' ${shared("fd00::1", "apiEndpoint", "first")}`,
  ]);
  expect(stack.node.findAll().flatMap(({ node }) => node.validate())).toEqual([]);

  expect(declared("mistake", "eu", {})).toEqual([]);
  expect(stack.node.findAll().flatMap(({ node }) => node.validate())).toHaveLength(1);
});

test("synth warns of names in the Platform's settings that are nearly those of declared objects", () => {
  const stack = new TerraformStack(new App({ outdir: "/nonexistent" }), "stack");
  const platform = new Platform(stack, "platform", {
    deletionProtection: ["vshpere", "prod-*"],
    allowDeletion: ["prdo", "capvs/clusters/prodd", "prod", "web-2", "prod-us", "staging"],
    retain: ["prods"],
  });
  const vsphere = CapvsProvider.fromName("elsewhere");
  for (const name of ["prod", "vsphere", "web-1", "prod-eu"]) cluster(stack, name, vsphere);

  for (let synths = 0; synths < 2; synths++) expect(platform.node.validate()).toEqual([]);
  const no = "which the code does not declare; did you mean";
  expect(warningsOf(platform)).toEqual([
    `@cdktf/warn 'deletionProtection' has vshpere, ${no} vsphere?`,
    `@cdktf/warn 'allowDeletion' has prdo, ${no} prod?`,
    `@cdktf/warn 'allowDeletion' has capvs/clusters/prodd, ${no} capvs/clusters/prod?`,
    `@cdktf/warn 'retain' has prods, ${no} prod?`,
  ]);
});

test("synth warns of host bits in a provider's network", () => {
  expect(warnings("capos", "provider", { nodeSubnet: "10.6.0.7/24" })).toEqual([
    "@cdktf/warn 'nodeSubnet' is 10.6.0.7/24, which has host bits set: the network is 10.6.0.0/24",
  ]);
});

test.each(TYPE_CODES.flatMap((type) => (["provider", "cluster"] as const).map((kind) => [type, kind] as const)))(
  "synth warns of nothing in a usual %s %s",
  (type, kind) => {
    expect(warnings(type, kind, {})).toEqual([]);
  },
);

test("synth warns of nothing that is unknown at synth", () => {
  const stack = newStack();
  const any = new TerraformVariable(stack, "any", { type: "any" });
  const declared = cluster(stack, "prod", CapvsProvider.fromName("vsphere"), {
    apiEndpoint: any.stringValue,
    podSubnet: any.stringValue,
    services: Services.only(any.stringValue as never),
    controlPlane: { count: any.numberValue, ...size, memoryMib: any.numberValue },
    workers: [any.value as never],
  });
  expect(warningsOf(declared)).toEqual([]);
});
