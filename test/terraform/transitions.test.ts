import { DataResource, type TerraformStack } from "cdktf";
import { CapvsProvider } from "../../src/constructs/capvs";
import { Platform } from "../../src/constructs/platform";
import { startSimulator } from "../../src/simulator";
import { cluster, provider } from "../support/capvs";
import { accessTo, writesTo } from "../support/service";
import { plays } from "./plays";
import { hooksAt } from "./processes";
import { inOneLine, type Stage } from "./stage";

/**
 * What Terraform does to a stack, and what the service sees of it: the rows of the table in docs/lifecycle.md. Every
 * test has a stage of its own, so they run side by side.
 */

/** Lets the create hook of a cluster be killed when its request was carried out and the answer is about to leave. */
function killAfterPost(stage: Stage, name: string): void {
  stage.simulator.onResponse = async ({ method, body }) => {
    if (method !== "POST" || (body as { cluster?: { clusterName: string } }).cluster?.clusterName !== name) return;
    for (const hook of await hooksAt(stage.simulator)) if (hook.name === name) process.kill(hook.pid, "SIGKILL");
  };
}

plays("a change that is none of the service's asks it for nothing, even when it is down", async (stage) => {
  stage.declare(["prod", "stage"]);
  await stage.applied();
  const before = stage.simulator.requests.length;
  stage.simulator.inject({ kind: "status", status: 500 });

  await stage.applied();
  stage.workspace.synth((stack) => {
    const renamed = new Platform(stack, "renamed", {
      engine: stage.engine,
      deletionProtection: true,
      retain: ["prod"],
      timeouts: { createSeconds: 1 },
      pollSeconds: 1,
    });
    cluster(stack, "stage", CapvsProvider.fromName("vsphere"), { id: "moved-before-its-provider", platform: renamed });
    const on = provider(renamed, "vsphere", { id: "renamed" });
    cluster(renamed, "prod", on, { id: "moved-below-the-platform", adopt: true });
  });
  expect((await stage.workspace.plan()).map(({ address, actions }) => [address, ...actions])).toEqual([
    ["terraform_data.deletion_guard", "update"],
  ]);
  await stage.applied();
  expect(await stage.workspace.plan()).toEqual([]);
  expect(stage.simulator.requests.length).toBe(before);
});

plays("clusters of a loop in another order are the same clusters, though their constructs trade ids", async (stage) => {
  const declare = (names: readonly string[]) =>
    stage.workspace.synth((stack) => {
      stage.platform(stack);
      const on = provider(stack);
      names.forEach((name, index) => cluster(stack, name, on, { id: `cluster-${index}` }));
    });
  declare(["a", "b", "c"]);
  await stage.applied();
  declare(["c", "a", "b"]);
  expect(await stage.workspace.plan()).toEqual([]);
});

plays("what is protected is refused before anything is deleted, in a removal and in a destroy", async (stage) => {
  const protection = { deletionProtection: ["prod"] };
  stage.declare(["prod", "stage"], protection);
  await stage.applied();
  stage.declare([], protection);
  expect(await stage.failed()).toContain("capvs/clusters/prod is protected from deletion; nothing was deleted");
  const destroyed = await stage.workspace.destroy();
  expect(inOneLine(destroyed.output)).toContain("capvs/clusters/prod is protected from deletion; nothing was deleted");
  expect(stage.live()).toEqual(["prod", "stage", "vsphere"]);
  stage.declare([], { ...protection, allowDeletion: ["prod"] });
  await stage.converges();
  expect(stage.live()).toEqual(["vsphere"]);
});

plays("-replace deletes, then creates, and leaves the sibling alone", async (stage) => {
  stage.declare(["prod", "stage"]);
  await stage.applied();
  await stage.applied({ args: [`-replace=${stage.address("prod")}`] });
  expect(stage.happened().slice(3)).toEqual(["-prod", "+prod"]);
  expect(await stage.workspace.plan()).toEqual([]);
});

plays("taint deletes nothing: the create hook says that the name lives, and untaint repairs it", async (stage) => {
  stage.declare(["prod"]);
  await stage.applied();
  await stage.workspace.run(["taint", stage.address("prod")]);
  expect(await stage.failed()).toContain("the name of cluster prod is taken");
  await stage.workspace.run(["untaint", stage.address("prod")]);
  await stage.converges();
  expect(stage.happened()).toEqual(["+vsphere", "+prod"]);
});

plays("-target creates what it names and what that needs; the next apply does the rest", async (stage) => {
  stage.declare(["prod", "stage"]);
  await stage.applied({ args: [`-target=${stage.address("prod")}`] });
  expect(stage.live()).toEqual(["prod", "vsphere"]);
  await stage.converges();
  expect(stage.live()).toEqual(["prod", "stage", "vsphere"]);
});

