import { App, DataResource, TerraformStack } from "cdktf";
import { CapvsCluster, CapvsProvider, Platform, Secret } from "cdktf-cluster-platform";
import type { Construct } from "constructs";

/**
 * A new Kubernetes version without downtime. The service has no update, so a changed version deletes the cluster. These commits
 * do not change it: the first adds a second cluster, the second moves the workloads, and the third removes the old cluster.
 * Here, a variable stands for the commits. Without it, the program is as it was before them.
 */
const commit = Number(process.env.COMMIT ?? 0);

class Production extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);

    // Commit 3 allows the deletion of the old cluster. The commit after it removes this line again.
    const allowDeletion = commit === 3 ? ["prod-1-28"] : [];
    new Platform(this, "platform", { allowDeletion });

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
      // A changed registration is deleted and created again, which a cluster on it forbids. So it has both templates before.
      templates: [
        { template: "ubuntu-22.04-k8s-1.28.3", kubernetesVersion: "v1.28.3" },
        { template: "ubuntu-22.04-k8s-1.29.1", kubernetesVersion: "v1.29.1" },
      ],
      templateNetworkInterface: "ens192",
    });
    const prod = (kubernetesVersion: string, name: string, apiEndpoint: string) =>
      new CapvsCluster(this, name, {
        name,
        provider: vsphere,
        apiEndpoint,
        podSubnet: "10.244.0.0/16",
        serviceSubnet: "10.96.0.0/12",
        kubernetesVersion,
        productVersion: "2.5.0",
        controlPlane: { count: 3, cpus: 4, memoryMib: 8192, diskGib: 60 },
        workers: [{ group: "default", count: 3, cpus: 8, memoryMib: 16384, diskGib: 100 }],
      });

    // Commit 3 removes the first line, and commit 1 adds the second.
    const old = commit < 3 ? prod("v1.28.3", "prod-1-28", "10.20.0.10") : undefined;
    const next = commit >= 1 ? prod("v1.29.1", "prod-1-29", "10.20.0.11") : undefined;

    // What runs on the cluster. Terraform replaces it when it gets another cluster, after that cluster is ready. Commit 2 writes
    // `next` instead of `old`.
    const current = commit >= 2 ? next! : old!;
    new DataResource(this, "workloads", { triggersReplace: { cluster: current.uid } });
  }
}

const app = new App();
new Production(app, "upgrade");
app.synth();
