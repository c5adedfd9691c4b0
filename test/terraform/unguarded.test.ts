import type { DriftReport } from "../../src/cli/drift/finding";
import { startSimulator } from "../../src/simulator";
import { built } from "../cli/built";
import { cluster, provider } from "../support/capvs";
import { accessTo } from "../support/service";
import { backends } from "../support/tools";
import { StackFixture } from "./stack-fixture";

/** A run that fails or is stopped may leave no deletion guard and no orphan check in the state (docs/lifecycle.md, Limits). */

const testOnOneBackend = (title: string, act: (fixture: StackFixture) => Promise<void>) =>
  test.concurrent(title, () => StackFixture.run({ backend: backends[0]! }, act), 300_000);

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

testOnOneBackend(
  "an entry of retain that is not in the code stops the deletion of others, until it is corrected",
  async (fixture) => {
    await loseGuard(fixture, ["prod", "stage"]);
    const retaining = (names: readonly string[], retain: string[]) =>
      fixture.workspace.synth((stack) => {
        fixture.platform(stack, { retain });
        const on = provider(stack);
        names.forEach((name) => cluster(stack, name, on));
      });
    retaining([], ["prdo"]);
    expect(await fixture.failed()).toContain("the Platform's 'retain' has prdo, which the code does not declare");
    expect(fixture.live()).toEqual(["prod", "stage", "vsphere"]);
    retaining([], ["prod"]);
    expect(await fixture.failed()).toContain("undo the other removals, apply, and then remove the others");
    expect(fixture.live()).toEqual(["prod", "stage", "vsphere"]);
    retaining(["stage"], ["prod"]);
    await fixture.applied();
    retaining([], []);
    await fixture.converges();
    expect(fixture.live()).toEqual(["prod", "vsphere"]);
    fixture.simulator.remove("clusters", "capvs", "prod");
  },
);

testOnOneBackend("an unprotected removal beside a protected one is carried out, and the refusal says so", async (fixture) => {
  await loseGuard(fixture, ["prod", "stage"]);
  const protection = { deletionProtection: ["prod"] };
  fixture.declareNothing(protection);
  const output = await fixture.failed();
  expect(output).toContain("cluster prod is protected from deletion; nothing was sent. The deletion guard did not stop");
  expect(output).toContain("so other objects may have been deleted");
  expect(output).toContain("or a change right after a run that failed");
  expect(fixture.live()).toEqual(["prod", "vsphere"]);
  fixture.declare(["prod"], protection);
  await fixture.converges();
});

testOnOneBackend(
  "nothing but drift finds what an interrupted create left, where the orphan check is missing",
  async (fixture) => {
    fixture.declare(["stage"]);
    await fixture.applied();
    fixture.declare(["stage", "prod"]);
    fixture.simulator.inject({ kind: "drop", when: "after", method: "POST" });
    fixture.simulator.inject({ kind: "html", method: "GET", path: "/api/v1/clusters", skip: 1 });
    expect(await fixture.failed()).toContain("creating cluster prod failed");
    fixture.simulator.heal();

    // A Terraform that is stopped after it has destroyed the check leaves a state like this.
    await fixture.workspace.run(["state", "rm", "terraform_data.orphan_check"]);
    fixture.declare(["stage"]);
    await fixture.converges();
    expect(fixture.live()).toEqual(["prod", "stage", "vsphere"]);
    const { output } = await fixture.workspace.run(["show", "-json"], { quiet: true });
    const { stdout } = await built(["drift", "-", "--format", "json"], accessTo(fixture.simulator), output);
    expect((JSON.parse(stdout) as DriftReport).findings).toEqual([expect.objectContaining({ object: "capvs/clusters/prod" })]);
  },
);
