import { CapvsProvider } from "../../src/constructs/capvs";
import { Engine } from "../../src/constructs/platform-resources";
import type { PlatformProps } from "../../src/constructs/platform-props";
import { cluster, provider } from "../support/capvs";
import { type Backend, terraformBackends } from "../support/tools";
import { AMPLE, failed, StackFixture, succeeded } from "./stack-fixture";
import type { Workspace } from "./workspace";

let fixture: StackFixture;
let target: Workspace;
afterEach(() => fixture.close());

/** The stack that has the provider, and prod until it moves. */
const source = (names: readonly string[], props: PlatformProps = {}) => fixture.declare(names, props);

/** The stack that prod moves to; its provider stays behind. */
const declareTarget = (adopt: boolean, props: PlatformProps = {}) =>
  target.synth((stack) => {
    fixture.platform(stack, props);
    cluster(stack, "prod", CapvsProvider.fromName("vsphere"), { adopt });
  });

async function open(backend: Backend): Promise<void> {
  fixture = await StackFixture.open({ backend, timeouts: { ...AMPLE, deleteSeconds: 2 } });
  target = fixture.anotherWorkspace();
  source(["prod", "stage"]);
  await fixture.applied();
}

describe.each(terraformBackends)("on $title", (backend) => {
  beforeEach(() => open(backend));

  test.each(["retained first", "adopted first"])(
    "a cluster moves by retain and adopt, %s: the service sees nothing, and the new stack owns it",
    async (order) => {
      const sent = fixture.writes();
      const letGo = async () => {
        source(["stage"], { retain: ["prod"] });
        expect(await fixture.applied()).toContain("cluster prod: left on the service (retain); Terraform forgets it");
      };
      const takeOver = async () => {
        declareTarget(true);
        expect(succeeded(await target.apply())).toContain("cluster prod: adopted");
      };
      for (const step of order === "retained first" ? [letGo, takeOver] : [takeOver, letGo]) await step();
      expect(fixture.writes()).toEqual(sent);

      source(["stage"]);
      await fixture.applied();
      declareTarget(false);
      succeeded(await target.apply());
      expect(await fixture.workspace.plan()).toEqual([]);
      expect(await target.plan()).toEqual([]);
      expect(fixture.writes()).toEqual(sent);

      // What belongs to whom shows in what each stack deletes.
      source([]);
      expect(await fixture.failed()).toContain("capvs provider vsphere is used by prod; nothing was sent");
      expect(fixture.live()).toEqual(["prod", "vsphere"]);
      succeeded(await target.destroy());
      expect(fixture.live()).toEqual(["vsphere"]);
      await fixture.applied();
      expect(fixture.live()).toEqual([]);
    },
  );
});

describe("between engines", () => {
  beforeEach(() => open(terraformBackends.at(-1)!));

  test("a provider moves along with its clusters", async () => {
    const sent = fixture.writes();
    const everything = ["capvs/providers/vsphere", "prod", "stage"];
    source([], { retain: everything });
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

  test("a forgotten retain is caught where the old stack protects the cluster", async () => {
    source(["prod", "stage"], { deletionProtection: true });
    await fixture.applied();
    declareTarget(true);
    succeeded(await target.apply());
    const sent = fixture.writes();
    source(["stage"], { deletionProtection: true });
    expect(await fixture.failed()).toContain("or keep the object on the service with retain: [name]");
    source(["stage"], { deletionProtection: true, retain: ["prod"] });
    await fixture.applied();
    expect(fixture.writes()).toEqual(sent);
    expect(await target.plan()).toEqual([]);
  });

  test("a stack that takes over without adopt is refused, and its destroy leaves the cluster alone", async () => {
    source(["stage"], { retain: ["prod"] });
    await fixture.applied();
    declareTarget(false);
    expect(failed(await target.apply())).toContain("the name of cluster prod is taken");
    expect(failed(await target.destroy())).toContain("still on the service: capvs/clusters/prod");
    expect(fixture.live()).toEqual(["prod", "stage", "vsphere"]);
  });
});
