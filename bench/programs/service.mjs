import { startSimulator } from "../../dist/simulator/index.js";

/** Runs the embedded service in a process of its own. The parent process controls it. */
const { clusters = 0, ...options } = JSON.parse(process.argv[2]);
const simulator = await startSimulator(options);
for (let index = 0; index < clusters; index++) simulator.add("clusters", "capvs", cluster(`cluster-${index}`));

process.on("message", async (wish) => {
  if (wish === "requests") process.send(simulator.requests.map(shown));
  if (wish.clusters) {
    for (const body of wish.clusters) simulator.add("clusters", "capvs", body);
    process.send({});
  }
  if (wish === "stop") {
    await simulator.close();
    process.send({ peakKib: process.resourceUsage().maxRSS });
    process.disconnect();
  }
});
process.on("disconnect", () => process.exit());
process.send({ url: simulator.url, token: simulator.token });

function shown({ method, path, at, body }) {
  return { method, path, at, ...(method === "POST" && { body }) };
}

function cluster(name) {
  const node = (groupName) => ({
    nodeConfig: { groupName, roles: [{ name: "node-role.kubernetes.io/workers" }] },
    capvsNodeConfig: { diskGiB: 60, memoryMiB: 8192, numCPUs: 4 },
  });
  return {
    cluster: {
      clusterName: name,
      controlPlaneNodesCount: 3,
      enabledServices: ["product-networking"],
      externalKubeAPILB: false,
      externalingresslb: false,
      ingress: "",
      ingressvip: "",
      kubernetesVersion: null,
      podSubnet: "10.244.0.0/16",
      serviceSubnet: "10.96.0.0/12",
      secure: true,
      productVersion: "2.5.0",
      apiEndpoint: "10.0.0.1",
    },
    provider: {
      identityName: "vsphere",
      controlplaneNodeConfig: node("control-plane"),
      workerNodeConfigs: [{ workersCount: 2, ...node("default") }],
      enableCSI: true,
    },
  };
}
