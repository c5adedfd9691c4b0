import { Engine, type HookEngine } from "../../src/constructs/engine";
import type { PlatformProps } from "../../src/constructs/platform-props";
import { allBackends, type Backend, isAtLeast, nullResourceBackends } from "../support/tools";
import { hooksAt } from "./processes";
import { failed, type StackFixture, succeeded } from "./stack-fixture";
import { inRest, testOn } from "./test-on-backends";

/** Switches of engines with `migrateFrom` right after a run that failed, and what they do with the objects in its state. */

interface Switch {
  readonly fixture: StackFixture;
  readonly toProvider: boolean;
  /** Declares clusters with the new engine. */
  readonly declare: (names: readonly string[], props?: PlatformProps) => void;
  /** The address of an object with the new engine. */
  readonly address: (kind: "provider" | "cluster", name: string) => string;
}

const movesIt = ({ binary }: Backend) => isAtLeast(binary, { terraform: 9, openTofu: 10 });
const switches = [
  { to: Engine.TERRAFORM_DATA, from: nullResourceBackends.filter(movesIt) },
  { to: Engine.PROVIDER, from: allBackends.filter(movesIt) },
];
/** @param act returns the clusters of the stack. The plan without `migrateFrom` is then empty, and a destroy succeeds */
function testSwitch(title: string, act: (switched: Switch) => Promise<readonly string[] | void>): void {
  for (const { to, from } of switches) {
    testOn(inRest(from))(`${title}, to ${to}`, async (fixture) => {
      const toProvider = to === Engine.PROVIDER;
      const migrateFrom = fixture.engine as HookEngine;
      const declare: Switch["declare"] = (names, props) => void fixture.declare(names, { engine: to, migrateFrom, ...props });
      const address: Switch["address"] = (kind, name) =>
        toProvider ? `clusterplatform_capvs_${kind}.${name}` : `terraform_data.capvs_${kind}s["${name}"]`;
      const names = await act({ fixture, toProvider, declare, address });
      if (!names) return;
      fixture.declare(names, { engine: to });
      expect(await fixture.workspace.plan()).toEqual([]);
      succeeded(await fixture.workspace.destroy());
    });
  }
}

const refuse = ({ simulator }: StackFixture, method: "POST" | "DELETE") =>
  void simulator.inject({ kind: "status", status: 403, method });

/** Applies clusters and then one more, whose create fails, or is killed when the service has carried it out. */
async function leftUnfinished(fixture: StackFixture, names: readonly string[], unfinished: string, how: "fails" | "is killed") {
  fixture.declare(names);
  await fixture.applied();
  fixture.declare([...names, unfinished]);
  if (how === "fails") refuse(fixture, "POST");
  else {
    fixture.simulator.onResponse = async ({ method }) => {
      if (method !== "POST") return;
      for (const hook of await hooksAt(fixture.simulator)) if (hook.name === unfinished) process.kill(hook.pid, "SIGKILL");
    };
  }
  await fixture.failed();
  fixture.simulator.heal();
  fixture.simulator.onResponse = undefined;
}

testSwitch("an object whose create failed is created", async ({ fixture, toProvider, declare }) => {
  await leftUnfinished(fixture, ["prod"], "new", "fails");
  declare(["prod", "new"]);
  if (toProvider) {
    expect(await fixture.failed()).toMatch(/cluster new (is not on the service|does not exist)/);
    succeeded(await fixture.workspace.run(["state", "rm", fixture.address("new")]));
  }
  await fixture.converges();
  expect(fixture.happened()).toEqual(["+vsphere", "+prod", "+new"]);
  return ["prod", "new"];
});

testSwitch("an object whose create was killed is kept", async ({ fixture, toProvider, declare }) => {
  await leftUnfinished(fixture, ["prod"], "new", "is killed");
  declare(["prod", "new"]);
  if (toProvider) {
    expect(await fixture.failed()).toContain(`terraform untaint '${fixture.address("new")}'`);
    succeeded(await fixture.workspace.run(["untaint", fixture.address("new")]));
  }
  await fixture.converges();
  expect(fixture.happened()).toEqual(["+vsphere", "+prod", "+new"]);
  return ["prod", "new"];
});

testSwitch("an object whose deletion failed is deleted", async ({ fixture, declare }) => {
  fixture.declare(["prod", "gone"]);
  await fixture.applied();
  fixture.declare(["prod"]);
  refuse(fixture, "DELETE");
  expect(await fixture.failed()).toContain("DELETE /api/v1/clusters/gone: 403");
  fixture.simulator.heal();
  declare(["prod"]);
  await fixture.converges();
  expect(fixture.happened().slice(3)).toEqual(["-gone"]);
  return ["prod"];
});

