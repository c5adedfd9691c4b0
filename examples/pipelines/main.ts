import { App, HttpBackend, TerraformStack } from "cdktf";
import { CapvsCluster, CapvsProvider, Engine, Platform, Secret } from "cdktf-cluster-platform";
import type { Construct } from "constructs";

/** One site: its vSphere installation and one cluster on it, with its own stack and state. */
class Site extends TerraformStack {
  constructor(scope: Construct, id: string, { workers, octet }: { workers: number; octet: number }) {
    super(scope, id);

    // Credentials of the backend come from TF_HTTP_USERNAME and TF_HTTP_PASSWORD when Terraform runs. Values in the
    // code or in `init -backend-config` would be in every saved plan.
    const state = `${process.env.STATE_URL ?? "https://state.example.com"}/${id}`;
    new HttpBackend(this, {
      address: state,
      lockAddress: `${state}/lock`,
      lockMethod: "POST",
      unlockAddress: `${state}/lock`,
      unlockMethod: "DELETE",
    });

    new Platform(this, "platform", { engine: Engine.TERRAFORM_DATA, deletionProtection: ["production*"] });

    const vsphere = new CapvsProvider(this, "vsphere", {
      name: `vsphere-${id}`,
      server: `vcenter.${id}.example.com:443`,
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

    new CapvsCluster(this, "cluster", {
      name: id,
      provider: vsphere,
      apiEndpoint: `10.20.${octet}.10`,
      podSubnet: "10.244.0.0/16",
      serviceSubnet: "10.96.0.0/12",
      kubernetesVersion: "v1.28.3",
      productVersion: "2.5.0",
      controlPlane: { count: 3, cpus: 4, memoryMib: 8192, diskGib: 60 },
      workers: [{ group: "default", count: workers, cpus: 8, memoryMib: 16384, diskGib: 100 }],
    });
  }
}

const app = new App();
const staging = new Site(app, "staging", { workers: 2, octet: 1 });
const production = new Site(app, "production", { workers: 5, octet: 2 });
// Changes are deployed to staging first.
production.addDependency(staging);
app.synth();
