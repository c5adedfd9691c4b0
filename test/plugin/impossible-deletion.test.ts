import { clusterBody } from "../support/capvs";
import { cluster, controlPlane, provider, testOnProgramsInRest, type PluginFixture, withReady } from "./plugin-fixture";

/** A plan refuses a deletion that the service's lists show to be impossible, before the apply deletes anything else. */

const at = (type: string, block: string) => `clusterplatform_capvs_${type}.${block}`;
const [spare, vsphere] = [provider("spare"), provider()];
const c1 = cluster("c1");
const onSpare = (name: string, more = {}) => cluster(name, { provider_name: `${at("provider", "spare")}.name`, ...more });
const byName = (name: string) => cluster(name, { provider_name: '"spare"' });

function write(stack: PluginFixture, ...blocks: readonly string[]): void {
  stack.write(withReady(blocks));
}

const writesOf = async (stack: PluginFixture, act: () => Promise<void>) => {
  const before = stack.writes().length;
  await act();
  expect(stack.writes().slice(before)).toEqual([]);
};

testOnProgramsInRest("a plan that deletes or replaces a provider that somebody else's cluster uses is refused", async (stack) => {
  write(stack, vsphere, spare, c1, onSpare("c2"));
  await stack.applied();
  stack.simulator.add("clusters", "capvs", clusterBody("theirs", "spare"));
  const refusal = "[PROVIDER_IN_USE] capvs provider spare is used by theirs; nothing was sent";
  await writesOf(stack, async () => {
    write(stack, vsphere, c1);
    expect(await stack.refused()).toContain(refusal);
    // The plan of a destroy comes after one of what is declared.
    write(stack, vsphere, spare, c1, onSpare("c2"));
    expect(await stack.refused("-destroy")).toContain(refusal);
    write(stack, vsphere, provider("spare", { ip_address_pool_name: '"pool-2"' }), c1);
    expect(await stack.refused()).toContain(refusal);
    write(stack, vsphere, spare, c1);
    expect(await stack.refused(`-replace=${at("provider", "spare")}`)).toContain(refusal);
    // This plan has no clusterplatform_ready, which looks.
    expect(await stack.run(["plan", `-target=${at("provider", "spare")}`])).toMatchObject({ status: 0 });
  });
  // The service deletes it.
  await stack.deleteByHand("/api/v1/clusters/theirs");
  write(stack, vsphere, c1);
  await stack.applied();
  expect(stack.happened().slice(-2)).toEqual(["-c2", "-spare"]);
});

testOnProgramsInRest("a provider is removed together with its clusters, and not without those that stay", async (stack) => {
  write(stack, vsphere, spare, c1, onSpare("c2"), onSpare("c3"));
  await stack.applied();
  await writesOf(stack, async () => {
    const refusal = "[PROVIDER_IN_USE] capvs provider spare is used by c2; nothing was sent";
    write(stack, vsphere, c1, byName("c2"));
    expect(await stack.refused()).toContain(refusal);
    stack.write(withReady([vsphere, c1]), 'retain = ["c2"]');
    expect(await stack.refused()).toContain(refusal);
    write(stack, vsphere, provider("spare", { ip_address_pool_name: '"pool-2"' }), c1, onSpare("c2"));
    expect(await stack.refused()).toContain(refusal);
  });
  // c2 is replaced, and c3 moves to the other provider.
  const changed = onSpare("c2", { control_plane: controlPlane(5) });
  write(stack, vsphere, provider("spare", { ip_address_pool_name: '"pool-2"' }), c1, changed, cluster("c3"));
  await stack.applied();
  const replaced = stack.happened().slice(-6);
  expect(replaced.slice(0, 3).sort()).toEqual(["-c2", "-c3", "-spare"]);
  expect(replaced.slice(3).sort()).toEqual(["+c2", "+c3", "+spare"]);
  write(stack, vsphere, c1, cluster("c3"));
  await stack.applied({ args: ["-parallelism=1"] });
  expect(stack.happened().slice(-2)).toEqual(["-c2", "-spare"]);
  // A code without c1 and c3 that nobody has applied changes nothing for a destroy.
  write(stack, spare);
  expect(await stack.run(["destroy", "-auto-approve"])).toMatchObject({ status: 0 });
  expect(stack.happened().slice(-3).sort()).toEqual(["-c1", "-c3", "-vsphere"]);
});

testOnProgramsInRest("a plan that deletes or replaces an object that is not the recorded one is refused", async (stack) => {
  write(stack, vsphere, spare, c1, cluster("c2"));
  await stack.applied();
  await stack.deleteByHand("/api/v1/clusters/c2");
  stack.simulator.add("clusters", "capvs", clusterBody("c2", "spare"));
  const refusal =
    "[NOT_OURS] cluster c2: the object with this name is a capvs cluster on provider spare, but this stack has a capvs cluster on vsphere; nothing was sent";
  await writesOf(stack, async () => {
    write(stack, vsphere, spare);
    expect(await stack.refused()).toContain(refusal);
    expect(await stack.refused("-refresh=false")).toContain(refusal);
    write(stack, vsphere, spare, c1, cluster("c2", { control_plane: controlPlane(5) }));
    expect(await stack.refused()).toContain(refusal);
    write(stack, vsphere, spare, c1, cluster("c2"));
    expect(await stack.refused(`-replace=${at("cluster", "c2")}`)).toContain(refusal);
    expect(await stack.refused("-destroy")).toContain(refusal);
  });
  write(stack, vsphere, spare);
  // A refused plan shows the rest.
  const refused = await stack.refused();
  expect(refused).toContain(refusal);
  expect(refused).toContain("1 to destroy");
});
