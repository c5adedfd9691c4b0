/** An infrastructure program before it gets clusters: its own provider, resources, remote state, and outputs. */
export const before = `
import { NullProvider } from "@cdktf/provider-null/lib/provider";
import { Resource } from "@cdktf/provider-null/lib/resource";
import { App, DataResource, HttpBackend, TerraformOutput, TerraformStack } from "cdktf";
import { clusters } from "./clusters";

class Shop extends TerraformStack {
  constructor(app: App) {
    super(app, "shop");
    const address = process.env.STATE_ADDRESS!;
    new HttpBackend(this, {
      address,
      lockAddress: \`\${address}/lock\`,
      lockMethod: "POST",
      unlockAddress: \`\${address}/lock\`,
      unlockMethod: "DELETE",
    });
    new NullProvider(this, "null");
    new Resource(this, "legacy", { triggers: { version: "1" } });
    const zone = new DataResource(this, "zone", { input: { domain: "shop.example.com" } });
    new TerraformOutput(this, "domain", { value: zone.output.lookup("domain") });
    clusters(this);
  }
}

const app = new App();
new Shop(app);
app.synth();
`;

/** The file that the change fills. It is empty at first. */
export const noClusters = `
import type { TerraformStack } from "cdktf";
export function clusters(_stack: TerraformStack) {}
`;

export const clusters = `
import { TerraformOutput, type TerraformStack } from "cdktf";
import { CapvsCluster, CapvsProvider, Platform, Secret } from "cdktf-cluster-platform";

const size = { cpus: 4, memoryMib: 8192, diskGib: 60 };

export function clusters(stack: TerraformStack) {
  new Platform(stack, "platform", { pollSeconds: 0.2, deletionProtection: false });
  const provider = new CapvsProvider(stack, "vsphere", {
    name: "vsphere",
    server: "vcenter.example.com:443",
    username: Secret.fromEnv("VSPHERE_USERNAME"),
    password: Secret.fromEnv("VSPHERE_PASSWORD"),
    datacenter: "/eu",
    datastore: "ssd-01",
    folder: "/eu/vm/clusters",
    network: "/eu/network/clusters",
    resourcePool: "/eu/host/pool/Resources",
    templates: [{ template: "ubuntu-k8s-1.28.3", kubernetesVersion: "v1.28.3" }],
    templateNetworkInterface: "ens192",
  });
  const prod = new CapvsCluster(stack, "prod", {
    name: "prod",
    provider,
    apiEndpoint: "10.20.0.10",
    podSubnet: "10.244.0.0/16",
    serviceSubnet: "10.96.0.0/12",
    productVersion: "2.5.0",
    controlPlane: { count: 3, ...size },
    workers: [{ group: "default", count: 2, ...size }],
  });
  new TerraformOutput(stack, "cluster", { value: prod.clusterName });
}
`;
