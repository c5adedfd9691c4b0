import { startSimulator } from "../../src/simulator";
import { cluster, provider } from "../support/capvs";
import { accessTo } from "../support/service";
import { grounds } from "../support/tools";
import { playsOn } from "./plays";
import type { Stage } from "./stage";

/** A run that fails leaves no deletion guard in the state. What the destroy hooks of the objects hold without it. */

const plays = playsOn(grounds.slice(0, 1));

/** Applies `names`, and then a change that fails after it has destroyed the guard. */
async function loseGuard(stage: Stage, names: readonly string[]): Promise<void> {
  stage.declare(names);
  await stage.applied();
  stage.simulator.inject({ kind: "status", status: 400, method: "POST" });
  stage.declare([...names, "broken"]);
  expect(await stage.failed()).toContain("REJECTED");
  stage.simulator.heal();
  expect((await stage.workspace.run(["state", "list"])).output).not.toMatch(/^terraform_data\.(deletion_)?guard$/m);
}

plays("a removal at a service that has nothing of the stack empties no state", async (stage) => {
  await loseGuard(stage, ["prod"]);
  const empty = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0 });
  const env = accessTo(empty);
  stage.declare([]);
  expect(await stage.failed({ env })).toMatch(
    /cluster prod is not on the service at \S+, nor is any of capvs\/providers\/vsphere\. Is it the right one\?/,
  );
  expect((await stage.workspace.destroy({ env })).status).toBe(1);
  expect((await stage.workspace.run(["state", "list"])).output).toMatch(/prod[^]*vsphere/);
  await empty.close();
  await stage.converges();
  expect(stage.live()).toEqual(["vsphere"]);
});

plays("a name in retain that the code lacks stops the deletion of others, until it is corrected", async (stage) => {
  await loseGuard(stage, ["prod", "stage"]);
  const retaining = (names: readonly string[], retain: string[]) =>
    stage.workspace.synth((stack) => {
      stage.platform(stack, { retain });
      const on = provider(stack);
      names.forEach((name) => cluster(stack, name, on));
    });
  retaining([], ["prdo"]);
  expect(await stage.failed()).toContain("the Platform's 'retain' has prdo, which the code does not declare");
  expect(stage.live()).toEqual(["prod", "stage", "vsphere"]);
  retaining([], ["prod"]);
  expect(await stage.failed()).toContain("put the other removals back, apply that one alone");
  expect(stage.live()).toEqual(["prod", "stage", "vsphere"]);
  retaining(["stage"], ["prod"]);
  await stage.applied();
  retaining([], []);
  await stage.converges();
  expect(stage.live()).toEqual(["prod", "vsphere"]);
  stage.simulator.remove("clusters", "capvs", "prod");
});
