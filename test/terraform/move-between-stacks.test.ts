import { CapvsProvider } from "../../src/constructs/types/capvs";
import type { PlatformProps } from "../../src/constructs/platform-props";
import { cluster } from "../support/capvs";
import { failed, type StackFixture, succeeded } from "./stack-fixture";
import { testInRest } from "./test-on-backends";
import type { Workspace } from "./workspace";

/** Declares the stack that prod moves to, without the provider. */
const declareTarget = (fixture: StackFixture, target: Workspace, adopt: boolean) =>
  target.synth((stack) => {
    fixture.platform(stack);
    cluster(stack, "prod", CapvsProvider.fromName("vsphere"), { adopt });
  });

/** Declares the stack with the provider and, until it moves, prod. */
async function open(fixture: StackFixture, props: PlatformProps = {}): Promise<Workspace> {
  fixture.declare(["prod", "stage"], props);
  await fixture.applied();
  return fixture.anotherWorkspace();
}

for (const [order, testOrder] of [
  ["retained first", testInRest],
  ["adopted first", testInRest],
] as const) {
  testOrder(
    `a cluster moves with retain and adopt, ${order}: the service gets no request, and the new stack owns it`,
    async (fixture) => {
      const target = await open(fixture);
      const sent = fixture.writes();
      const letGo = async () => {
        fixture.declare(["stage"], { retain: ["prod"] });
        expect(await fixture.applied()).toContain("cluster prod: left on the service (retain); Terraform forgets it");
      };
      const takeOver = async () => {
        declareTarget(fixture, target, true);
        expect(succeeded(await target.apply())).toContain("cluster prod: adopted");
      };
      for (const step of order === "retained first" ? [letGo, takeOver] : [takeOver, letGo]) await step();

      fixture.declare(["stage"]);
      await fixture.converges();
      declareTarget(fixture, target, false);
      succeeded(await target.apply());
      expect(await target.plan()).toEqual([]);
      expect(fixture.writes()).toEqual(sent);

      // Each stack deletes only its own objects.
      fixture.declareNothing({ pollSeconds: 5 });
      expect(await fixture.failed()).toContain("capvs provider vsphere is used by prod; nothing was deleted");
      expect(fixture.live()).toEqual(["prod", "stage", "vsphere"]);
      succeeded(await target.destroy());
      expect(fixture.live()).toEqual(["stage", "vsphere"]);
      await fixture.applied();
      expect(fixture.live()).toEqual([]);
    },
  );
}

testInRest("a stack that takes over without adopt is refused, and so is one that forgets retain", async (fixture) => {
  const protection = { deletionProtection: true } as const;
  const target = await open(fixture, protection);
  const sent = fixture.writes();
  declareTarget(fixture, target, false);
  expect(failed(await target.apply())).toContain("the service already has cluster prod");
  expect(failed(await target.destroy())).toContain("still on the service: capvs/clusters/prod");
  declareTarget(fixture, target, true);
  succeeded(await target.apply());
  fixture.declare(["stage"], protection);
  expect(await fixture.failed()).toContain('Keep it on the service: write retain: ["prod"] on the Platform');
  fixture.declare(["stage"], { ...protection, retain: ["prod"] });
  await fixture.applied();
  expect(fixture.writes()).toEqual(sent);
  expect(await target.plan()).toEqual([]);
});
