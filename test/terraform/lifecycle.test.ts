import type { TerraformStack } from "cdktf";
import { CapvsProvider } from "../../src/constructs/capvs";
import { Platform } from "../../src/constructs/platform";
import type { PlatformProps } from "../../src/constructs/platform-props";
import { type Simulator, startSimulator } from "../../src/simulator";
import { cluster, provider, secrets } from "../support/capvs";
import { accessTo, happenedOn, writesTo } from "../support/service";
import { entriesIn } from "../support/synth";
import { engines } from "../support/tools";
import { Workspace } from "./workspace";

let simulator: Simulator;
let workspace: Workspace;

beforeEach(async () => {
  simulator = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0.1 });
  workspace = new Workspace({ ...accessTo(simulator), ...secrets });
});

afterEach(async () => {
  workspace.remove();
  await simulator.close();
});

/** What really happened to objects, in order: `+prod`, `-prod`. */
const happened = () => happenedOn(simulator);
const live = () => ({
  clusters: simulator.clusters.map(({ name }) => name).sort(),
  providers: simulator.providers.map(({ name }) => name).sort(),
});
const writes = () => writesTo(simulator);

describe.each(engines)("on %s", (engine) => {
  const platform = (stack: TerraformStack, props: PlatformProps = {}) =>
    new Platform(stack, "platform", {
      engine,
      pollSeconds: 0.2,
      timeouts: { createSeconds: 10, deleteSeconds: 10, readySeconds: 20 },
      ...props,
    });

  const declare = (names: string[], props: PlatformProps = {}) =>
    workspace.synth((stack) => {
      platform(stack, props);
      const on = provider(stack);
      names.forEach((name) => cluster(stack, name, on));
    });

  const applied = async (options?: Parameters<Workspace["apply"]>[0]) => {
    const outcome = await workspace.apply(options);
    expect(outcome).toMatchObject({ status: 0 });
    return outcome.output;
  };

  const failed = async (options?: Parameters<Workspace["apply"]>[0]) => {
    const outcome = await workspace.apply(options);
    expect(outcome.status).toBe(1);
    return outcome.output.replace(/\s*\n[│\s]*/g, " ");
  };

  test("creates provider and clusters, waits until they are ready, and plans nothing afterwards", async () => {
    simulator.timing.provisionSeconds = 1;
    declare(["prod", "stage"]);
    const output = await applied();
    expect(happened().sort()).toEqual(["+prod", "+stage", "+vsphere"]);
    expect(happened()[0]).toBe("+vsphere");
    expect(output).toContain("cluster prod: created after");
    expect(output).toContain("all 2 clusters are ready after");
    const list = await fetch(`${simulator.url}/api/v1/clusters`, { headers: { authorization: `Bearer ${simulator.token}` } });
    const { items } = (await list.json()) as { items: { phase: string }[] };
    expect(items.map(({ phase }) => phase)).toEqual(["Provisioned", "Provisioned"]);
    expect(await workspace.plan()).toEqual([]);
  });

  test("deletes, then creates, when a field changes, and leaves provider and sibling alone", async () => {
    declare(["prod", "stage"]);
    await applied();
    workspace.synth((stack) => {
      platform(stack);
      const on = provider(stack);
      cluster(stack, "prod", on, { controlPlane: { count: 5, cpus: 4, memoryMib: 8192, diskGib: 60 } });
      cluster(stack, "stage", on);
    });
    const address = `${engine}.capvs_clusters["prod"]`;
    expect((await workspace.plan()).find((change) => change.address === address)!.actions).toEqual(["delete", "create"]);
    await applied();
    expect(happened().slice(3)).toEqual(["-prod", "+prod"]);
    expect(await workspace.plan()).toEqual([]);
  });

  test("deletes the cluster when its construct is removed, and leaves the provider alone", async () => {
    declare(["prod", "stage"]);
    await applied();
    declare(["stage"]);
    await applied();
    expect(happened().slice(3)).toEqual(["-prod"]);
    expect(await workspace.plan()).toEqual([]);
  });

  test("changes nothing when constructs or the Platform are renamed or moved", async () => {
    declare(["prod"]);
    await applied();
    workspace.synth((stack) => {
      const renamed = new Platform(stack, "renamed", { engine, pollSeconds: 1 });
      const on = provider(stack, "vsphere", { id: "other-id" });
      cluster(renamed, "prod", on, { id: "moved-below-the-platform", platform: renamed });
    });
    expect(await workspace.plan()).toEqual([]);
  });

  test("deletes clusters before their provider when both are removed, also as the last of their type", async () => {
    declare(["prod"]);
    await applied();
    workspace.synth((stack) => void platform(stack));
    await applied();
    expect(happened().slice(2)).toEqual(["-prod", "-vsphere"]);
    expect(await workspace.plan()).toEqual([]);
  });

  test("leaves the service empty after destroy", async () => {
    declare(["prod", "stage"]);
    await applied();
    expect(await workspace.destroy()).toMatchObject({ status: 0 });
    expect(live()).toEqual({ clusters: [], providers: [] });
    expect(happened().at(-1)).toBe("-vsphere");
  });

  test("refuses a name that is taken, touches nothing, and does not delete the foreign object on destroy", async () => {
    declare([]);
    await applied();
    addForeignCluster("elsewhere");
    const before = writes();
    declare(["prod"]);
    const output = await failed();
    expect(output).toContain("the name of cluster prod is taken");
    expect(output).toContain("CLUSTER_PLATFORM_ADOPT=capvs/clusters/prod");
    expect(writes()).toEqual(before);

    const destroyed = await workspace.destroy();
    expect(destroyed.output.replace(/\s*\n[│\s]*/g, " ")).toContain("still on the service: capvs/clusters/prod");
    expect(live().clusters).toEqual(["prod"]);
    expect(writes().filter((write) => write.includes("prod"))).toEqual([]);

    declare(["prod"], { retain: ["prod"] });
    await workspace.destroy();
    expect(live().clusters).toEqual(["prod"]);
  });

  test.each([
    ["adopt: true in code", { adopt: true }, {}],
    ["CLUSTER_PLATFORM_ADOPT for one run", {}, { CLUSTER_PLATFORM_ADOPT: "capvs/clusters/prod" }],
  ])("takes over a live cluster without a POST by %s, and owns it then", async (_, props, env) => {
    declare([]);
    await applied();
    addForeignCluster();
    workspace.synth((stack) => {
      platform(stack);
      cluster(stack, "prod", provider(stack), props);
    });
    expect(await applied({ env })).toContain("cluster prod: adopted");
    expect(writes().filter((write) => write.startsWith("POST /api/v1/platform/providers/clusters"))).toEqual([]);
    expect(await workspace.plan()).toEqual([]);
    declare([]);
    await applied();
    expect(live().clusters).toEqual([]);
  });

  test("refuses to adopt what differs, naming the differences", async () => {
    declare([]);
    await applied();
    addForeignCluster();
    workspace.synth((stack) => {
      platform(stack);
      cluster(stack, "prod", provider(stack), { adopt: true, podSubnet: "10.200.0.0/16" });
    });
    const output = await failed();
    expect(output).toContain("podSubnet: declared 10.200.0.0/16, live 10.244.0.0/16");
    expect(live().clusters).toEqual(["prod"]);
  });

  test("completes with exactly one cluster in the next apply after the service failed", async () => {
    declare(["prod"]);
    simulator.inject({ kind: "status", status: 500, method: "POST", path: "/api/v1/platform/providers/clusters" });
    await failed();
    simulator.heal();
    await applied();
    expect(happened()).toEqual(["+vsphere", "+prod"]);
    expect(await workspace.plan()).toEqual([]);
  });

  test("completes with exactly one cluster in the same apply when the answer is lost", async () => {
    declare(["prod"]);
    simulator.inject({ kind: "drop", when: "after", times: 1, method: "POST", path: "/api/v1/platform/providers/clusters" });
    expect(await applied()).toContain("the answer was lost");
    expect(happened()).toEqual(["+vsphere", "+prod"]);
  });

  test("does not take what another workspace was creating for its own", async () => {
    workspace.synth((stack) => {
      platform(stack);
      cluster(stack, "prod", CapvsProvider.fromName("elsewhere"));
    });
    simulator.inject({ kind: "status", status: 500, method: "POST", path: "/api/v1/platform/providers/clusters" });
    await failed();
    simulator.heal();
    addForeignCluster("elsewhere");

    await workspace.run(["workspace", "new", "another"]);
    expect(await failed()).toContain("the name of cluster prod is taken");
    await workspace.run(["workspace", "select", "default"]);
    expect(await applied()).toContain("created by an earlier apply that was interrupted");
  });

  test("names an object that an interrupted create left, also when the code was edited before a straight destroy", async () => {
    const two = (props: PlatformProps = {}, others: string[] = []) =>
      workspace.synth((stack) => {
        platform(stack, props);
        cluster(stack, "prod", provider(stack));
        others.forEach((name) => provider(stack, name));
      });
    two({}, ["another"]);
    simulator.inject({ kind: "drop", when: "after", method: "POST", path: "/api/v1/platform/providers/clusters" });
    simulator.inject({ kind: "status", status: 500, method: "GET", path: "/api/v1/clusters", skip: 1 });
    expect(await failed()).toContain("creating cluster prod failed");
    simulator.heal();
    expect(live().clusters).toEqual(["prod"]);

    two({ retain: ["vsphere"] });
    const destroyed = await workspace.destroy();
    expect(destroyed.status).toBe(1);
    expect(destroyed.output).toContain("on the service: capvs/clusters/prod");
    simulator.remove("clusters", "capvs", "prod");
    expect(await workspace.destroy()).toMatchObject({ status: 0 });
  });

  test("says once what is wrong with the token, the server or a secret, and creates nothing", async () => {
    declare(["prod"]);
    const wrongToken = await failed({ env: { CLUSTER_PLATFORM_TOKEN: "wrong" } });
    expect(wrongToken).toContain("401");
    expect(wrongToken).toContain("the token was not accepted");
    expect(wrongToken.match(/local-exec provisioner error/g)).toHaveLength(1);

    const deadServer = await failed({ env: { CLUSTER_PLATFORM_URL: "http://127.0.0.1:1" } });
    expect(deadServer).toContain("ECONNREFUSED");
    expect(deadServer.match(/local-exec provisioner error/g)).toHaveLength(1);

    const missingSecret = await failed({ env: { VSPHERE_PASSWORD: "" } });
    expect(missingSecret).toContain("the environment variable VSPHERE_PASSWORD is empty");
    expect(writes()).toEqual([]);
  });

  test("refuses to delete what is protected, before anything is deleted, until the deletion is declared", async () => {
    const protection = { deletionProtection: ["prod"] };
    declare(["prod", "stage"], protection);
    await applied();
    declare([], protection);
    expect(await failed()).toContain("capvs/clusters/prod is protected from deletion");
    expect(live().clusters).toEqual(["prod", "stage"]);
    declare([], { ...protection, allowDeletion: ["prod"] });
    await applied();
    expect(live().clusters).toEqual([]);
  });

  test("leaves on the service what is retained", async () => {
    declare(["prod"]);
    await applied();
    declare([], { retain: ["prod"] });
    await applied();
    expect(live().clusters).toEqual(["prod"]);
    expect(await workspace.plan()).toEqual([]);
  });

  function addForeignCluster(on = "vsphere"): void {
    const other = new Workspace();
    other.synth((stack) => {
      platform(stack);
      cluster(stack, "prod", CapvsProvider.fromName(on));
    });
    simulator.add("clusters", "capvs", entriesIn(other.synthesized()).capvs_clusters!.prod!.body!);
    other.remove();
  }
});
