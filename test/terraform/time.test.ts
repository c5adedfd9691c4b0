import { cluster, provider } from "../support/capvs";
import { grounds } from "../support/tools";
import { playsOn } from "./plays";

const plays = playsOn(grounds.slice(0, 1), { provisionSeconds: 1_000 });

plays(
  "a wait that runs out shows the last phases, conditions and the time, and the next apply goes on waiting",
  async (stage) => {
    // Always half-way, however old the cluster is.
    stage.simulator.onRequest = () => {
      for (const { createdAt } of stage.simulator.clusters) {
        stage.simulator.timing.provisionSeconds = (2 * (Date.now() - createdAt)) / 1000;
      }
    };
    stage.declare(["prod"], { timeouts: { readySeconds: 3 } });
    const output = await stage.failed();
    expect(output).toContain("1 of 1 clusters not ready after 3s (timeouts.readySeconds)");
    expect(output).toContain("cluster prod: Pending [InfrastructureReady] Nothing was undone");
    stage.simulator.onRequest = undefined;
    stage.simulator.timing.provisionSeconds = 0;
    stage.declare(["prod"]);
    await stage.converges();
    expect(stage.happened()).toEqual(["+vsphere", "+prod"]);
  },
);

plays("a look that hangs until the time is over ends in the same error", async (stage) => {
  stage.simulator.onResponse = ({ method }) => {
    if (method !== "POST" || stage.simulator.clusters.length === 0) return;
    // The first looks of the wait, at providers and at clusters, pass; all later ones hang.
    stage.simulator.inject({ kind: "hang", method: "GET", skip: 2 });
  };
  stage.declare(["prod"], { timeouts: { readySeconds: 3 } });
  const output = await stage.failed();
  expect(output).toContain("1 of 1 clusters not ready after");
  expect(output).toMatch(/cluster prod: (Pending|accepted, no phase yet).*The last look did not succeed/);
});

plays("a wait outlasts an outage of the service", async (stage) => {
  stage.declare(["prod"]);
  stage.simulator.onResponse = ({ method, path }) => {
    if (method !== "GET" || path !== "/api/v1/clusters" || stage.simulator.clusters.length === 0) return;
    stage.simulator.onResponse = undefined;
    stage.simulator.timing.provisionSeconds = 0;
    // More than the client itself repeats a request.
    stage.simulator.inject({ kind: "html", method: "GET", path: "/api/v1/clusters", times: 3 });
  };
  stage.simulator.timing.provisionSeconds = 1_000;
  const output = await stage.applied();
  expect(output).toContain("the service cannot be seen");
  expect(output).toContain("cluster prod is ready after");
});

plays("an unknown phase means pending, and ready is confirmed by a second look", async (stage) => {
  stage.simulator.timing.provisionSeconds = 0;
  const phases = ["Upgrading", "Provisioned", "Pending", "Provisioned", "Provisioned"];
  stage.simulator.onRequest = async ({ method, path }) => {
    const item = stage.simulator.clusters[0];
    if (method !== "GET" || path !== "/api/v1/clusters" || item === undefined || phases.length === 0) return;
    const body = { items: [{ clusterName: "prod", providerType: "capvs", phase: phases.shift() }], count: 1 };
    stage.simulator.inject({ kind: "status", status: 200, body, method: "GET", path: "/api/v1/clusters", times: 1 });
  };
  stage.declare(["prod"]);
  const output = await stage.applied();
  expect(output).toContain("cluster prod: Upgrading");
  expect(phases).toEqual([]);
});

plays("a deletion that runs out of time is kept in the state, and the next apply goes on", async (stage) => {
  stage.simulator.timing.provisionSeconds = 0;
  stage.declare(["prod"]);
  await stage.applied();
  stage.simulator.timing.deleteSeconds = 1_000;
  stage.declare([], { timeouts: { deleteSeconds: 1 } });
  expect(await stage.failed()).toMatch(/cluster prod is still on the service after \d+s \(timeouts\.deleteSeconds\)/);
  const asked = stage.writes().length;
  stage.simulator.remove("clusters", "capvs", "prod");
  await stage.converges();
  expect(stage.writes().length).toBe(asked);
});

plays("a cluster that is not waited for holds nothing up, but has to be there", async (stage) => {
  stage.workspace.synth((stack) => {
    stage.platform(stack);
    cluster(stack, "prod", provider(stack), { waitForReady: false });
  });
  await stage.converges();
  stage.simulator.remove("clusters", "capvs", "prod");
  const again = await stage.failed({ args: ["-replace=terraform_data.ready"] });
  expect(again).toContain("cluster prod is in Terraform's state but not on the service");
  expect(again).toContain(`terraform apply -replace='${stage.address("prod")}'`);
});

plays("what is gone and protected is named with commands that create it anew, and these do", async (stage) => {
  stage.simulator.timing.provisionSeconds = 0;
  stage.declare(["prod", "stage"], { deletionProtection: ["prod"] });
  await stage.applied();
  stage.simulator.remove("clusters", "capvs", "prod");
  stage.simulator.remove("clusters", "capvs", "stage");
  const [prod, other] = [stage.address("prod"), stage.address("stage")];
  expect(await stage.failed({ args: ["-replace=terraform_data.ready"] })).toContain(
    `To create anew: terraform state rm '${prod}', then terraform apply -replace='${other}'`,
  );
  expect(await stage.failed({ args: [`-replace=${prod}`] })).toContain("PROTECTED");
  expect(await stage.workspace.run(["state", "rm", prod])).toMatchObject({ status: 0 });
  await stage.converges({ args: [`-replace=${other}`] });
});

plays("a registration that is gone is named with what creates it anew", async (stage) => {
  stage.simulator.timing.provisionSeconds = 0;
  stage.declare([]);
  await stage.applied();
  stage.simulator.remove("providers", "capvs", "vsphere");
  stage.declare(["prod"], { timeouts: { createSeconds: 20 } });
  const address = 'terraform_data.capvs_providers["vsphere"]';
  expect(await stage.failed()).toContain(`terraform apply -replace='${address}'`);
  expect(await stage.failed({ args: ["-replace=terraform_data.ready"] })).toContain(`terraform apply -replace='${address}'`);
  // Nothing of the stack is on the service, which may be the wrong one.
  expect(await stage.failed({ args: [`-replace=${address}`] })).toContain("run it once with CLUSTER_PLATFORM_ACCEPT_GONE=1");
  await stage.converges({ args: [`-replace=${address}`], env: { CLUSTER_PLATFORM_ACCEPT_GONE: "1" } });
});
