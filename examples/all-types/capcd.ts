import type { TerraformStack } from "cdktf";
import { CapcdCluster, CapcdProvider, Secret } from "cdktf-cluster-platform";

export function capcd(stack: TerraformStack) {
  const provider = new CapcdProvider(stack, "cd", {
    name: "cd-main",
    url: "https://director.example.com",
    org: "platform",
    username: Secret.fromEnv("CAPCD_USERNAME"),
    password: Secret.fromEnv("CAPCD_PASSWORD"),
    refreshToken: Secret.fromEnv("CAPCD_REFRESH_TOKEN"),
    ovdc: "eu-01",
    network: "clusters",
    catalog: "images",
    sizingPolicies: ["small", "large"],
    templates: [{ template: "ubuntu-22.04-k8s-1.28.3", kubernetesVersion: "v1.28.3" }],
  });

  new CapcdCluster(stack, "cd-prod", {
    name: "cd-prod",
    provider,
    podSubnet: "10.244.0.0/16",
    serviceSubnet: "10.96.0.0/12",
    ingress: "apps.cd.example.com",
    apiVipSubnet: "clusters-api",
    serviceVipSubnet: "clusters-services",
    kubernetesVersion: "v1.28.3",
    productVersion: "2.5.0",
    controlPlane: { count: 3, diskSize: "60Gi", sizingPolicy: "small" },
    workers: [{ group: "default", count: 3, diskSize: "100Gi", sizingPolicy: "large" }],
  });
}
