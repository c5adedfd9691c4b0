import { App, LocalBackend, TerraformResource, TerraformStack } from "cdktf";

/**
 * node synth.mjs ours|bare COUNT FOLDER [POLL_SECONDS]: synthesizes clusters with this package, or resources of the same size
 * with cdktf alone. Like a user's compiled program.
 */
const [, , what, count, outdir, pollSeconds] = process.argv;
const app = new App({ outdir });
const stack = new TerraformStack(app, "bench");
new LocalBackend(stack, { path: "terraform.tfstate" });
const names = Array.from({ length: Number(count) }, (_, index) => `cluster-${index}`);
const address = (index) => `10.${100 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;
const size = { cpus: 4, memoryMib: 8192, diskGib: 60 };

if (what === "ours") declareClusters(await import("../../dist/index.js"));
else declareBare();
app.synth();

function declareClusters({ CapvsCluster, CapvsProvider, Engine, Platform, Secret }) {
  new Platform(stack, "platform", {
    engine: Engine.TERRAFORM_DATA,
    deletionProtection: false,
    ...(pollSeconds && { pollSeconds: Number(pollSeconds) }),
  });
  const provider = new CapvsProvider(stack, "vsphere", {
    name: "vsphere",
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
  names.forEach((name, index) => {
    new CapvsCluster(stack, name, {
      name,
      provider,
      apiEndpoint: address(index),
      podSubnet: "10.244.0.0/16",
      serviceSubnet: "10.96.0.0/12",
      productVersion: "2.5.0",
      controlPlane: { count: 3, ...size },
      workers: [{ group: "default", count: 2, ...size }],
    });
  });
}

/** Resources like cdktf's generated classes, with the values of our clusters' triggers and bodies. */
function declareBare() {
  class Bare extends TerraformResource {
    constructor(id, triggers, input) {
      super(stack, id, {
        terraformResourceType: "terraform_data",
        terraformGeneratorMetadata: { providerName: "terraform" },
      });
      this.triggers = triggers;
      this.input = input;
    }

    synthesizeAttributes() {
      return { triggers_replace: this.triggers, input: this.input };
    }
  }
  const services = [
    ...["cert-manager-crds", "vip-provider", "update-crds", "monitoring-crds", "local-csi", "policy-manager-crds", "vip"],
    ...["node-config-crds", "services", "services-crds", "caching-dns", "cert-manager", "update", "networking", "node-config"],
  ];
  const node = (groupName, role) => ({
    nodeConfig: { groupName, roles: [{ name: `node-role.kubernetes.io/${role}` }] },
    capvsNodeConfig: { diskGiB: 60, memoryMiB: 8192, numCPUs: 4 },
  });
  names.forEach((name, index) => {
    const triggers = {
      name,
      provider: "vsphere",
      apiEndpoint: address(index),
      podSubnet: "10.244.0.0/16",
      serviceSubnet: "10.96.0.0/12",
      productVersion: "2.5.0",
      "controlPlane.count": 3,
      "controlPlane.cpus": 4,
      "controlPlane.memoryMib": 8192,
      "controlPlane.diskGib": 60,
      "workers.default.count": 2,
      "workers.default.cpus": 4,
      "workers.default.memoryMib": 8192,
      "workers.default.diskGib": 60,
    };
    new Bare(name, triggers, {
      cluster: {
        clusterName: name,
        controlPlaneNodesCount: 3,
        enabledServices: services.map((service) => `product-${service}`),
        externalKubeAPILB: false,
        externalingresslb: false,
        ingress: "",
        ingressvip: "",
        kubernetesVersion: "1.28.3",
        podSubnet: "10.244.0.0/16",
        serviceSubnet: "10.96.0.0/12",
        secure: true,
        productVersion: "2.5.0",
        apiEndpoint: address(index),
      },
      provider: {
        identityName: "vsphere",
        controlplaneNodeConfig: node("control-plane", "control-plane"),
        workerNodeConfigs: [{ workersCount: 2, ...node("default", "workers") }],
        enableCSI: true,
      },
    });
  });
}
