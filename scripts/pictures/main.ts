import { App, TerraformStack } from "cdktf";
import { CapvsCluster, CapvsProvider, Engine, Platform, Secret } from "cdktf-cluster-platform";

/** First `old-eu`, then two more clusters, then a change that replaces `prod`, removes `old-eu`, which is protected, and adds `new-eu`. */
const step = process.env.STEP;
const isChanged = step === "changed";

const app = new App();
const stack = new TerraformStack(app, "production");
new Platform(stack, "platform", { engine: Engine.TERRAFORM_DATA, ...(isChanged && { allowDeletion: ["prod"] }) });
const vsphere = new CapvsProvider(stack, "vsphere", {
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

function cluster(name: string, apiEndpoint: string, count = 3, cpus = 4): void {
  new CapvsCluster(stack, name, {
    name,
    provider: vsphere,
    apiEndpoint,
    podSubnet: "10.244.0.0/16",
    serviceSubnet: "10.96.0.0/12",
    productVersion: "2.5.0",
    controlPlane: { count, cpus, memoryMib: 8192, diskGib: 60 },
    workers: [{ group: "default", count: 2, cpus: 8, memoryMib: 16384, diskGib: 100 }],
  });
}

cluster(isChanged ? "new-eu" : "old-eu", "10.20.0.10");
if (step !== "first") {
  cluster("prod", "10.20.0.11", ...(isChanged ? ([5, 8] as const) : []));
  cluster("stage", "10.20.0.12");
}
app.synth();
