import { writeFileSync } from "node:fs";
import { CapvsProvider } from "../../src/constructs/types/capvs";
import { Engine } from "../../src/constructs/engine";
import type { PlatformProps } from "../../src/constructs/platform-props";
import { cluster, provider } from "../support/capvs";
import { nullResourceBackends, providerBackend, terraformBackends } from "../support/tools";
import { failed, type StackFixture, succeeded } from "./stack-fixture";
import { inRest, testInRest, testOn } from "./test-on-backends";
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
      expect(await fixture.failed()).toContain("capvs provider vsphere is used by prod; nothing was sent");
      expect(fixture.live()).toEqual(["prod", "vsphere"]);
      succeeded(await target.destroy());
      expect(fixture.live()).toEqual(["vsphere"]);
      await fixture.applied();
      expect(fixture.live()).toEqual([]);
    },
  );
}

testOn(inRest(nullResourceBackends))("a provider moves together with its clusters, to the other engine", async (fixture) => {
  const target = await open(fixture);
  const sent = fixture.writes();
  fixture.declareNothing({ retain: ["capvs/providers/vsphere", "prod", "stage"] });
  await fixture.applied();
  target.synth((stack) => {
    fixture.platform(stack, { engine: Engine.TERRAFORM_DATA });
    const on = provider(stack, "vsphere", { adopt: true });
    for (const name of ["prod", "stage"]) cluster(stack, name, on, { adopt: true });
  });
  succeeded(await target.apply());
  expect(await target.plan()).toEqual([]);
  succeeded(await fixture.workspace.destroy());
  expect(fixture.writes()).toEqual(sent);
  succeeded(await target.destroy());
  expect(fixture.live()).toEqual([]);
});

testInRest("a stack that takes over without adopt is refused, and so is one that forgets retain", async (fixture) => {
  const protection = { deletionProtection: true } as const;
  const target = await open(fixture, protection);
  const sent = fixture.writes();
  declareTarget(fixture, target, false);
  expect(failed(await target.apply())).toContain("the name of cluster prod is taken");
  expect(failed(await target.destroy())).toContain("still on the service: capvs/clusters/prod");
  declareTarget(fixture, target, true);
  succeeded(await target.apply());
  fixture.declare(["stage"], protection);
  expect(await fixture.failed()).toContain(
    'To remove it from the code and keep it on the service, write retain: ["prod"] on the Platform',
  );
  fixture.declare(["stage"], { ...protection, retain: ["prod"] });
  await fixture.applied();
  expect(fixture.writes()).toEqual(sent);
  expect(await target.plan()).toEqual([]);
});

testOn(inRest([...terraformBackends, providerBackend]))(
  "an object that the state has on two Platforms is refused, and its remedy ends that",
  async (fixture) => {
    const { workspace, engine } = fixture;
    const isProvider = engine === Engine.PROVIDER;
    const declare = (on: "platform" | "lab", props: PlatformProps = {}) =>
      workspace.synth((stack) => {
        const platform = fixture.platform(stack, props);
        const lab = fixture.platform(stack, { name: "lab" }, "lab");
        cluster(stack, "prod", provider(stack, "vsphere", { platform }), { platform: on === "lab" ? lab : platform });
      });
    declare("platform");
    await fixture.applied();
    const before = JSON.parse(workspace.state()) as { resources: { type: string; name: string; module?: string }[] };
    const isOld = ({ type, name }: { type: string; name: string }) =>
      isProvider ? type === "clusterplatform_capvs_cluster" : type === engine && name === "capvs_clusters";
    // An apply that moves the object has written the new entry, and not removed the old one.
    const twice = structuredClone(before);
    for (const each of before.resources.filter(isOld)) twice.resources.push({ ...each, name: `lab_${each.name}` });
    writeFileSync(workspace.stateFile, JSON.stringify(twice));
    const sent = fixture.writes();
    declare("lab");
    expect(await fixture.failed()).toContain("[DECLARED_ELSEWHERE]");
    if (isProvider) succeeded(await workspace.run(["state", "rm", "clusterplatform_capvs_cluster.prod"]));
    else declare("lab", { retain: ["prod"] });
    await fixture.converges();
    expect(fixture.writes()).toEqual(sent);
  },
);
