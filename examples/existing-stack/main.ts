import { App, DataResource, TerraformOutput, TerraformStack, TerraformVariable, Token } from "cdktf";
import { CapvsCluster, CapvsProvider, Engine, Platform, Secret } from "cdktf-cluster-platform";
import type { Construct } from "constructs";

const HOOK_RESOURCE = { engine: Engine.TERRAFORM_DATA };
const size = { cpus: 4, memoryMib: 8192, diskGib: 60 };

/** A stack that existed before it had clusters: with addresses, DNS records, variables and outputs. */
class Site extends TerraformStack {
  readonly vsphere: CapvsProvider;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const workers = new TerraformVariable(this, "workers", { type: "number", default: 3 });
    const addresses = new DataResource(this, "addresses", {
      input: { prod: "10.20.0.10", lab: "10.20.0.11" },
    });

    new Platform(this, "platform", HOOK_RESOURCE);
    this.vsphere = new CapvsProvider(this, "vsphere", {
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

    // Values flow in: an address from a resource, and a number from a variable.
    const prod = new CapvsCluster(this, "prod", {
      ...cluster("prod", this.vsphere),
      apiEndpoint: addressOf(addresses, "prod"),
      workers: [{ group: "default", count: workers.numberValue, ...size }],
    });

    // Order flows out: the record is created when the cluster is ready, and destroyed before the cluster.
    new DataResource(this, "dns-record", {
      input: { name: "prod.example.com", address: addressOf(addresses, "prod") },
      dependsOn: [prod],
    });
    new TerraformOutput(this, "prod-cluster", { value: prod.clusterName });

    new CapvsCluster(this, "lab", { ...cluster("lab", this.vsphere), apiEndpoint: addressOf(addresses, "lab") });
  }
}

/**
 * Another stack with its own state, and with the provider of the first stack. cdktf derives the order of the stacks
 * from that.
 */
class Tenant extends TerraformStack {
  constructor(scope: Construct, id: string, site: Site) {
    super(scope, id);
    new Platform(this, "platform", HOOK_RESOURCE);
    new CapvsCluster(this, "tenant", { ...cluster("tenant", site.vsphere), apiEndpoint: "10.20.0.12" });
  }
}

function addressOf(addresses: DataResource, name: string): string {
  return Token.asString(addresses.output.lookup(name));
}

function cluster(name: string, provider: CapvsProvider) {
  return {
    name,
    provider,
    podSubnet: "10.244.0.0/16",
    serviceSubnet: "10.96.0.0/12",
    kubernetesVersion: "v1.28.3",
    productVersion: "2.5.0",
    controlPlane: { count: 3, ...size },
    workers: [{ group: "default", count: 2, ...size }],
  };
}

const app = new App();
const site = new Site(app, "site");
new Tenant(app, "tenant", site);
app.synth();
