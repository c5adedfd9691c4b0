import type { ChildProcess } from "node:child_process";
import { providerBackends } from "../support/tools";
import { killPlugins } from "./processes";
import { failed, inOneLine, type StackFixture, succeeded } from "./stack-fixture";
import { inRest, testOn } from "./test-on-backends";

/** Objects that an interrupted apply has created and that leave the code before a state has them. */

/** Applies, and kills the plugin when the service has carried out the creates of all these clusters. */
async function killCreating({ workspace, simulator }: StackFixture, names: readonly string[]): Promise<void> {
  let terraform: ChildProcess | undefined;
  let letGo = () => {};
  const gate = new Promise<void>((open) => (letGo = open));
  simulator.onResponse = async ({ method }) => {
    if (method !== "POST") return;
    if (names.every((name) => simulator.clusters.some((cluster) => cluster.name === name)))
      void killPlugins(terraform!).then(letGo);
    await gate;
  };
  failed(await workspace.apply({ started: (child) => (terraform = child) }));
  simulator.onResponse = undefined;
}

testOn(inRest(providerBackends))(
  "an apply fails while an object of an interrupted create is neither declared nor in the state",
  async (fixture) => {
    const { workspace } = fixture;
    fixture.declare(["a"]);
    await fixture.applied();
    fixture.declare(["a", "lost", "found"]);
    await killCreating(fixture, ["lost", "found"]);

    // A destroy would leave them on the service.
    expect(failed(await workspace.destroy())).toContain(
      "[PROVIDER_IN_USE] test/provider-vsphere: capvs provider vsphere is used by found, lost; nothing was sent",
    );
    fixture.declareNothing();
    expect(await fixture.failed()).toContain("[STILL_LIVE]");
    expect(fixture.live()).toEqual(["a", "found", "lost", "vsphere"]);

    // The plan warns, and is not empty.
    fixture.declare(["a", "found"]);
    const plan = async () => inOneLine((await workspace.run(["plan", "-input=false"])).output);
    const planned = await plan();
    expect(planned).toContain("Warning: cluster lost is on the service but not in the state: an interrupted apply created it");
    expect(planned).toContain("Plan: 1 to add, 1 to change, 0 to destroy.");
    const said = await fixture.failed();
    expect(said).toContain("cluster found: created by an earlier apply that was interrupted at");
    expect(said).toContain("[STILL_LIVE] on the service but not in the state: capvs/clusters/lost");
    expect(said).toContain('Not yours, or to keep: write retain: ["capvs/clusters/lost"] on the Platform for one apply');
    // It says so until somebody decides.
    expect((await workspace.plan()).map(({ address, actions }) => `${actions.join()} ${address}`)).toEqual([
      "update clusterplatform_ready.ready",
    ]);
    expect(await fixture.failed()).toContain("[STILL_LIVE]");

    fixture.declare(["a", "found"], { retain: ["lost"] });
    expect(await plan()).toContain("Warning: retain lets go of cluster lost, which an interrupted apply may have created");
    expect(await fixture.converges()).toContain("cluster lost stays on the service (retain)");
    fixture.declare(["a", "found"]);
    expect(await workspace.plan()).toEqual([]);
    fixture.simulator.remove("clusters", "capvs", "lost");
    succeeded(await workspace.destroy());
    expect(fixture.live()).toEqual([]);

    const created = ["+found", "+lost"];
    expect(fixture.happened().slice(2, 4).sort()).toEqual(created);
  },
);
