import { startSimulator } from "../../src/simulator";
import { cluster, provider } from "../support/capvs";
import { accessTo } from "../support/service";
import { backends } from "../support/tools";
import type { StackFixture } from "./stack-fixture";
import { inRest, testOn } from "./test-on-backends";

/** A run that fails or is stopped may leave no deletion guard and no orphan check in the state (docs/lifecycle.md, Limits). */

const testOnOneBackend = testOn(inRest(backends.slice(0, 1)));

/** Applies `names`, and then makes an apply fail after it has destroyed the guard. */
async function loseGuard(fixture: StackFixture, names: readonly string[]): Promise<void> {
  fixture.declare(names);
  await fixture.applied();
  fixture.simulator.inject({ kind: "status", status: 400, method: "POST" });
  fixture.declare([...names, "broken"]);
  expect(await fixture.failed()).toContain("REJECTED");
  fixture.simulator.heal();
  expect((await fixture.workspace.run(["state", "list"])).output).not.toMatch(/^terraform_data\.(deletion_)?guard$/m);
}

testOnOneBackend("a removal on a service without any object of the stack empties no state", async (fixture) => {
  await loseGuard(fixture, ["prod"]);
  const empty = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0 });
  const env = accessTo(empty);
  fixture.declare([]);
  expect(await fixture.failed({ env })).toMatch(
    /cluster prod is not on the service at \S+, nor is any of capvs\/providers\/vsphere\. Is it the right one\?/,
  );
  expect((await fixture.workspace.destroy({ env })).status).toBe(1);
  expect((await fixture.workspace.run(["state", "list"])).output).toMatch(/prod[^]*vsphere/);
  await empty.close();
  await fixture.converges();
  expect(fixture.live()).toEqual(["vsphere"]);
});

testOnOneBackend("an entry of retain that names nothing stops the deletion of others, until it is corrected", async (fixture) => {
  await loseGuard(fixture, ["prod", "stage"]);
  const retaining = (names: readonly string[], retain: string[]) =>
    fixture.workspace.synth((stack) => {
      fixture.platform(stack, { retain });
      const on = provider(stack);
      names.forEach((name) => cluster(stack, name, on));
    });
  retaining([], ["prdo"]);
  expect(await fixture.failed()).toContain("the Platform's retain has prdo, which names nothing in the code");
  expect(fixture.live()).toEqual(["prod", "stage", "vsphere"]);
  retaining([], ["prod"]);
  await fixture.applied();
  retaining([], []);
  await fixture.converges();
  expect(fixture.live()).toEqual(["prod", "vsphere"]);
  fixture.simulator.remove("clusters", "capvs", "prod");
});

testOnOneBackend("the wait finds what an interrupted create left, where the orphan check is missing", async (fixture) => {
  fixture.declare(["stage"]);
  await fixture.applied();
  fixture.declare(["stage", "prod"]);
  fixture.simulator.inject({ kind: "drop", when: "after", method: "POST" });
  fixture.simulator.inject({ kind: "html", method: "GET", path: "/api/v1/clusters", skip: 1 });
  expect(await fixture.failed()).toContain("creating cluster prod failed");
  fixture.simulator.heal();

  // A Terraform that is stopped after it has destroyed the check leaves a state like this.
  await fixture.workspace.run(["state", "rm", "terraform_data.cluster_platform_orphan_check"]);
  fixture.declare(["stage"]);
  expect(await fixture.failed()).toContain("on the service but not in the state: capvs/clusters/prod");
  fixture.declare(["stage"], { retain: ["capvs/clusters/prod"] });
  await fixture.converges();
  expect(fixture.live()).toEqual(["prod", "stage", "vsphere"]);
});
