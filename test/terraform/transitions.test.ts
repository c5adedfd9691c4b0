import { DataResource, type TerraformStack } from "cdktf";
import { CapvsProvider } from "../../src/constructs/types/capvs";
import { Platform } from "../../src/constructs/platform";
import { startSimulator } from "../../src/simulator";
import { cluster, provider } from "../support/capvs";
import { accessTo, writesTo } from "../support/service";
import { testInRest } from "./test-on-backends";
import { hooksAt } from "./processes";
import { inOneLine, type StackFixture } from "./stack-fixture";

/**
 * Sequences of Terraform runs and their effect on the service: the edits in test/world/tables.md. Each test has a
 * fixture of its own, so they run concurrently.
 */

/** Kills the create hook of a cluster after the service has carried out its request and before it answers. */
function killAfterPost(fixture: StackFixture, name: string): void {
  fixture.simulator.onResponse = async ({ method, body }) => {
    if (method !== "POST" || (body as { cluster?: { clusterName: string } }).cluster?.clusterName !== name) return;
    for (const hook of await hooksAt(fixture.simulator)) if (hook.name === name) process.kill(hook.pid, "SIGKILL");
  };
}

testInRest("a change that does not concern the service sends nothing, even if the service is down", async (fixture) => {
  fixture.declare(["prod", "stage"]);
  await fixture.applied();
  const before = fixture.simulator.requests.length;
  fixture.simulator.inject({ kind: "status", status: 500 });

  await fixture.applied();
  fixture.workspace.synth((stack) => {
    const renamed = new Platform(stack, "renamed", {
      engine: fixture.engine,
      deletionProtection: true,
      retain: ["prod"],
      timeouts: { createSeconds: 1 },
      pollSeconds: 1,
    });
    cluster(stack, "stage", CapvsProvider.fromName("vsphere"), { id: "moved-before-its-provider", platform: renamed });
    const on = provider(renamed, "vsphere", { id: "renamed" });
    cluster(renamed, "prod", on, { id: "moved-below-the-platform", adopt: true });
  });
  const [guard, ...rest] = await fixture.workspace.plan();
  expect(rest).toEqual([]);
  expect(guard).toMatchObject({
    address: "terraform_data.cluster_platform_protection",
    actions: ["update"],
    change: {
      before: { input: { deletionProtection: [], retain: [], adopt: [] } },
      after: { input: { deletionProtection: ["*"], retain: ["prod"], adopt: ["capvs/clusters/prod"] } },
    },
  });
  await fixture.applied();
  expect(await fixture.workspace.plan()).toEqual([]);
  expect(fixture.simulator.requests.length).toBe(before);
});

testInRest("clusters of a loop in another order stay the same clusters, although their constructs swap ids", async (fixture) => {
  const declare = (names: readonly string[]) =>
    fixture.workspace.synth((stack) => {
      fixture.platform(stack);
      const on = provider(stack);
      names.forEach((name, index) => cluster(stack, name, on, { id: `cluster-${index}` }));
    });
  declare(["a", "b", "c"]);
  await fixture.applied();
  declare(["c", "a", "b"]);
  expect(await fixture.workspace.plan()).toEqual([]);
});

testInRest("taint deletes nothing: the create hook says that the name is taken, and untaint repairs it", async (fixture) => {
  fixture.declare(["prod"]);
  await fixture.applied();
  await fixture.workspace.run(["taint", fixture.address("prod")]);
  expect(await fixture.failed()).toContain("the service already has cluster prod");
  await fixture.workspace.run(["untaint", fixture.address("prod")]);
  await fixture.converges();
  expect(fixture.happened()).toEqual(["+vsphere", "+prod"]);
});

testInRest(
  "-target that leaves out a removal touches nothing and says what to do; the next apply does the rest",
  async (fixture) => {
    fixture.declare(["prod", "stage"]);
    await fixture.applied();
    fixture.declare(["stage"]);
    const { output } = await fixture.workspace.apply({ args: [`-target=${fixture.address("stage")}`] });
    // OpenTofu leaves out the orphan check too.
    expect(inOneLine(output)).toMatch(/or this run has -target, -exclude or -replace|0 added, 0 changed, 0 destroyed/);
    expect(fixture.live()).toEqual(["prod", "stage", "vsphere"]);
    await fixture.converges();
    expect(fixture.live()).toEqual(["stage", "vsphere"]);
  },
);

testInRest("destroy -target deletes a cluster alone, and a provider with all clusters of its type", async (fixture) => {
  const providers = [`${fixture.engine}.capvs_providers["vsphere"]`];
  fixture.workspace.synth((stack: TerraformStack) => {
    fixture.platform(stack);
    cluster(stack, "prod", provider(stack));
    cluster(stack, "stage", provider(stack, "other"));
  });
  await fixture.applied();
  await fixture.workspace.destroy({ args: [`-target=${fixture.address("prod")}`] });
  expect(fixture.live()).toEqual(["other", "stage", "vsphere"]);
  await fixture.workspace.destroy({ args: providers.map((address) => `-target=${address}`) });
  expect(fixture.live()).toEqual(["other"]);
});

