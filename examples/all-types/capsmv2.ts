import type { TerraformStack } from "cdktf";
import { Capsmv2Cluster, Capsmv2Provider, Secret, Services } from "cdktf-cluster-platform";

export function capsmv2(stack: TerraformStack) {
  const provider = new Capsmv2Provider(stack, "sm", {
    name: "sm-main",
    sshUsername: "clusters",
    sshPrivateKey: Secret.fromEnv("CAPSMV2_SSH_PRIVATE_KEY"),
    hosts: [
      { address: "10.5.0.1", labels: { role: "control-plane" } },
      { address: "10.5.0.2", labels: { role: "worker", disk: "ssd" } },
      {
        address: "10.5.0.3",
        labels: { role: "worker", disk: "hdd" },
        ssh: { username: "root", privateKey: Secret.fromEnv("CAPSMV2_HOST_SSH_PRIVATE_KEY") },
      },
    ],
  });

  new Capsmv2Cluster(stack, "sm-prod", {
    name: "sm-prod",
    provider,
    apiEndpoint: "10.20.5.10",
    podSubnet: "10.244.0.0/16",
    serviceSubnet: "10.96.0.0/12",
    services: Services.criticalOnly(),
    controlPlane: { count: 1, selector: { matchLabels: { role: "control-plane" } } },
    workers: [
      {
        group: "default",
        count: 2,
        selector: {
          matchLabels: { role: "worker" },
          matchExpressions: [{ key: "disk", operator: "In", values: ["ssd", "hdd"] }],
        },
      },
    ],
  });
}
