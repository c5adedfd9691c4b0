import { CapvsProvider } from "../../src/constructs/capvs";
import { RetiredPlatform } from "../../src/constructs/retired-platform";
import { cluster, provider } from "../support/capvs";
import { terraformBackends } from "../support/tools";
import { AMPLE, failed, StackFixture, succeeded } from "./stack-fixture";

const size = { cpus: 4, memoryMib: 8192, diskGib: 60 };

describe.each(terraformBackends)("on $title", (backend) => {
  const { engine } = backend;
  let fixture: StackFixture;
  beforeEach(async () => (fixture = await StackFixture.open({ backend, timeouts: { ...AMPLE, deleteSeconds: 2 } })));
  afterEach(() => fixture.close());

  const instance = (name: string) => `${engine}.capvs_clusters["${name}"]`;
  const changes = async () => (await fixture.workspace.plan()).map(({ address, actions }) => `${actions.join("+")} ${address}`);

  /** Declares prod with another number of nodes, which replaces it, and stage as it was. */
  const change = (props: Parameters<StackFixture["platform"]>[1]) =>
    fixture.workspace.synth((stack) => {
      fixture.platform(stack, props);
      const on = provider(stack);
      cluster(stack, "prod", on, { controlPlane: { count: 5, ...size } });
      cluster(stack, "stage", on);
    });

  test("toggling protection is a change of one element that a plan shows, and sends nothing", async () => {
    fixture.declare(["prod"]);
    await fixture.applied();
    const before = fixture.simulator.requests.length;
    fixture.declare(["prod"], { deletionProtection: true, allowDeletion: ["old"], retain: ["capvs/clusters/moved"] });
    const [guard, ...rest] = await fixture.workspace.plan();
    expect(rest).toEqual([]);
    expect(guard).toMatchObject({
      address: "terraform_data.protection",
      actions: ["update"],
      change: {
        before: { input: { deletionProtection: [], allowDeletion: [], retain: [] } },
        after: { input: { deletionProtection: ["*"], allowDeletion: ["old"], retain: ["capvs/clusters/moved"] } },
      },
    });
    await fixture.applied();
    expect(fixture.simulator.requests).toHaveLength(before);
    expect(await changes()).toEqual([]);
  });

  test.each([
    ["everything", true],
    ["a pattern", ["x-*", "p*d"]],
  ])("refuses a removal that protects %s, before anything goes, and again until it is allowed", async (_, deletionProtection) => {
    fixture.declare(["prod", "stage"]);
    await fixture.applied();
    const sent = fixture.writes();
    fixture.declareNothing({ deletionProtection });
    for (const again of [1, 2]) {
      const output = await fixture.failed();
      expect({ again, output }).toMatchObject({
        output: expect.stringMatching(/capvs\/clusters\/prod.* protected from deletion/),
      });
      expect(output).toContain(
        "nothing was deleted. To delete, declare the deletion in the same change with allowDeletion: [name]",
      );
      expect(fixture.writes()).toEqual(sent);
    }
    fixture.declareNothing({ deletionProtection, allowDeletion: ["prod", "capvs/clusters/stage", "vsphere"] });
    await fixture.applied();
    expect(fixture.live()).toEqual([]);
  });

  test("deletes what a pattern does not mean", async () => {
    fixture.declare(["prod", "stage"]);
    await fixture.applied();
    fixture.declare(["stage"], { deletionProtection: ["prod-*", "capvs/providers/prod", "stage"] });
    await fixture.applied();
    expect(fixture.live()).toEqual(["stage", "vsphere"]);
  });

  test("refuses to replace what is protected, keeps it in the state, and forgets the matter when the change is taken back", async () => {
    fixture.declare(["prod", "stage"]);
    await fixture.applied();
    const sent = fixture.writes();
    change({ deletionProtection: ["prod"] });
    expect((await fixture.workspace.plan()).find(({ address }) => address === instance("prod"))!.actions).toEqual([
      "delete",
      "create",
    ]);
    expect(await fixture.failed()).toContain("cluster prod is protected from deletion; nothing was sent");
    expect(fixture.writes()).toEqual(sent);
    fixture.declare(["prod", "stage"], { deletionProtection: ["prod"] });
    await fixture.applied();
    expect(await changes()).toEqual([]);

    const replaced = failed(await fixture.workspace.apply({ args: [`-replace=${instance("prod")}`] }));
    expect(replaced).toContain("cluster prod is protected from deletion; nothing was sent");
    expect(fixture.writes()).toEqual(sent);
  });

  test("replaces what is protected when the replacement is allowed by the same change", async () => {
    fixture.declare(["prod", "stage"]);
    await fixture.applied();
    change({ deletionProtection: true, allowDeletion: ["prod"] });
    await fixture.applied();
    expect(fixture.happened().slice(3)).toEqual(["-prod", "+prod"]);
  });

  test("refuses to destroy while anything is protected, and leaves the rest alone, too", async () => {
    fixture.declare(["prod", "stage"], { deletionProtection: ["prod"] });
    await fixture.applied();
    const sent = fixture.writes();
    const output = failed(await fixture.workspace.destroy());
    expect(output).toContain("capvs/clusters/prod is protected from deletion; nothing was deleted");
    expect(fixture.live()).toEqual(["prod", "stage", "vsphere"]);
    await fixture.applied();
    expect(await changes()).toEqual([]);
    expect(fixture.writes()).toEqual(sent);

    fixture.declare(["prod", "stage"], { deletionProtection: ["prod"], allowDeletion: ["prod"] });
    succeeded(await fixture.workspace.destroy());
    expect(fixture.live()).toEqual([]);
  });

  test("refuses a destroy after a removal of what is protected, and a removal after a destroy, as the first time", async () => {
    fixture.declare(["prod", "stage"], { deletionProtection: ["prod"] });
    await fixture.applied();
    const sent = fixture.writes();
    fixture.declare(["stage"], { deletionProtection: ["prod"] });
    expect(await fixture.failed()).toContain("capvs/clusters/prod is protected from deletion; nothing was deleted");
    fixture.declare(["prod", "stage"], { deletionProtection: ["prod"] });
    const output = failed(await fixture.workspace.destroy());
    expect(output).toContain("capvs/clusters/prod is protected from deletion; nothing was deleted");
    fixture.declareNothing({ deletionProtection: ["prod"] });
    expect(await fixture.failed()).toContain("capvs/clusters/prod is protected from deletion; nothing was deleted");
    expect(fixture.writes()).toEqual(sent);
  });

  test("refuses destroy -target of others while something is protected, and says how to delete them", async () => {
    fixture.declare(["prod", "stage"], { deletionProtection: ["prod"] });
    await fixture.applied();
    const sent = fixture.writes();
    const output = failed(await fixture.workspace.destroy({ args: [`-target=${instance("stage")}`] }));
    expect(output).toContain("capvs/clusters/prod is protected");
    expect(output).toContain("To delete others only, remove their constructs and apply: a hook cannot see what -target spares");
    expect(fixture.writes()).toEqual(sent);
    fixture.declare(["prod"], { deletionProtection: ["prod"] });
    await fixture.applied();
    expect(fixture.live()).toEqual(["prod", "vsphere"]);
  });

  test("is not got round by apply -target, which leaves the deletion guard out", async () => {
    fixture.declare(["prod", "stage"], { deletionProtection: ["prod"] });
    await fixture.applied();
    const sent = fixture.writes();
    fixture.declare(["stage"], { deletionProtection: ["prod"] });
    const output = await fixture.failed({ args: [`-target=${engine}.capvs_clusters`] });
    expect(output).toContain("prod is protected from deletion");
    expect(fixture.writes()).toEqual(sent);
    expect(fixture.live()).toEqual(["prod", "stage", "vsphere"]);
  });

  test("holds for a Platform that is retired", async () => {
    fixture.declare(["prod"]);
    await fixture.applied();
    fixture.workspace.synth((stack) => void new RetiredPlatform(stack, "retired", { engine, deletionProtection: ["prod"] }));
    expect(await fixture.failed()).toContain("capvs/clusters/prod is protected from deletion; nothing was deleted");
    expect(fixture.live()).toEqual(["prod", "vsphere"]);
  });

  describe("allowDeletion", () => {
    test("that names nothing is said to, where something is refused", async () => {
      fixture.declare(["prod"]);
      await fixture.applied();
      fixture.declareNothing({ deletionProtection: true, allowDeletion: ["pord", "vsphere"] });
      expect(await fixture.failed()).toContain("allowDeletion has pord, which names nothing: is it misspelled?");
      expect(fixture.live()).toEqual(["prod", "vsphere"]);
    });

    test("by id allows that object only, not another one of its name", async () => {
      fixture.workspace.synth((stack) => {
        fixture.platform(stack);
        cluster(stack, "main", provider(stack, "main"), { id: "cluster" });
      });
      await fixture.applied();
      fixture.declareNothing({ deletionProtection: true, allowDeletion: ["capvs/clusters/main"] });
      const output = await fixture.failed();
      expect(output).toContain("capvs/providers/main is protected from deletion");
      expect(output).not.toContain("capvs/clusters/main is");
      expect(fixture.live()).toEqual(["main", "main"]);
    });
  });

  describe("retain", () => {
    test("leaves on the service what is destroyed, and deletes the rest", async () => {
      fixture.declare(["prod", "stage"]);
      await fixture.applied();
      fixture.declare(["prod", "stage"], { deletionProtection: ["prod"], retain: ["prod", "vsphere"] });
      const output = succeeded(await fixture.workspace.destroy());
      expect(output).toContain("cluster prod: left on the service (retain); Terraform forgets it");
      expect(output).toContain("capvs provider vsphere: left on the service (retain); Terraform forgets it");
      expect(fixture.live()).toEqual(["prod", "vsphere"]);
      expect(JSON.parse(fixture.workspace.state())).toMatchObject({ resources: [] });
    });

    test("of a provider lets go of it although clusters use it, and touches neither", async () => {
      fixture.workspace.synth((stack) => {
        fixture.platform(stack);
        cluster(stack, "prod", provider(stack));
      });
      await fixture.applied();
      const sent = fixture.writes();
      fixture.workspace.synth((stack) => {
        fixture.platform(stack, { retain: ["capvs/providers/vsphere"] });
        cluster(stack, "prod", CapvsProvider.fromName("vsphere"));
      });
      await fixture.applied();
      expect(fixture.writes()).toEqual(sent);
      expect(await changes()).toEqual([]);
    });

    test("that names nothing stops a removal before anything goes: it may have been to keep what goes", async () => {
      fixture.declare(["prod", "stage"]);
      await fixture.applied();
      const sent = fixture.writes();
      fixture.declare(["stage"], { retain: ["prdo"] });
      const output = await fixture.failed();
      expect(output).toContain("Platform: 'retain' must name what the state or the code has, got prdo");
      expect(output).toContain("Nothing was deleted; about to be: capvs/clusters/prod. Correct it, or take it out");
      expect(fixture.writes()).toEqual(sent);
      fixture.declare(["stage"], { retain: ["prod"] });
      await fixture.applied();
      expect(fixture.writes()).toEqual(sent);

      // Left over from the move, it stops the next removal; taken out, it does not.
      fixture.declareNothing({ retain: ["prod"] });
      expect(await fixture.failed()).toContain("or take it out if an earlier apply has let go of it");
      fixture.declareNothing();
      expect(await fixture.failed()).toContain("capvs provider vsphere is used by prod; nothing was sent");
      fixture.simulator.remove("clusters", "capvs", "prod");
      await fixture.applied();
      expect(fixture.live()).toEqual([]);
    });

    test("that names nothing stops a destroy, too", async () => {
      fixture.declare(["prod"]);
      await fixture.applied();
      fixture.declare(["prod"], { retain: ["capvs/clusters/prdo"] });
      expect(failed(await fixture.workspace.destroy())).toContain("got capvs/clusters/prdo");
      expect(fixture.live()).toEqual(["prod", "vsphere"]);
    });

    test("names what is there or comes, without harm to removals", async () => {
      fixture.declare(["prod", "stage"], { retain: ["prod"] });
      await fixture.applied();
      fixture.declare(["prod", "next"], { retain: ["prod", "next"] });
      await fixture.applied();
      expect(fixture.live()).toEqual(["next", "prod", "vsphere"]);
    });

    test("of what a change replaces leaves the old one, refuses the new one, and is undone by taking it over", async () => {
      fixture.declare(["prod", "stage"]);
      await fixture.applied();
      const sent = fixture.writes();
      change({ retain: ["prod"] });
      const output = await fixture.failed();
      expect(output).toContain("cluster prod: left on the service (retain)");
      expect(output).toContain("the name of cluster prod is taken");
      expect(fixture.writes()).toEqual(sent);
      fixture.declare(["prod", "stage"]);
      await fixture.applied({ env: { CLUSTER_PLATFORM_ADOPT: "capvs/clusters/prod" } });
      expect(fixture.writes()).toEqual(sent);
      expect(await changes()).toEqual([]);
    });
  });

  describe("a provider registration", () => {
    const registered = (props: object, clusters: readonly string[], id = "vsphere") =>
      fixture.workspace.synth((stack) => {
        fixture.platform(stack);
        const on = provider(stack, id, props);
        clusters.forEach((name) => cluster(stack, name, on));
      });

    test.each([
      ["a field", { datastore: "ssd-02" }],
      ["credentialsVersion", { credentialsVersion: 2 }],
    ])("with live clusters on it that changes in %s replaces no cluster and is refused, naming them", async (_, props) => {
      registered({}, ["prod", "stage"]);
      await fixture.applied();
      const sent = fixture.writes();
      registered(props, ["prod", "stage"]);
      expect(await changes()).toEqual([
        `delete+create ${engine}.capvs_providers["vsphere"]`,
        "delete+create terraform_data.readiness",
        "delete+create terraform_data.ready",
      ]);
      const output = await fixture.failed();
      expect(output).toContain("capvs provider vsphere is used by prod, stage; nothing was sent");
      expect(output).toContain("register the new one under another name, or remove the clusters first");
      expect(fixture.writes()).toEqual(sent);
      registered({}, ["prod", "stage"]);
      await fixture.applied();
      expect(await changes()).toEqual([]);
    });

    test("in use is changed by registering a new one beside it, for the clusters that come", async () => {
      registered({}, ["prod"]);
      await fixture.applied();
      fixture.workspace.synth((stack) => {
        fixture.platform(stack);
        cluster(stack, "prod", provider(stack));
        cluster(stack, "next", provider(stack, "vsphere-2", { datastore: "ssd-02" }));
      });
      await fixture.applied();
      expect(fixture.happened()).toEqual(["+vsphere", "+prod", "+vsphere-2", "+next"]);
    });

    test("that nothing uses is replaced", async () => {
      registered({}, []);
      await fixture.applied();
      registered({ credentialsVersion: "2026-07" }, []);
      await fixture.applied();
      expect(fixture.happened()).toEqual(["+vsphere", "-vsphere", "+vsphere"]);
    });

    test("that a cluster of somebody else uses is not deleted, nor forgotten", async () => {
      registered({}, ["prod"]);
      await fixture.applied();
      const other = fixture.anotherWorkspace();
      other.synth((stack) => {
        fixture.platform(stack);
        cluster(stack, "theirs", CapvsProvider.fromName("vsphere"));
      });
      succeeded(await other.apply());
      const output = failed(await fixture.workspace.destroy());
      expect(output).toContain("capvs provider vsphere is used by theirs; nothing was sent");
      expect(fixture.live()).toEqual(["theirs", "vsphere"]);
      succeeded(await other.destroy());
      succeeded(await fixture.workspace.destroy());
      expect(fixture.live()).toEqual([]);
    });
  });
});
