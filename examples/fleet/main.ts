import { App, TerraformStack } from "cdktf";
import { CapvsCluster, CapvsProvider, Engine, Platform, Secret } from "cdktf-cluster-platform";
import type { Construct } from "constructs";
import { clusters, regions } from "./fleet.json";

type Region = (typeof regions)[number];

const sizes: Record<string, { cpus: number; memoryMib: number; diskGib: number }> = {
  small: { cpus: 2, memoryMib: 4096, diskGib: 40 },
  large: { cpus: 8, memoryMib: 16384, diskGib: 100 },
};

/** A region has a stack of its own, so it is planned, locked and deployed by itself. */
class RegionalStack extends TerraformStack {
  constructor(scope: Construct, { region, server, pool }: Region) {
    super(scope, region);

    new Platform(this, "platform", {
      engine: Engine.TERRAFORM_DATA,
      deletionProtection: ["*-prod-*"],
    });

    const vsphere = new CapvsProvider(this, "vsphere", {
      name: `vsphere-${region}`,
      server,
      username: Secret.fromEnv(`VSPHERE_${region.toUpperCase()}_USERNAME`),
      password: Secret.fromEnv(`VSPHERE_${region.toUpperCase()}_PASSWORD`),
      datacenter: `/${region}`,
      datastore: "ssd-01",
      folder: `/${region}/vm/clusters`,
      network: `/${region}/network/clusters`,
      resourcePool: `/${region}/host/${pool}/Resources`,
      templates: [{ template: "ubuntu-22.04-k8s-1.28.3", kubernetesVersion: "v1.28.3" }],
      templateNetworkInterface: "ens192",
    });

    for (const { name, apiEndpoint, size, workers } of clusters.filter((cluster) => cluster.region === region)) {
      new CapvsCluster(this, name, {
        name,
        provider: vsphere,
        apiEndpoint,
        podSubnet: "10.244.0.0/16",
        serviceSubnet: "10.96.0.0/12",
        kubernetesVersion: "v1.28.3",
        productVersion: "2.5.0",
        controlPlane: { count: size === "large" ? 3 : 1, ...sizes[size]! },
        workers: [{ group: "default", count: workers, ...sizes[size]! }],
      });
    }
  }
}

const app = new App();
for (const region of regions) new RegionalStack(app, region);
app.synth();
