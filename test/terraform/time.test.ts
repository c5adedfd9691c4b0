import { cluster, provider } from "../support/capvs";
import { backends } from "../support/tools";
import { inRest, testOn } from "./test-on-backends";

const notReady = { provisionSeconds: 1_000 };
const testTime = testOn(backends, notReady);
const testTimeInRest = testOn(inRest(backends), notReady);

testTime(
  "a wait that times out shows the last phases, conditions and the time, and the next apply continues to wait",
  async (fixture) => {
    // Keeps every cluster half-way through its provisioning.
    fixture.simulator.onRequest = () => {
      for (const { createdAt } of fixture.simulator.clusters) {
        fixture.simulator.timing.provisionSeconds = (2 * (Date.now() - createdAt)) / 1000;
      }
    };
    fixture.declare(["prod"], { pollSeconds: 5 });
    const output = await fixture.failed();
    expect(output).toMatch(/1 of 1 clusters not ready after \d+m? ?\d*s? \(timeouts\.readySeconds\)/);
    expect(output).toContain("cluster prod: Pending [InfrastructureReady] Nothing was undone");
    fixture.simulator.onRequest = undefined;
    fixture.simulator.timing.provisionSeconds = 0;
    fixture.declare(["prod"]);
    await fixture.converges();
    expect(fixture.happened()).toEqual(["+vsphere", "+prod"]);
  },
);

testTimeInRest("a look that hangs until the timeout ends in the same error", async (fixture) => {
  fixture.simulator.onResponse = ({ method }) => {
    if (method !== "POST" || fixture.simulator.clusters.length === 0) return;
    // The first list of providers and of clusters pass. All later ones hang.
    fixture.simulator.inject({ kind: "hang", method: "GET", skip: 2 });
  };
  fixture.declare(["prod"], { timeouts: { readySeconds: 3, requestSeconds: 2 } });
  const output = await fixture.failed();
  expect(output).toContain("1 of 1 clusters not ready after");
  expect(output).toMatch(/cluster prod: (Pending|accepted, no phase yet).*The last look failed/);
});

testTimeInRest("a wait outlasts an outage of the service", async (fixture) => {
  fixture.declare(["prod"]);
  fixture.simulator.onResponse = ({ method, path }) => {
    if (method !== "GET" || path !== "/api/v1/clusters" || fixture.simulator.clusters.length === 0) return;
    fixture.simulator.onResponse = undefined;
    fixture.simulator.timing.provisionSeconds = 0;
    // More failures than the client's own retries.
    fixture.simulator.inject({ kind: "html", method: "GET", path: "/api/v1/clusters", times: 3 });
  };
  fixture.simulator.timing.provisionSeconds = 1_000;
  const output = await fixture.applied();
  expect(output).toContain("cannot read the service");
  expect(output).toContain("cluster prod is ready after");
});

testTimeInRest("an unknown phase means pending, and readiness is confirmed by a second look", async (fixture) => {
  fixture.simulator.timing.provisionSeconds = 0;
  const phases = ["Upgrading", "Provisioned", "Pending", "Provisioned", "Provisioned"];
  fixture.simulator.onRequest = async ({ method, path }) => {
    const item = fixture.simulator.clusters[0];
    if (method !== "GET" || path !== "/api/v1/clusters" || item === undefined || phases.length === 0) return;
    const body = { items: [{ clusterName: "prod", providerType: "capvs", phase: phases.shift() }], count: 1 };
    fixture.simulator.inject({ kind: "status", status: 200, body, method: "GET", path: "/api/v1/clusters", times: 1 });
  };
  fixture.declare(["prod"]);
  const output = await fixture.applied();
  expect(output).toContain("cluster prod: Upgrading");
  expect(phases).toEqual([]);
});

testTimeInRest("a cluster that is not waited for delays nothing, but must exist", async (fixture) => {
  fixture.workspace.synth((stack) => {
    fixture.platform(stack);
    cluster(stack, "prod", provider(stack), { waitForReady: false });
  });
  await fixture.converges();
  fixture.simulator.remove("clusters", "capvs", "prod");
  const again = await fixture.failed({ args: ["-replace=terraform_data.cluster_platform_ready"] });
  expect(again).toContain("cluster prod is in Terraform's state but not on the service");
  expect(again).toContain(`terraform apply -replace='${fixture.address("prod")}'`);
});

testTimeInRest("a missing cluster is named with a command that creates it again, even if it is protected", async (fixture) => {
  fixture.simulator.timing.provisionSeconds = 0;
  fixture.declare(["prod", "stage", "test"], { deletionProtection: ["prod", "test"] });
  await fixture.applied();
  fixture.simulator.remove("clusters", "capvs", "prod");
  fixture.simulator.remove("clusters", "capvs", "stage");
  const happened = fixture.happened().length;
  const replacing = ["prod", "stage"].map((name) => `-replace=${fixture.address(name)}`);
  expect(await fixture.failed({ args: ["-replace=terraform_data.cluster_platform_ready"] })).toContain(
    `Create them again: CLUSTER_PLATFORM_ACCEPT_GONE=capvs/clusters/prod,capvs/clusters/stage terraform apply ${replacing.map((option) => option.replace("=", "='")).join("' ")}'`,
  );
  await fixture.converges({ args: replacing, env: { CLUSTER_PLATFORM_ACCEPT_GONE: "capvs/clusters/prod,capvs/clusters/stage" } });
  expect(fixture.happened().slice(happened).sort()).toEqual(["+prod", "+stage"]);
});

testTimeInRest("a missing registration is named with the command that creates it again", async (fixture) => {
  fixture.simulator.timing.provisionSeconds = 0;
  fixture.declare([]);
  await fixture.applied();
  fixture.simulator.remove("providers", "capvs", "vsphere");
  fixture.declare(["prod"], { pollSeconds: 5 });
  const address = `${fixture.engine}.capvs_providers["vsphere"]`;
  expect(await fixture.failed()).toContain(`terraform apply -replace='${address}'`);
  const again = { args: ["-replace=terraform_data.cluster_platform_ready"] };
  expect(await fixture.failed(again)).toContain(`terraform apply -replace='${address}'`);
  // The service has nothing of the stack, so it may be the wrong one.
  expect(await fixture.failed({ args: [`-replace=${address}`] })).toContain(
    "run once with CLUSTER_PLATFORM_ACCEPT_GONE=capvs/providers/vsphere",
  );
  await fixture.converges({ args: [`-replace=${address}`], env: { CLUSTER_PLATFORM_ACCEPT_GONE: "capvs/providers/vsphere" } });
});