testSwitch("objects that leave the code after a failed create are deleted", async ({ fixture, declare }) => {
  await leftUnfinished(fixture, ["prod", "gone"], "new", "fails");
  declare(["prod"]);
  await fixture.converges();
  expect(fixture.happened().slice(3)).toEqual(["-gone"]);
  return ["prod"];
});

testSwitch("an object whose create was killed and that leaves the code is named", async ({ fixture, declare }) => {
  await leftUnfinished(fixture, ["prod"], "half", "is killed");
  declare(["prod"]);
  const named = "removed from the code, but still on the service: capvs/clusters/half";
  expect(await fixture.failed()).toContain(named);
  expect(await fixture.failed()).toContain(named);
  declare(["prod"], { retain: ["half"] });
  await fixture.converges();
  expect(fixture.live()).toEqual(["half", "prod", "vsphere"]);
  fixture.simulator.remove("clusters", "capvs", "half");
  declare(["prod"]);
  await fixture.applied();
  return ["prod"];
});

testSwitch("a switch whose deletion fails is completed by the next apply", async ({ fixture, declare }) => {
  fixture.declare(["prod", "gone"]);
  await fixture.applied();
  refuse(fixture, "DELETE");
  declare(["prod", "new"]);
  expect(await fixture.failed()).toContain("DELETE /api/v1/clusters/gone: 403");
  expect(await fixture.failed()).toContain("DELETE /api/v1/clusters/gone: 403");
  fixture.simulator.heal();
  await fixture.converges();
  await fixture.converges();
  expect(fixture.live()).toEqual(["new", "prod", "vsphere"]);
  expect(fixture.happened()).toHaveLength(5);
  return ["prod", "new"];
});

testSwitch("what a run with -target has left out is created", async ({ fixture, declare }) => {
  fixture.declare(["prod", "stage"]);
  await fixture.applied({ args: [`-target=${fixture.address("prod")}`] });
  declare(["prod", "stage"]);
  await fixture.converges();
  expect(fixture.happened()).toEqual(["+vsphere", "+prod", "+stage"]);
  return ["prod", "stage"];
});

testSwitch(
  "what the state has at both addresses is neither moved nor deleted",
  async ({ fixture, toProvider, declare, address }) => {
    fixture.declare(["prod"]);
    await fixture.applied();
    const sent = fixture.writes();
    // The registration is adopted. The name of the cluster is taken.
    declare(["prod"], { migrateFrom: undefined });
    const isAdopted = toProvider ? "capvs/providers/vsphere,capvs/clusters/prod" : "capvs/providers/vsphere";
    const options = { args: [`-target=${address("cluster", "prod")}`], env: { CLUSTER_PLATFORM_ADOPT: isAdopted } };
    expect((await fixture.workspace.apply(options)).status).toBe(toProvider ? 0 : 1);

    declare(["prod"]);
    const twice = (kind: "provider" | "cluster", name: string) => {
      const before = `${fixture.engine}.capvs_${kind}s["${name}"]`;
      return { before, stuck: toProvider ? before : `null_resource.capvs_${kind}s_moving_${name}`, after: address(kind, name) };
    };
    const [vsphere, prod] = [twice("provider", "vsphere"), twice("cluster", "prod")];
    const inBoth = (from: string, to: string) =>
      expect.stringContaining(`the state has it twice, in ${from} and in ${to}`) as string;
    expect(await fixture.failed()).toEqual(inBoth(prod.stuck, prod.after));

    const isTainted = !toProvider;
    succeeded(await fixture.workspace.run(["state", "rm", isTainted ? prod.after : prod.stuck]));
    expect(await fixture.failed()).toEqual(inBoth(vsphere.stuck, vsphere.after));
    succeeded(await fixture.workspace.run(["state", "rm", vsphere.stuck]));
    await fixture.converges();
    expect(fixture.writes()).toEqual(sent);
    return ["prod"];
  },
);

testSwitch("a destroy forgets nothing", async ({ fixture, toProvider, declare }) => {
  await leftUnfinished(fixture, ["prod", "stage"], "new", "fails");
  declare(["prod", "stage"]);
  const destroyed = await fixture.workspace.destroy();
  if (toProvider) expect(failed(destroyed)).toContain("first apply the change of the engine");
  else succeeded(destroyed);
  expect(fixture.live()).toEqual(toProvider ? ["prod", "stage", "vsphere"] : []);
});
