import type { TerraformStack } from "cdktf";
import { CaposCluster, CaposProvider } from "cdktf-cluster-platform";

export function capos(stack: TerraformStack) {
  const provider = new CaposProvider(stack, "os", {
    name: "os-main",
    cloudName: "openstack",
    authUrl: "https://identity.example.com:5000/v3",
    projectId: "0f1e2d3c4b5a",
    userDomainName: "Default",
    projectDomainId: "default",
    regionName: "eu-1",
    externalNetworkId: "7c1f0f4e-5a57-4f9e-9a39-0e0c5c9f0a11",
    nodeSubnet: "10.6.0.0/24",
    sshKeyName: "clusters",
    flavors: ["m1.large", "m1.xlarge"],
    volumeTypes: ["ssd"],
    templates: [{ template: "ubuntu-22.04-k8s-1.28.3", kubernetesVersion: "v1.28.3" }],
    templateNetworkInterface: "ens3",
  });

  new CaposCluster(stack, "os-prod", {
    name: "os-prod",
    provider,
    podSubnet: "10.244.0.0/16",
    serviceSubnet: "10.96.0.0/12",
    kubernetesVersion: "v1.28.3",
    productVersion: "2.5.0",
    controlPlane: { count: 3, flavor: "m1.large", volumeType: "ssd", volumeSize: 60 },
    workers: [{ group: "default", count: 3, flavor: "m1.xlarge", volumeType: "ssd", volumeSize: 100 }],
  });
}
