import type { TerraformStack } from "cdktf";
import { CapovCluster, CapovProvider, Secret } from "cdktf-cluster-platform";

export function capov(stack: TerraformStack) {
  const provider = new CapovProvider(stack, "ov", {
    name: "ov-main",
    url: "https://engine.example.com/ovirt-engine/api",
    username: "clusters@internal",
    password: Secret.fromEnv("CAPOV_PASSWORD"),
    datacenter: "eu",
    computeCluster: "hosts-01",
    vnicProfile: "clusters",
    csiStorageDomainName: "ssd-01",
    templates: [{ template: "ubuntu-22.04-k8s-1.28.3", kubernetesVersion: "v1.28.3" }],
    templateNetworkInterface: "enp1s0",
  });

  new CapovCluster(stack, "ov-prod", {
    name: "ov-prod",
    provider,
    apiEndpoint: "10.20.2.10",
    podSubnet: "10.244.0.0/16",
    serviceSubnet: "10.96.0.0/12",
    kubernetesVersion: "v1.28.3",
    productVersion: "2.5.0",
    controlPlane: {
      count: 3,
      cpu: { cores: 2, sockets: 2, threads: 1 },
      memoryMb: 8192,
      guaranteedMemoryMb: 4096,
      diskGb: 60,
    },
    workers: [{ group: "default", count: 3, cpu: { cores: 4, sockets: 2, threads: 1 }, memoryMb: 16384, diskGb: 100 }],
  });
}