plays("-target that leaves out a removal touches nothing, and says what to do; the next apply does the rest", async (stage) => {
  stage.declare(["prod", "stage"]);
  await stage.applied();
  stage.declare(["stage"]);
  const { output } = await stage.workspace.apply({ args: [`-target=${stage.address("stage")}`] });
  // OpenTofu leaves out the orphan check as well.
  expect(inOneLine(output)).toMatch(/If this run has -target, .* apply without it|0 added, 0 changed, 0 destroyed/);
  expect(stage.live()).toEqual(["prod", "stage", "vsphere"]);
  await stage.converges();
  expect(stage.live()).toEqual(["stage", "vsphere"]);
});

plays("destroy -target of a cluster deletes it alone; of a provider, with all clusters of its type", async (stage) => {
  const providers = [`${stage.engine}.capvs_providers["vsphere"]`];
  stage.workspace.synth((stack: TerraformStack) => {
    stage.platform(stack);
    cluster(stack, "prod", provider(stack));
    cluster(stack, "stage", provider(stack, "other"));
  });
  await stage.applied();
  await stage.workspace.destroy({ args: [`-target=${stage.address("prod")}`] });
  expect(stage.live()).toEqual(["other", "stage", "vsphere"]);
  await stage.workspace.destroy({ args: providers.map((address) => `-target=${address}`) });
  expect(stage.live()).toEqual(["other"]);
});

plays("a killed create is found again by the next apply", async (stage) => {
  stage.declare(["prod", "stage"]);
  killAfterPost(stage, "prod");
  expect(await stage.failed()).toContain("signal: killed. Output: cluster prod: creating; if interrupted");
  expect(await stage.converges()).toContain("cluster prod: created by an earlier apply that was interrupted");
  expect(stage.live()).toEqual(["prod", "stage", "vsphere"]);
});

plays("a killed create that is then removed from the code is named, until it is adopted and removed", async (stage) => {
  stage.declare(["prod", "stage"]);
  killAfterPost(stage, "prod");
  await stage.failed();
  stage.declare(["stage"]);
  expect(await stage.failed()).toContain("removed from the code, but still on the service: capvs/clusters/prod");
  expect(await stage.failed()).toContain("capvs/clusters/prod");

  stage.declare(["prod", "stage"]);
  await stage.converges({ env: { CLUSTER_PLATFORM_ADOPT: "capvs/clusters/prod" } });
  stage.declare(["stage"]);
  await stage.converges();
  expect(stage.live()).toEqual(["stage", "vsphere"]);
});

plays("a killed create fails a destroy, which names it", async (stage) => {
  stage.declare(["prod", "stage"], { timeouts: { deleteSeconds: 1 } });
  killAfterPost(stage, "prod");
  await stage.failed();
  const inUse = await stage.workspace.destroy();
  expect(inOneLine(inUse.output)).toContain("capvs provider vsphere is used by prod; nothing was sent");
  stage.declare(["prod", "stage"], { retain: ["vsphere"] });
  const named = await stage.workspace.destroy();
  expect(inOneLine(named.output)).toContain("still on the service: capvs/clusters/prod");
  expect([inUse.status, named.status]).toEqual([1, 1]);
  expect(stage.live()).toEqual(["prod", "vsphere"]);

  stage.declare(["prod"]);
  await stage.converges({ env: { CLUSTER_PLATFORM_ADOPT: "capvs/providers/vsphere,capvs/clusters/prod" } });
  expect(await stage.workspace.destroy()).toMatchObject({ status: 0 });
  expect(stage.live()).toEqual([]);
});

plays("a killed create whose removal failed and was taken back still fails a destroy, which names it", async (stage) => {
  const keepingProvider = { retain: ["vsphere"] };
  stage.declare(["prod"], keepingProvider);
  killAfterPost(stage, "prod");
  await stage.failed();
  stage.declare([], keepingProvider);
  expect(await stage.failed()).toContain("still on the service: capvs/clusters/prod");
  stage.declare(["prod"], keepingProvider);
  const named = await stage.workspace.destroy();
  expect(inOneLine(named.output)).toContain("still on the service: capvs/clusters/prod");
  expect(named.status).toBe(1);
  expect(stage.live()).toEqual(["prod", "vsphere"]);
});

plays("a create that the service carries out late is named, though its construct is removed before", async (stage) => {
  const props = { timeouts: { requestSeconds: 0.5, createSeconds: 1, deleteSeconds: 30 } };
  stage.declare([], props);
  await stage.applied();
  let carryOut = () => {};
  const late = new Promise<void>((resolve) => (carryOut = resolve));
  stage.simulator.onRequest = ({ method }) => (method === "POST" ? late : undefined);
  stage.declare(["prod"], props);
  expect(await stage.failed()).toContain("creating cluster prod failed");
  stage.declare([], props);
  const removal = stage.failed();
  setTimeout(carryOut, 5_000);
  expect(await removal).toContain("still on the service: capvs/clusters/prod");
  expect(stage.live()).toEqual(["prod", "vsphere"]);
});

