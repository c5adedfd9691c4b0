import type { TerraformStack } from "cdktf";
import { CapycCluster, CapycProvider, Secret } from "cdktf-cluster-platform";

export function capyc(stack: TerraformStack) {
  const provider = new CapycProvider(stack, "yc", {
    name: "yc-main",
    serviceAccountKey: Secret.fromEnv("CAPYC_SERVICE_ACCOUNT_KEY"),
    folderId: "b1gexamplefolder",
    networkId: "enpexamplenetwork",
    subnetId: "e9bexamplesubnet",
    zoneId: "zone-a",
    allowedPlatformIds: ["standard-v3"],
    diskTypes: ["network-ssd"],
    templates: [{ template: "fd8exampleimage", kubernetesVersion: "v1.28.3" }],
  });

  const machine = { platformId: "standard-v3", diskType: "network-ssd" };
  new CapycCluster(stack, "yc-prod", {
    name: "yc-prod",
    provider,
    podSubnet: "10.244.0.0/16",
    serviceSubnet: "10.96.0.0/12",
    ingress: "apps.yc.example.com",
    kubernetesVersion: "v1.28.3",
    productVersion: "2.5.0",
    controlPlane: { count: 3, cpus: 4, memorySize: "8Gi", diskSize: "60Gi", ...machine },
    workers: [{ group: "default", count: 3, cpus: 8, memorySize: "16Gi", diskSize: "100Gi", ...machine }],
  });
}