testInRest("the next apply finds the object of a killed create", async (fixture) => {
  fixture.declare(["prod", "stage"]);
  killAfterPost(fixture, "prod");
  expect(await fixture.failed()).toContain("signal: killed. Output: cluster prod: creating; if this run is interrupted");
  expect(await fixture.converges()).toContain("cluster prod: created by an earlier apply that was interrupted");
  expect(fixture.live()).toEqual(["prod", "stage", "vsphere"]);
});

testInRest("the object of a killed create that leaves the code is named, until it is adopted and removed", async (fixture) => {
  fixture.declare(["prod", "stage"]);
  killAfterPost(fixture, "prod");
  await fixture.failed();
  fixture.declare(["stage"]);
  expect(await fixture.failed()).toContain("removed or destroyed, but still on the service: capvs/clusters/prod");
  expect(await fixture.failed()).toContain("capvs/clusters/prod");

  fixture.declare(["prod", "stage"]);
  await fixture.converges({ env: { CLUSTER_PLATFORM_ADOPT: "capvs/clusters/prod" } });
  fixture.declare(["stage"]);
  await fixture.converges();
  expect(fixture.live()).toEqual(["stage", "vsphere"]);
});

testInRest("another service without any object in the state does not make the state forget them", async (fixture) => {
  fixture.declare(["prod"]);
  await fixture.applied();
  const other = await startSimulator();
  try {
    const destroyed = await fixture.workspace.destroy({ env: accessTo(other) });
    expect(inOneLine(destroyed.output)).toContain("none of the 2 objects that the state has");
    fixture.workspace.synth((stack) => void fixture.platform(stack));
    expect(await fixture.failed({ env: accessTo(other) })).toContain(`is on the service at ${other.url}. Is it the right one?`);
    expect(writesTo(other)).toEqual([]);
  } finally {
    await other.close();
  }
  await fixture.converges();
  expect(fixture.happened()).toEqual(["+vsphere", "+prod", "-prod", "-vsphere"]);
});

testInRest("a replacement whose deletion fails does not affect the replacement of its sibling", async (fixture) => {
  const declare = (domain: string) =>
    fixture.workspace.synth((stack) => {
      fixture.platform(stack);
      const on = provider(stack);
      for (const name of ["prod", "stuck"]) cluster(stack, name, on, { ingress: `${name}.${domain}` });
    });
  declare("example.com");
  await fixture.applied();
  fixture.simulator.inject({ kind: "status", status: 403, method: "DELETE", path: "/api/v1/clusters/stuck" });
  declare("example.org");
  expect(await fixture.failed()).toContain("DELETE /api/v1/clusters/stuck: 403");
  expect(fixture.happened().slice(3)).toEqual(["-prod", "+prod"]);
  fixture.simulator.heal();
  await fixture.converges();
});

testInRest("a failed removal delays the creations of the same apply until one succeeds", async (fixture) => {
  fixture.declare(["gone", "prod"]);
  await fixture.applied();
  fixture.simulator.inject({ kind: "status", status: 403, method: "DELETE", path: "/api/v1/clusters/gone" });
  fixture.declare(["prod", "new"]);
  expect(await fixture.failed()).toContain("DELETE /api/v1/clusters/gone: 403");
  expect(fixture.live()).toEqual(["gone", "prod", "vsphere"]);
  fixture.declare(["prod", "new"], { retain: ["gone"] });
  await fixture.converges();
  expect(fixture.live()).toEqual(["gone", "new", "prod", "vsphere"]);
});

testInRest(
  "a value that is unknown during the plan replaces its object, even if it turns out to be the same",
  async (fixture) => {
    const declare = (version: number) =>
      fixture.workspace.synth((stack) => {
        fixture.platform(stack);
        const source = new DataResource(stack, "source");
        source.addOverride("input", "apps.example.com");
        source.addOverride("triggers_replace", version);
        const on = provider(stack);
        cluster(stack, "prod", on, { ingress: source.getStringAttribute("output") });
        cluster(stack, "stage", on);
      });
    const planned = async () =>
      (await fixture.workspace.plan()).find(({ address }) => address === fixture.address("prod"))?.actions;
    declare(1);
    await fixture.converges();
    declare(2);
    expect(await planned()).toEqual(["delete", "create"]);
    await fixture.converges();
    expect(fixture.happened().slice(3)).toEqual(["-prod", "+prod"]);

    declare(3);
    await fixture.applied({ args: ["-target=terraform_data.source"] });
    await fixture.converges();
    expect(fixture.happened()).toHaveLength(5);
  },
);

testInRest("a Platform that is just removed takes the hooks along: its objects live on unmanaged", async (fixture) => {
  fixture.declare(["prod"]);
  await fixture.applied();
  const before = fixture.simulator.requests.length;
  fixture.workspace.synth(() => undefined);
  await fixture.converges();
  expect(fixture.simulator.requests.length).toBe(before);
  expect(fixture.live()).toEqual(["prod", "vsphere"]);
});

testInRest(
  "a Platform with another name is another Platform: its creates are refused, and adopted on demand",
  async (fixture) => {
    fixture.declare(["prod"]);
    await fixture.applied();
    fixture.declare(["prod"], { name: "eu" });
    expect(await fixture.failed()).toContain("the service already has capvs provider vsphere");
    await fixture.converges({ env: { CLUSTER_PLATFORM_ADOPT: "capvs/providers/vsphere,capvs/clusters/prod" } });
    expect(fixture.happened()).toEqual(["+vsphere", "+prod"]);
  },
);
