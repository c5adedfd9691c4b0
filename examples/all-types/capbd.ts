import type { TerraformStack } from "cdktf";
import { CapbdCluster, CapbdProvider, Secret, Services } from "cdktf-cluster-platform";

export function capbd(stack: TerraformStack) {
  const provider = new CapbdProvider(stack, "bd", {
    name: "bd-main",
    accountName: "platform",
    resourceGroupName: "clusters",
    controllerUrl: "https://controller.example.com",
    ssoUrl: "https://sso.example.com",
    appId: Secret.fromEnv("CAPBD_APP_ID"),
    appSecret: Secret.fromEnv("CAPBD_APP_SECRET"),
    externalNetworkName: "internet",
    vinsName: "clusters",
    haLoadBalancer: true,
    templates: [{ template: "ubuntu-22.04-k8s-1.28.3", kubernetesVersion: "v1.28.3" }],
    templateNetworkInterface: "ens3",
  });

  new CapbdCluster(stack, "bd-prod", {
    name: "bd-prod",
    provider,
    apiEndpoint: "10.20.3.10",
    podSubnet: "10.244.0.0/16",
    serviceSubnet: "10.96.0.0/12",
    kubernetesVersion: "v1.28.3",
    productVersion: "2.5.0",
    services: Services.only("product-networking", "product-caching-dns", "product-cert-manager"),
    controlPlane: {
      count: 3,
      cpus: 4,
      memory: 8192,
      diskGb: 60,
      networkInterfaces: [{ netType: "VINS", networkName: "clusters" }],
    },
    workers: [{ group: "default", count: 3, cpus: 8, memory: 16384, diskGb: 100 }],
  });
}
