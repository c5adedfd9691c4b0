import type { ChildProcess } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { providerBody } from "../simulator/bodies";
import { killPlugins } from "../terraform/processes";
import { failed, succeeded } from "../terraform/stack-fixture";
import {
  cluster,
  controlPlane,
  inOneLine,
  type PluginFixture,
  provider,
  testOnProgramsInRest,
  withReady,
} from "./plugin-fixture";

/** Objects that an interrupted apply has created, and that no state has: without the notes, and without a clusterplatform_ready. */

/** On a provider that is not the stack's, so that nothing else refuses a deletion. */
const lost = (more = {}) => cluster("lost", { provider_name: '"shared"', ...more });
/** A destroy plans first what is declared. */
const TAKEN = "the service already has cluster lost (a capvs cluster on provider shared";
const STILL_LIVE = "[STILL_LIVE] on the service but not in the state: capvs/clusters/lost";

function begin(stack: PluginFixture): void {
  stack.simulator.add("providers", "capvs", providerBody("shared"));
}

/** Applies, and kills the plugin when the service has created the cluster `lost` and the state has the provider. */
async function killCreatingLost(stack: PluginFixture): Promise<void> {
  let terraform: ChildProcess | undefined;
  let letGo = () => {};
  const gate = new Promise<void>((open) => (letGo = open));
  stack.simulator.onResponse = async ({ method, path }) => {
    if (method !== "POST" || !path.includes("/clusters")) return;
    // OpenTofu may write the provider into its file at the end only.
    for (let waited = 0; waited < 10_000 && !stack.state().includes("capvs/providers/vsphere"); waited += 20) await delay(20);
    void killPlugins(terraform!).then(letGo);
    await gate;
  };
  failed(await stack.apply({ started: (child) => (terraform = child) }));
  stack.simulator.onResponse = undefined;
}

/** Applies some blocks, and then kills the plugin in an apply that adds `lost`. Returns the blocks. */
async function appliedBeforeKill(stack: PluginFixture): Promise<readonly string[]> {
  begin(stack);
  const rest = [provider(), cluster("c1")];
  stack.write(withReady(rest));
  await stack.applied();
  stack.write(withReady([...rest, lost()]));
  await killCreatingLost(stack);
  return rest;
}

/** As on another machine. */
function loseNotes({ folder }: PluginFixture): void {
  rmSync(join(folder, ".cluster-platform"), { recursive: true });
}

testOnProgramsInRest("the object of an interrupted create that left the code is found on another machine", async (stack) => {
  const rest = await appliedBeforeKill(stack);
  loseNotes(stack);

  expect(failed(await stack.run(["destroy", "-auto-approve"]))).toContain(TAKEN);
  stack.write(withReady(rest));
  const planned = inOneLine((await stack.run(["plan", "-input=false"])).output);
  expect(planned).toContain(
    "Warning: cluster lost is on the service but not in the state: an apply that did not finish was to create it",
  );
  expect(planned).toContain("Plan: 0 to add, 1 to change, 0 to destroy.");
  expect(await stack.failed()).toContain(STILL_LIVE);
  expect(await stack.failed()).toContain(STILL_LIVE);

  await stack.deleteByHand("/api/v1/clusters/lost");
  await stack.applied();
  expect(await stack.changes()).toEqual([]);
});

testOnProgramsInRest("an unfinished replacement that left the code is found on another machine", async (stack) => {
  begin(stack);
  stack.write(withReady([provider(), lost()]));
  await stack.applied();
  stack.write(withReady([provider(), lost({ control_plane: controlPlane(5) })]));
  await killCreatingLost(stack);
  loseNotes(stack);
  expect(failed(await stack.run(["destroy", "-auto-approve"]))).toContain(TAKEN);
  stack.write(withReady([provider(), cluster("c1")]));
  expect(await stack.failed()).toContain(STILL_LIVE);
  expect(stack.happened().slice(-3)).toEqual(["-lost", "+lost", "+c1"]);
});

testOnProgramsInRest(
  "a destroy and a removal of everything look for orphans before clusterplatform_ready exists",
  async (stack) => {
    begin(stack);
    const all = withReady([provider(), lost()]);
    stack.write(all);
    await killCreatingLost(stack);
    const refused = (output: string) => {
      expect(output).toContain(STILL_LIVE);
      expect(output).toContain("Nothing was deleted.");
    };
    refused(failed(await stack.run(["destroy", "-auto-approve"])));
    refused(failed(await stack.run(["destroy", "-auto-approve", "-refresh=false"])));
    stack.write([]);
    refused(await stack.failed());
    expect(stack.happened().sort()).toEqual(["+lost", "+shared", "+vsphere"]);

    stack.write(all);
    await stack.applied();
    succeeded(await stack.run(["destroy", "-auto-approve"]));
    expect(stack.happened().slice(3).sort()).toEqual(["-lost", "-vsphere"]);
  },
);

testOnProgramsInRest(
  "the object of an interrupted create is found after the Platform has left the code with its objects",
  async (stack) => {
    await appliedBeforeKill(stack);
    stack.writeNothing();
    const refused = await stack.failed();
    expect(refused).toContain(STILL_LIVE);
    expect(refused).toContain("Write the Platform again, because it has left the code.");
    expect(stack.happened().sort()).toEqual(["+c1", "+lost", "+shared", "+vsphere"]);
  },
);
