import { CapvsProvider } from "../../src/constructs/capvs";
import { RetiredPlatform } from "../../src/constructs/retired-platform";
import { cluster, provider } from "../support/capvs";
import { engines } from "../support/tools";
import { failed, Scene, succeeded } from "./scene";

const size = { cpus: 4, memoryMib: 8192, diskGib: 60 };

describe.each(engines)("on %s", (engine) => {
  let scene: Scene;
  beforeEach(async () => (scene = await Scene.open(engine)));
  afterEach(() => scene.close());

  const instance = (name: string) => `${engine}.capvs_clusters["${name}"]`;
  const changes = async () => (await scene.workspace.plan()).map(({ address, actions }) => `${actions.join("+")} ${address}`);

  /** Declares prod with another number of nodes, which replaces it, and stage as it was. */
  const change = (props: Parameters<Scene["platform"]>[1]) =>
    scene.workspace.synth((stack) => {
      scene.platform(stack, props);
      const on = provider(stack);
      cluster(stack, "prod", on, { controlPlane: { count: 5, ...size } });
      cluster(stack, "stage", on);
    });

  test("toggling protection is a change of one element that a plan shows, and sends nothing", async () => {
    scene.declare(["prod"]);
    await scene.applied();
    const before = scene.simulator.requests.length;
    scene.declare(["prod"], { deletionProtection: true, allowDeletion: ["old"], retain: ["capvs/clusters/moved"] });
    const [guard, ...rest] = await scene.workspace.plan();
    expect(rest).toEqual([]);
    expect(guard).toMatchObject({
      address: "terraform_data.deletion_guard",
      actions: ["update"],
      change: {
        before: { input: { deletionProtection: [], allowDeletion: [], retain: [] } },
        after: { input: { deletionProtection: ["*"], allowDeletion: ["old"], retain: ["capvs/clusters/moved"] } },
      },
    });
    await scene.applied();
    expect(scene.simulator.requests).toHaveLength(before);
    expect(await changes()).toEqual([]);
  });

  test.each([
    ["everything", true],
    ["a pattern", ["x-*", "p*d"]],
  ])("refuses a removal that protects %s, before anything goes, and again until it is allowed", async (_, deletionProtection) => {
    scene.declare(["prod", "stage"]);
    await scene.applied();
    const sent = scene.writes();
    scene.declare([], { deletionProtection });
    for (const again of [1, 2]) {
      const output = await scene.refused();
      expect({ again, output }).toMatchObject({
        output: expect.stringMatching(/capvs\/clusters\/prod.* protected from deletion/),
      });
      expect(output).toContain(
        "nothing was deleted. To delete, declare the deletion in the same change with allowDeletion: [name]",
      );
      expect(scene.writes()).toEqual(sent);
    }
    scene.declare([], { deletionProtection, allowDeletion: ["prod", "capvs/clusters/stage", "vsphere"] });
    await scene.applied();
    expect(scene.live()).toEqual([]);
  });

  test("deletes what a pattern does not mean", async () => {
    scene.declare(["prod", "stage"]);
    await scene.applied();
    scene.declare(["stage"], { deletionProtection: ["prod-*", "capvs/providers/prod", "stage"] });
    await scene.applied();
    expect(scene.live()).toEqual(["stage", "vsphere"]);
  });

  test("refuses to replace what is protected, keeps it in the state, and forgets the matter when the change is taken back", async () => {
    scene.declare(["prod", "stage"]);
    await scene.applied();
    const sent = scene.writes();
    change({ deletionProtection: ["prod"] });
    expect((await scene.workspace.plan()).find(({ address }) => address === instance("prod"))!.actions).toEqual([
      "delete",
      "create",
    ]);
    expect(await scene.refused()).toContain("cluster prod is protected from deletion; nothing was sent");
    expect(scene.writes()).toEqual(sent);
    scene.declare(["prod", "stage"], { deletionProtection: ["prod"] });
    await scene.applied();
    expect(await changes()).toEqual([]);

    const replaced = failed(await scene.workspace.apply({ args: [`-replace=${instance("prod")}`] }));
    expect(replaced).toContain("cluster prod is protected from deletion; nothing was sent");
    expect(scene.writes()).toEqual(sent);
  });

  test("replaces what is protected when the replacement is allowed by the same change", async () => {
    scene.declare(["prod", "stage"]);
    await scene.applied();
    change({ deletionProtection: true, allowDeletion: ["prod"] });
    await scene.applied();
    expect(scene.happened().slice(3)).toEqual(["-prod", "+prod"]);
  });

  test("refuses to destroy while anything is protected, and leaves the rest alone, too", async () => {
    scene.declare(["prod", "stage"], { deletionProtection: ["prod"] });
    await scene.applied();
    const sent = scene.writes();
    const output = failed(await scene.workspace.destroy());
    expect(output).toContain("capvs/clusters/prod is protected from deletion; nothing was deleted");
    expect(scene.live()).toEqual(["prod", "stage", "vsphere"]);
    await scene.applied();
    expect(await changes()).toEqual([]);
    expect(scene.writes()).toEqual(sent);

    scene.declare(["prod", "stage"], { deletionProtection: ["prod"], allowDeletion: ["prod"] });
    succeeded(await scene.workspace.destroy());
    expect(scene.live()).toEqual([]);
  });

  test("refuses a destroy after a removal of what is protected, and a removal after a destroy, as the first time", async () => {
    scene.declare(["prod", "stage"], { deletionProtection: ["prod"] });
    await scene.applied();
    const sent = scene.writes();
    scene.declare(["stage"], { deletionProtection: ["prod"] });
    expect(await scene.refused()).toContain("capvs/clusters/prod is protected from deletion; nothing was deleted");
    scene.declare(["prod", "stage"], { deletionProtection: ["prod"] });
    const output = failed(await scene.workspace.destroy());
    expect(output).toContain("capvs/clusters/prod is protected from deletion; nothing was deleted");
    scene.declare([], { deletionProtection: ["prod"] });
    expect(await scene.refused()).toContain("capvs/clusters/prod is protected from deletion; nothing was deleted");
    expect(scene.writes()).toEqual(sent);
  });

  test("refuses destroy -target of others while something is protected, and says how to delete them", async () => {
    scene.declare(["prod", "stage"], { deletionProtection: ["prod"] });
    await scene.applied();
    const sent = scene.writes();
    const output = failed(await scene.workspace.destroy({ args: [`-target=${instance("stage")}`] }));
    expect(output).toContain("capvs/clusters/prod is protected");
    expect(output).toContain("To delete others only, remove their constructs and apply: a hook cannot see what -target spares");
    expect(scene.writes()).toEqual(sent);
    scene.declare(["prod"], { deletionProtection: ["prod"] });
    await scene.applied();
    expect(scene.live()).toEqual(["prod", "vsphere"]);
  });

  test("is not got round by apply -target, which leaves the deletion guard out", async () => {
    scene.declare(["prod", "stage"], { deletionProtection: ["prod"] });
    await scene.applied();
    const sent = scene.writes();
    scene.declare(["stage"], { deletionProtection: ["prod"] });
    const output = await scene.refused({ args: [`-target=${engine}.capvs_clusters`] });
    expect(output).toContain("prod is protected from deletion");
    expect(scene.writes()).toEqual(sent);
    expect(scene.live()).toEqual(["prod", "stage", "vsphere"]);
  });

  test("holds for a Platform that is retired", async () => {
    scene.declare(["prod"]);
    await scene.applied();
    scene.workspace.synth((stack) => void new RetiredPlatform(stack, "retired", { engine, deletionProtection: ["prod"] }));
    expect(await scene.refused()).toContain("capvs/clusters/prod is protected from deletion; nothing was deleted");
    expect(scene.live()).toEqual(["prod", "vsphere"]);
  });

  describe("allowDeletion", () => {
    test("that names nothing is said to, where something is refused", async () => {
      scene.declare(["prod"]);
      await scene.applied();
      scene.declare([], { deletionProtection: true, allowDeletion: ["pord", "vsphere"] });
      expect(await scene.refused()).toContain("allowDeletion has pord, which names nothing: is it misspelled?");
      expect(scene.live()).toEqual(["prod", "vsphere"]);
    });

    test("by id allows that object only, not another one of its name", async () => {
      scene.workspace.synth((stack) => {
        scene.platform(stack);
        cluster(stack, "main", provider(stack, "main"), { id: "cluster" });
      });
      await scene.applied();
      scene.declare([], { deletionProtection: true, allowDeletion: ["capvs/clusters/main"] });
      const output = await scene.refused();
      expect(output).toContain("capvs/providers/main is protected from deletion");
      expect(output).not.toContain("capvs/clusters/main is");
      expect(scene.live()).toEqual(["main", "main"]);
    });
  });

  describe("retain", () => {
    test("leaves on the service what is destroyed, and deletes the rest", async () => {
      scene.declare(["prod", "stage"]);
      await scene.applied();
      scene.declare(["prod", "stage"], { deletionProtection: ["prod"], retain: ["prod", "vsphere"] });
      const output = succeeded(await scene.workspace.destroy());
      expect(output).toContain("cluster prod: left on the service (retain); Terraform forgets it");
      expect(output).toContain("capvs provider vsphere: left on the service (retain); Terraform forgets it");
      expect(scene.live()).toEqual(["prod", "vsphere"]);
      expect(JSON.parse(scene.workspace.state())).toMatchObject({ resources: [] });
    });

    test("of a provider lets go of it although clusters use it, and touches neither", async () => {
      scene.workspace.synth((stack) => {
        scene.platform(stack);
        cluster(stack, "prod", provider(stack));
      });
      await scene.applied();
      const sent = scene.writes();
      scene.workspace.synth((stack) => {
        scene.platform(stack, { retain: ["capvs/providers/vsphere"] });
        cluster(stack, "prod", CapvsProvider.fromName("vsphere"));
      });
      await scene.applied();
      expect(scene.writes()).toEqual(sent);
      expect(await changes()).toEqual([]);
    });

    test("that names nothing stops a removal before anything goes: it may have been to keep what goes", async () => {
      scene.declare(["prod", "stage"]);
      await scene.applied();
      const sent = scene.writes();
      scene.declare(["stage"], { retain: ["prdo"] });
      const output = await scene.refused();
      expect(output).toContain("Platform: 'retain' must name what the state or the code has, got prdo");
      expect(output).toContain("Nothing was deleted; about to be: capvs/clusters/prod. Correct it, or take it out");
      expect(scene.writes()).toEqual(sent);
      scene.declare(["stage"], { retain: ["prod"] });
      await scene.applied();
      expect(scene.writes()).toEqual(sent);

      // Left over from the move, it stops the next removal; taken out, it does not.
      scene.declare([], { retain: ["prod"] });
      expect(await scene.refused()).toContain("or take it out if an earlier apply has let go of it");
      scene.declare([]);
      expect(await scene.refused()).toContain("capvs provider vsphere is used by prod; nothing was sent");
      scene.simulator.remove("clusters", "capvs", "prod");
      await scene.applied();
      expect(scene.live()).toEqual([]);
    });

    test("that names nothing stops a destroy, too", async () => {
      scene.declare(["prod"]);
      await scene.applied();
      scene.declare(["prod"], { retain: ["capvs/clusters/prdo"] });
      expect(failed(await scene.workspace.destroy())).toContain("got capvs/clusters/prdo");
      expect(scene.live()).toEqual(["prod", "vsphere"]);
    });

    test("names what is there or comes, without harm to removals", async () => {
      scene.declare(["prod", "stage"], { retain: ["prod"] });
      await scene.applied();
      scene.declare(["prod", "next"], { retain: ["prod", "next"] });
      await scene.applied();
      expect(scene.live()).toEqual(["next", "prod", "vsphere"]);
    });

    test("of what a change replaces leaves the old one, refuses the new one, and is undone by taking it over", async () => {
      scene.declare(["prod", "stage"]);
      await scene.applied();
      const sent = scene.writes();
      change({ retain: ["prod"] });
      const output = await scene.refused();
      expect(output).toContain("cluster prod: left on the service (retain)");
      expect(output).toContain("the name of cluster prod is taken");
      expect(scene.writes()).toEqual(sent);
      scene.declare(["prod", "stage"]);
      await scene.applied({ env: { CLUSTER_PLATFORM_ADOPT: "capvs/clusters/prod" } });
      expect(scene.writes()).toEqual(sent);
      expect(await changes()).toEqual([]);
    });
  });

  describe("a provider registration", () => {
    const registered = (props: object, clusters: readonly string[], id = "vsphere") =>
      scene.workspace.synth((stack) => {
        scene.platform(stack);
        const on = provider(stack, id, props);
        clusters.forEach((name) => cluster(stack, name, on));
      });

    test.each([
      ["a field", { datastore: "ssd-02" }],
      ["credentialsVersion", { credentialsVersion: 2 }],
    ])("with live clusters on it that changes in %s replaces no cluster and is refused, naming them", async (_, props) => {
      registered({}, ["prod", "stage"]);
      await scene.applied();
      const sent = scene.writes();
      registered(props, ["prod", "stage"]);
      expect(await changes()).toEqual([
        `delete+create ${engine}.capvs_providers["vsphere"]`,
        expect.stringContaining("terraform_data.ready"),
        expect.stringContaining("terraform_data.readiness"),
      ]);
      const output = await scene.refused();
      expect(output).toContain("capvs provider vsphere is used by prod, stage; nothing was sent");
      expect(output).toContain("register the new one under another name, or remove the clusters first");
      expect(scene.writes()).toEqual(sent);
      registered({}, ["prod", "stage"]);
      await scene.applied();
      expect(await changes()).toEqual([]);
    });

    test("in use is changed by registering a new one beside it, for the clusters that come", async () => {
      registered({}, ["prod"]);
      await scene.applied();
      scene.workspace.synth((stack) => {
        scene.platform(stack);
        cluster(stack, "prod", provider(stack));
        cluster(stack, "next", provider(stack, "vsphere-2", { datastore: "ssd-02" }));
      });
      await scene.applied();
      expect(scene.happened()).toEqual(["+vsphere", "+prod", "+vsphere-2", "+next"]);
    });

    test("that nothing uses is replaced", async () => {
      registered({}, []);
      await scene.applied();
      registered({ credentialsVersion: "2026-07" }, []);
      await scene.applied();
      expect(scene.happened()).toEqual(["+vsphere", "-vsphere", "+vsphere"]);
    });

    test("that a cluster of somebody else uses is not deleted, nor forgotten", async () => {
      registered({}, ["prod"]);
      await scene.applied();
      const other = scene.anotherWorkspace();
      other.synth((stack) => {
        scene.platform(stack);
        cluster(stack, "theirs", CapvsProvider.fromName("vsphere"));
      });
      succeeded(await other.apply());
      const output = failed(await scene.workspace.destroy());
      expect(output).toContain("capvs provider vsphere is used by theirs; nothing was sent");
      expect(scene.live()).toEqual(["theirs", "vsphere"]);
      succeeded(await other.destroy());
      succeeded(await scene.workspace.destroy());
      expect(scene.live()).toEqual([]);
    });
  });
});
