import { App, TerraformStack } from "cdktf";
import { type Capsmv2Host, Capsmv2Cluster, Capsmv2Provider, Engine, Platform, Secret } from "cdktf-cluster-platform";
import type { Construct } from "constructs";

const RACKS = 40;
const MACHINES_PER_RACK = 50;

/** Two thousand machines. The first of every rack may be a control plane node, and the others are workers. */
const hosts: Capsmv2Host[] = Array.from({ length: RACKS * MACHINES_PER_RACK }, (_, index) => {
  const rack = Math.floor(index / MACHINES_PER_RACK);
  const slot = index % MACHINES_PER_RACK;
  return {
    address: `10.64.${rack}.${slot + 10}`,
    labels: {
      role: slot === 0 ? "control-plane" : "worker",
      rack: `r${String(rack).padStart(2, "0")}`,
      // Every machine has a key of its own, so that a cluster can ask for exactly one machine.
      [`inventory.example.com/m${String(index).padStart(5, "0")}`]: "true",
    },
  };
});

class BareMetal extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);

    // The URL of the service comes from CLUSTER_PLATFORM_URL when Terraform runs.
    new Platform(this, "platform", { engine: Engine.TERRAFORM_DATA });

    const hall = new Capsmv2Provider(this, "hall", {
      name: "hall-1",
      sshUsername: "clusters",
      sshPrivateKey: Secret.fromEnv("HALL_SSH_PRIVATE_KEY"),
      hosts,
    });

    new Capsmv2Cluster(this, "prod", {
      name: "metal-prod",
      provider: hall,
      apiEndpoint: "10.64.100.10",
      podSubnet: "10.244.0.0/16",
      serviceSubnet: "10.96.0.0/12",
      controlPlane: { count: 3, selector: { matchLabels: { role: "control-plane" } } },
      workers: [
        { group: "default", count: 1500, selector: { matchLabels: { role: "worker" } } },
        {
          group: "infra",
          count: 20,
          selector: { matchExpressions: [{ key: "rack", operator: "In", values: ["r38", "r39"] }] },
        },
      ],
    });
  }
}

const app = new App();
new BareMetal(app, "bare-metal");
app.synth();
