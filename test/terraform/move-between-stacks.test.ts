import { CapvsProvider } from "../../src/constructs/capvs";
import { Engine } from "../../src/constructs/platform-resources";
import type { PlatformProps } from "../../src/constructs/platform-props";
import { cluster, provider } from "../support/capvs";
import { engines } from "../support/tools";
import { failed, Scene, succeeded } from "./scene";
import type { Workspace } from "./workspace";

let scene: Scene;
let target: Workspace;
afterEach(() => scene.close());

/** The stack that has the provider, and prod until it moves. */
const source = (names: readonly string[], props: PlatformProps = {}) => scene.declare(names, props);

/** The stack that prod moves to; its provider stays behind. */
const declareTarget = (adopt: boolean, props: PlatformProps = {}) =>
  target.synth((stack) => {
    scene.platform(stack, props);
    cluster(stack, "prod", CapvsProvider.fromName("vsphere"), { adopt });
  });

async function open(engine: Engine): Promise<void> {
  scene = await Scene.open(engine);
  target = scene.anotherWorkspace();
  source(["prod", "stage"]);
  await scene.applied();
}

describe.each(engines)("on %s", (engine) => {
  beforeEach(() => open(engine));

  test.each(["retained first", "adopted first"])(
    "a cluster moves by retain and adopt, %s: the service sees nothing, and the new stack owns it",
    async (order) => {
      const sent = scene.writes();
      const letGo = async () => {
        source(["stage"], { retain: ["prod"] });
        expect(await scene.applied()).toContain("cluster prod: left on the service (retain); Terraform forgets it");
      };
      const takeOver = async () => {
        declareTarget(true);
        expect(succeeded(await target.apply())).toContain("cluster prod: adopted");
      };
      for (const step of order === "retained first" ? [letGo, takeOver] : [takeOver, letGo]) await step();
      expect(scene.writes()).toEqual(sent);

      source(["stage"]);
      await scene.applied();
      declareTarget(false);
      succeeded(await target.apply());
      expect(await scene.workspace.plan()).toEqual([]);
      expect(await target.plan()).toEqual([]);
      expect(scene.writes()).toEqual(sent);

      // What belongs to whom shows in what each stack deletes.
      source([]);
      expect(await scene.refused()).toContain("capvs provider vsphere is used by prod; nothing was sent");
      expect(scene.live()).toEqual(["prod", "vsphere"]);
      succeeded(await target.destroy());
      expect(scene.live()).toEqual(["vsphere"]);
      await scene.applied();
      expect(scene.live()).toEqual([]);
    },
  );
});

describe("between engines", () => {
  beforeEach(() => open(engines.at(-1)!));

  test("a provider moves along with its clusters", async () => {
    const sent = scene.writes();
    const everything = ["capvs/providers/vsphere", "prod", "stage"];
    source([], { retain: everything });
    await scene.applied();
    target.synth((stack) => {
      scene.platform(stack, { engine: Engine.TERRAFORM_DATA });
      const on = provider(stack, "vsphere", { adopt: true });
      for (const name of ["prod", "stage"]) cluster(stack, name, on, { adopt: true });
    });
    succeeded(await target.apply());
    expect(await target.plan()).toEqual([]);
    succeeded(await scene.workspace.destroy());
    expect(scene.writes()).toEqual(sent);
    succeeded(await target.destroy());
    expect(scene.live()).toEqual([]);
  });

  test("a forgotten retain is caught where the old stack protects the cluster", async () => {
    source(["prod", "stage"], { deletionProtection: true });
    await scene.applied();
    declareTarget(true);
    succeeded(await target.apply());
    const sent = scene.writes();
    source(["stage"], { deletionProtection: true });
    expect(await scene.refused()).toContain("or keep the object on the service with retain: [name]");
    source(["stage"], { deletionProtection: true, retain: ["prod"] });
    await scene.applied();
    expect(scene.writes()).toEqual(sent);
    expect(await target.plan()).toEqual([]);
  });

  test("a stack that takes over without adopt is refused, and its destroy leaves the cluster alone", async () => {
    source(["stage"], { retain: ["prod"] });
    await scene.applied();
    declareTarget(false);
    expect(failed(await target.apply())).toContain("the name of cluster prod is taken");
    expect(failed(await target.destroy())).toContain("still on the service: capvs/clusters/prod");
    expect(scene.live()).toEqual(["prod", "stage", "vsphere"]);
  });
});
