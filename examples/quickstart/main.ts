import { App, TerraformStack } from "cdktf";
import { CapvsCluster, CapvsProvider, Engine, Platform, Secret, Services } from "cdktf-cluster-platform";
import type { Construct } from "constructs";

class Production extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);

    // The URL of the service comes from CLUSTER_PLATFORM_URL when Terraform runs. Clusters are protected from deletion.
    // To delete or replace one, write allowDeletion: ["prod"] in the same change. Here, a variable stands for that
    // edit.
    const allowDeletion = process.env.ALLOW_DELETION?.split(",");
    new Platform(this, "platform", { engine: Engine.TERRAFORM_DATA, allowDeletion });

    const vsphere = new CapvsProvider(this, "vsphere", {
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

    // To delete the cluster, remove this construct. Here, a variable stands for that edit.
    if (process.env.WITHOUT_CLUSTER === undefined) {
      new CapvsCluster(this, "prod", {
        name: "prod",
        provider: vsphere,
        apiEndpoint: "10.20.0.10",
        podSubnet: "10.244.0.0/16",
        serviceSubnet: "10.96.0.0/12",
        kubernetesVersion: "v1.28.3",
        productVersion: "2.5.0",
        services: Services.base(),
        controlPlane: { count: 3, cpus: 4, memoryMib: 8192, diskGib: 60 },
        workers: [
          { group: "default", count: 3, cpus: 8, memoryMib: 16384, diskGib: 100 },
          { group: "infra", count: 2, cpus: 4, memoryMib: 8192, diskGib: 60 },
        ],
      });
    }
  }
}

const app = new App();
new Production(app, "quickstart");
app.synth();