plays("another service, which has nothing of what the state has, does not make the state forget it", async (stage) => {
  stage.declare(["prod"]);
  await stage.applied();
  const other = await startSimulator();
  try {
    const destroyed = await stage.workspace.destroy({ env: accessTo(other) });
    expect(inOneLine(destroyed.output)).toContain("none of the 2 objects that the state has");
    stage.workspace.synth((stack) => void stage.platform(stack));
    expect(await stage.failed({ env: accessTo(other) })).toContain(`is on the service at ${other.url}. Is it the right one?`);
    expect(writesTo(other)).toEqual([]);
  } finally {
    await other.close();
  }
  await stage.converges();
  expect(stage.happened()).toEqual(["+vsphere", "+prod", "-prod", "-vsphere"]);
});

plays("what is gone from the service altogether is forgotten on demand", async (stage) => {
  stage.declare(["prod"]);
  await stage.applied();
  stage.simulator.remove("clusters", "capvs", "prod");
  stage.simulator.remove("providers", "capvs", "vsphere");
  expect((await stage.workspace.destroy()).status).toBe(1);
  expect(await stage.workspace.destroy({ env: { CLUSTER_PLATFORM_ACCEPT_GONE: "1" } })).toMatchObject({ status: 0 });
});

plays("a replacement whose deletion fails leaves that of its sibling alone", async (stage) => {
  const declare = (domain: string) =>
    stage.workspace.synth((stack) => {
      stage.platform(stack, { timeouts: { deleteSeconds: 1 } });
      const on = provider(stack);
      for (const name of ["prod", "stuck"]) cluster(stack, name, on, { ingress: `${name}.${domain}` });
    });
  declare("example.com");
  await stage.applied();
  stage.simulator.inject({ kind: "status", status: 500, method: "DELETE", path: "/api/v1/clusters/stuck" });
  declare("example.org");
  expect(await stage.failed()).toContain("cluster stuck is still on the service");
  expect(stage.happened().slice(3)).toEqual(["-prod", "+prod"]);
  stage.simulator.heal();
  await stage.converges();
});

plays("a removal that fails holds up what the same apply was to create, until one gets through", async (stage) => {
  stage.declare(["gone", "prod"], { timeouts: { deleteSeconds: 1 } });
  await stage.applied();
  stage.simulator.inject({ kind: "status", status: 500, method: "DELETE", path: "/api/v1/clusters/gone" });
  stage.declare(["prod", "new"], { timeouts: { deleteSeconds: 1 } });
  expect(await stage.failed()).toContain("cluster gone is still on the service");
  expect(stage.live()).toEqual(["gone", "prod", "vsphere"]);
  stage.declare(["prod", "new"], { retain: ["gone"] });
  await stage.converges();
  expect(stage.live()).toEqual(["gone", "new", "prod", "vsphere"]);
});

plays("a value that is unknown to the plan replaces what it feeds, though it come to the same", async (stage) => {
  const declare = (version: number) =>
    stage.workspace.synth((stack) => {
      stage.platform(stack);
      const source = new DataResource(stack, "source");
      source.addOverride("input", "apps.example.com");
      source.addOverride("triggers_replace", version);
      const on = provider(stack);
      cluster(stack, "prod", on, { ingress: source.getStringAttribute("output") });
      cluster(stack, "stage", on);
    });
  const planned = async () => (await stage.workspace.plan()).find(({ address }) => address === stage.address("prod"))?.actions;
  declare(1);
  await stage.converges();
  declare(2);
  expect(await planned()).toEqual(["delete", "create"]);
  await stage.converges();
  expect(stage.happened().slice(3)).toEqual(["-prod", "+prod"]);

  declare(3);
  await stage.applied({ args: ["-target=terraform_data.source"] });
  await stage.converges();
  expect(stage.happened()).toHaveLength(5);
});

plays("a Platform that is just dropped takes the hooks along: all lives on, unseen", async (stage) => {
  stage.declare(["prod"]);
  await stage.applied();
  const before = stage.simulator.requests.length;
  stage.workspace.synth(() => undefined);
  await stage.converges();
  expect(stage.simulator.requests.length).toBe(before);
  expect(stage.live()).toEqual(["prod", "vsphere"]);
});

plays("a Platform of another name is another one: its creates are refused, and adopted on demand", async (stage) => {
  stage.declare(["prod"]);
  await stage.applied();
  stage.declare(["prod"], { name: "eu" });
  expect(await stage.failed()).toContain("the name of capvs provider vsphere is taken");
  await stage.converges({ env: { CLUSTER_PLATFORM_ADOPT: "capvs/providers/vsphere,capvs/clusters/prod" } });
  expect(stage.happened()).toEqual(["+vsphere", "+prod"]);
});
