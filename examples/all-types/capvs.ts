import type { TerraformStack } from "cdktf";
import { CapvsCluster, CapvsProvider, Secret, Services } from "cdktf-cluster-platform";

export function capvs(stack: TerraformStack) {
  const provider = new CapvsProvider(stack, "vs", {
    name: "vs-main",
    server: "vcenter.example.com:443",
    username: Secret.fromEnv("CAPVS_USERNAME"),
    password: Secret.fromEnv("CAPVS_PASSWORD"),
    datacenter: "/eu",
    datastore: "ssd-01",
    folder: "/eu/vm/clusters",
    network: "/eu/network/clusters",
    resourcePool: "/eu/host/pool-01/Resources",
    templates: [{ template: "ubuntu-22.04-k8s-1.28.3", kubernetesVersion: "v1.28.3" }],
    templateNetworkInterface: "ens192",
  });

  new CapvsCluster(stack, "vs-prod", {
    name: "vs-prod",
    provider,
    apiEndpoint: "10.20.1.10",
    podSubnet: "10.244.0.0/16",
    serviceSubnet: "10.96.0.0/12",
    ingress: "apps.vs.example.com",
    ingressVip: "10.20.1.11",
    kubernetesVersion: "v1.28.3",
    productVersion: "2.5.0",
    services: Services.all(),
    controlPlane: { count: 3, cpus: 4, memoryMib: 8192, diskGib: 60 },
    workers: [
      { group: "default", count: 3, cpus: 8, memoryMib: 16384, diskGib: 100 },
      { group: "infra", count: 2, cpus: 4, memoryMib: 8192, diskGib: 60 },
    ],
  });
}
