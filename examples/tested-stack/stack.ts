import { TerraformStack } from "cdktf";
import { CapvsCluster, CapvsProvider, Engine, Platform, Secret } from "cdktf-cluster-platform";
import type { Construct } from "constructs";

export interface RegionProps {
  readonly clusters: readonly string[];
  /** Clusters that this change may delete. */
  readonly allowDeletion?: string[];
}

/** The clusters of a region. Each address follows from the place in the list. */
export class Region extends TerraformStack {
  constructor(scope: Construct, id: string, { clusters, allowDeletion }: RegionProps) {
    super(scope, id);
    new Platform(this, "platform", { engine: Engine.TERRAFORM_DATA, allowDeletion });
    const provider = new CapvsProvider(this, "vsphere", {
      name: "vsphere-eu",
      server: "vcenter.example.com:443",
      username: Secret.fromEnv("VSPHERE_USERNAME"),
      password: Secret.fromEnv("VSPHERE_PASSWORD"),
      datacenter: "/eu",
      datastore: "ssd-01",
      folder: "/eu/vm/clusters",
      network: "/eu/network/clusters",
      resourcePool: "/eu/host/pool-01/Resources",
      templates: [{ template: "ubuntu-22.04-k8s-1.28.3", kubernetesVersion: "v1.28.3" }],
      templateNetworkInterface: "ens192",
    });
    clusters.forEach((name, index) => {
      new CapvsCluster(this, name, {
        name,
        provider,
        apiEndpoint: `10.20.0.${10 + index}`,
        podSubnet: "10.244.0.0/16",
        serviceSubnet: "10.96.0.0/12",
        productVersion: "2.5.0",
        controlPlane: { count: name.startsWith("prod") ? 3 : 1, cpus: 4, memoryMib: 8192, diskGib: 60 },
        workers: [{ group: "default", count: 3, cpus: 8, memoryMib: 16384, diskGib: 100 }],
      });
    });
  }
}
