import { App, DataResource, TerraformOutput, TerraformStack } from "cdktf";
import { CapvsCluster, CapvsProvider, DataCluster, DataClusters, Engine, Platform, Secret } from "cdktf-cluster-platform";
import type { Construct } from "constructs";

const size = { cpus: 4, memoryMib: 8192, diskGib: 60 };

/** Other resources use live values of a cluster. Engine.PROVIDER makes these values tokens. */
class Clusters extends TerraformStack {
  readonly prod: CapvsCluster;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    // The variable plays the edit that allows a replacement.
    const platform = new Platform(this, "platform", {
      engine: Engine.PROVIDER,
      allowDeletion: process.env.ALLOW_DELETION?.split(","),
    });
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
    this.prod = new CapvsCluster(this, "prod", {
      name: "prod",
      provider: vsphere,
      apiEndpoint: "10.20.0.10",
      podSubnet: "10.244.0.0/16",
      serviceSubnet: "10.96.0.0/12",
      kubernetesVersion: "v1.28.3",
      productVersion: "2.5.0",
      controlPlane: { count: 3, ...size },
      workers: [{ group: "default", count: 2, ...size }],
    });

    // If the cluster is created again, Terraform also creates the add-ons again, after the new cluster is ready.
    new DataResource(this, "add-ons", { triggersReplace: { cluster: this.prod.uid } });

    // A record has the address that the service shows. It changes in place when that address changes.
    new DataResource(this, "dns-record", { input: { name: "prod.example.com", address: this.prod.endpoint } });

    new TerraformOutput(this, "endpoint", { value: this.prod.endpoint });

    // All clusters of the service, whoever has created them, when those of this Platform are ready.
    const all = new DataClusters(this, "all", { dependsOn: [platform] });
    new TerraformOutput(this, "names", { value: all.names });
  }
}

/** Another stack, with a state of its own. It is deployed after the first, because it reads a value of it. */
class Apps extends TerraformStack {
  constructor(scope: Construct, id: string, clusters: Clusters) {
    super(scope, id);
    new TerraformOutput(this, "endpoint-of-the-stack", { value: clusters.prod.endpoint });

    // A cluster that no stack of this program has created is looked up by its name, here one that has.
    new Platform(this, "platform", { engine: Engine.PROVIDER });
    const prod = new DataCluster(this, "prod", { name: "prod" });
    new TerraformOutput(this, "endpoint-of-the-service", { value: prod.endpoint });
  }
}

const app = new App();
const clusters = new Clusters(app, "clusters");
new Apps(app, "apps", clusters);
app.synth();
