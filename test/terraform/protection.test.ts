import { CapvsProvider } from "../../src/constructs/types/capvs";
import { cluster, provider } from "../support/capvs";
import { failed, type StackFixture, succeeded } from "./stack-fixture";
import { testInRest, testOnBackends } from "./test-on-backends";

const PROTECTED = "capvs/clusters/prod is protected; nothing was deleted";
/** With a poll every five seconds, the deletion of a used provider polls six times before it fails. */
const poll = { pollSeconds: 5 };

const changes = async ({ workspace }: StackFixture) =>
  (await workspace.plan()).map(({ address, actions }) => `${actions.join("+")} ${address}`);

/** Replaces prod by changing its number of nodes, and keeps stage. */
const change = (fixture: StackFixture, props: Parameters<StackFixture["platform"]>[1]) =>
  fixture.workspace.synth((stack) => {
    fixture.platform(stack, props);
    const on = provider(stack);
    cluster(stack, "prod", on, { controlPlane: { count: 5, cpus: 4, memoryMib: 8192, diskGib: 60 } });
    cluster(stack, "stage", on);
  });

testOnBackends("clusters are protected by default, and providers are not", async (fixture) => {
  const { workspace } = fixture;
  const byDefault = { deletionProtection: undefined };
  fixture.declare(["prod", "stage"], byDefault);
  await fixture.applied();
  const sent = fixture.writes();

  change(fixture, byDefault);
  const refused = await fixture.failed();
  expect(refused).toContain(PROTECTED);
  expect(refused).toContain(
    "The declaration of capvs/clusters/prod has changed, so the apply would delete it and create it again",
  );
  expect(refused).toContain('Replace it: write allowDeletion: ["prod"] on the Platform');
  const destroyed = failed(await workspace.destroy());
  expect(destroyed).toContain("capvs/clusters/prod, capvs/clusters/stage are protected; nothing was deleted");
  expect(destroyed).toContain("write deletionProtection: false on the Platform and destroy again");
  expect(fixture.writes()).toEqual(sent);

  change(fixture, { ...byDefault, allowDeletion: ["prod"] });
  await fixture.converges();
  expect(fixture.happened().slice(3)).toEqual(["-prod", "+prod"]);

  // A missing cluster is not protected: its changed declaration creates it again.
  fixture.simulator.remove("clusters", "capvs", "prod");
  fixture.declare(["prod", "stage"], byDefault);
  await fixture.converges();
  expect(fixture.happened().slice(5)).toEqual(["-prod", "+prod"]);

  fixture.declare(["prod", "stage"], { deletionProtection: false });
  succeeded(await workspace.destroy());
  expect(fixture.live()).toEqual([]);
});

testInRest("the removal of an object that a pattern protects is refused, repeatedly, until it is allowed", async (fixture) => {
  const deletionProtection = ["x-*", "p*d", "stage-*", "capvs/providers/stage"];
  fixture.declare(["prod", "stage"]);
  await fixture.applied();
  fixture.declare(["prod"], { deletionProtection });
  await fixture.applied();
  expect(fixture.live()).toEqual(["prod", "vsphere"]);

  const sent = fixture.writes();
  fixture.declareNothing({ deletionProtection });
  for (const again of [1, 2]) {
    const output = await fixture.failed();
    expect({ again, output }).toEqual({ again, output: expect.stringContaining(PROTECTED) });
    expect(output).toContain(
      'Delete it: write allowDeletion: ["prod"] on the Platform. Keep it on the service: write retain: ["prod"] on the Platform',
    );
    expect(fixture.writes()).toEqual(sent);
  }
  fixture.declareNothing({ deletionProtection, allowDeletion: ["prod", "vsphere"] });
  await fixture.applied();
  expect(fixture.live()).toEqual([]);
});

testInRest(
  "the replacement of a protected object is refused, has no effect when it is taken back, and can be allowed",
  async (fixture) => {
    const { workspace } = fixture;
    const prod = fixture.address("prod");
    fixture.declare(["prod", "stage"]);
    await fixture.applied();
    const sent = fixture.writes();
    change(fixture, { deletionProtection: ["prod"] });
    expect((await workspace.plan()).find(({ address }) => address === prod)!.actions).toEqual(["delete", "create"]);
    expect(await fixture.failed()).toContain(PROTECTED);
    fixture.declare(["prod", "stage"], { deletionProtection: ["prod"] });
    await fixture.converges();

    const replaced = await fixture.failed({ args: [`-replace=${prod}`] });
    expect(replaced).toContain("cluster prod is protected; nothing was sent");
    expect(fixture.writes()).toEqual(sent);

    change(fixture, { deletionProtection: true, allowDeletion: ["prod"] });
    await fixture.applied();
    expect(fixture.happened().slice(3)).toEqual(["-prod", "+prod"]);
  },
);

testInRest("a destroy is refused while anything is protected, before and after a refused removal", async (fixture) => {
  const protection = { deletionProtection: ["prod"] };
  fixture.declare(["prod", "stage"], protection);
  await fixture.applied();
  const sent = fixture.writes();
  expect(failed(await fixture.workspace.destroy())).toContain(PROTECTED);
  await fixture.converges();
  fixture.declare(["stage"], protection);
  expect(await fixture.failed()).toContain(PROTECTED);
  fixture.declare(["prod", "stage"], protection);
  expect(failed(await fixture.workspace.destroy())).toContain(PROTECTED);
  fixture.declareNothing(protection);
  expect(await fixture.failed()).toContain(PROTECTED);
  expect(fixture.writes()).toEqual(sent);

  fixture.declare(["prod", "stage"], { ...protection, allowDeletion: ["prod"] });
  succeeded(await fixture.workspace.destroy());
  expect(fixture.live()).toEqual([]);
});

testInRest("-target does not bypass the protection, in a destroy and in an apply without the guard", async (fixture) => {
  const protection = { deletionProtection: ["prod"] };
  fixture.declare(["prod", "stage"], protection);
  await fixture.applied();
  const sent = fixture.writes();
  const output = failed(await fixture.workspace.destroy({ args: [`-target=${fixture.address("stage")}`] }));
  expect(output).toContain("capvs/clusters/prod is protected");
  expect(output).toContain("Delete others only: remove their constructs and apply");
  expect(fixture.writes()).toEqual(sent);
  fixture.declare(["stage"], protection);
  const applied = await fixture.failed({ args: [`-target=${fixture.engine}.capvs_clusters`] });
  expect(applied).toContain("prod is protected");
  expect(fixture.writes()).toEqual(sent);
  fixture.declare(["prod"], protection);
  await fixture.applied();
  expect(fixture.live()).toEqual(["prod", "vsphere"]);
});

testInRest("allowDeletion with an id allows only that object, and entries that match nothing are reported", async (fixture) => {
  fixture.workspace.synth((stack) => {
    fixture.platform(stack);
    cluster(stack, "main", provider(stack, "main"), { id: "cluster" });
  });
  await fixture.applied();
  fixture.declareNothing({ deletionProtection: true, allowDeletion: ["capvs/clusters/main", "mian"] });
  const output = await fixture.failed();
  expect(output).toContain("capvs/providers/main is protected");
  expect(output).not.toContain("capvs/clusters/main is");
  expect(output).toContain("allowDeletion has mian, which names nothing: is it misspelled?");
  expect(fixture.live()).toEqual(["main", "main"]);
});

testInRest(
  "a destroy keeps retained objects, protected or not, and is refused if an entry of retain matches nothing",
  async (fixture) => {
    fixture.declare(["prod", "stage"], { deletionProtection: ["prod"] });
    await fixture.applied();
    fixture.declare(["prod", "stage"], { deletionProtection: ["prod"], retain: ["prod", "capvs/providers/vshpere"] });
    expect(failed(await fixture.workspace.destroy())).toContain("the Platform's retain has capvs/providers/vshpere, which");
    expect(fixture.live()).toEqual(["prod", "stage", "vsphere"]);
    fixture.declare(["prod", "stage"], { deletionProtection: ["prod"], retain: ["prod", "vsphere"] });
    const output = succeeded(await fixture.workspace.destroy());
    expect(output).toContain("cluster prod: left on the service (retain); Terraform forgets it");
    expect(output).toContain("capvs provider vsphere: left on the service (retain); Terraform forgets it");
    expect(fixture.live()).toEqual(["prod", "vsphere"]);
    expect(JSON.parse(fixture.workspace.state())).toMatchObject({ resources: [] });
  },
);

testInRest("a provider that clusters use can be released with retain, and neither is touched", async (fixture) => {
  fixture.declare(["prod"]);
  await fixture.applied();
  const sent = fixture.writes();
  fixture.workspace.synth((stack) => {
    fixture.platform(stack, { retain: ["capvs/providers/vsphere"] });
    cluster(stack, "prod", CapvsProvider.fromName("vsphere"));
  });
  await fixture.converges();
  expect(fixture.writes()).toEqual(sent);
});

testInRest("an entry of retain that matches nothing stops a removal before anything is deleted", async (fixture) => {
  fixture.declare(["prod", "stage"], poll);
  await fixture.applied();
  const sent = fixture.writes();
  fixture.declare(["stage"], { ...poll, retain: ["prdo"] });
  const output = await fixture.failed();
  expect(output).toContain("the Platform's retain has prdo, which names nothing in the code and nothing on the service");
  expect(output).toContain("cluster prod is neither deleted nor replaced");
  expect(fixture.writes()).toEqual(sent);
  // All names in `retain` are declared, deleted or created by this change.
  fixture.declare(["stage", "next"], { ...poll, retain: ["prod", "stage", "next"] });
  await fixture.applied();
  expect(fixture.happened().slice(3)).toEqual(["+next"]);

  // After the move, the remaining entry of `retain` names an object of the service, as long as that lives.
  fixture.declareNothing({ ...poll, retain: ["prod"] });
  expect(await fixture.failed()).toContain("capvs provider vsphere is used by prod; nothing was deleted");
  fixture.simulator.remove("clusters", "capvs", "prod");
  expect(await fixture.failed()).toContain("the Platform's retain has prod, which names nothing in the code");
  fixture.declareNothing(poll);
  await fixture.applied();
  expect(fixture.live()).toEqual([]);
});

testInRest(
  "retain of a replaced object keeps the old one and refuses the new one; adopting the old one undoes that",
  async (fixture) => {
    fixture.declare(["prod", "stage"]);
    await fixture.applied();
    const sent = fixture.writes();
    change(fixture, { retain: ["prod"] });
    const output = await fixture.failed();
    expect(output).toContain("cluster prod: left on the service (retain)");
    expect(output).toContain("the service already has cluster prod");
    fixture.declare(["prod", "stage"]);
    await fixture.converges({ env: { CLUSTER_PLATFORM_ADOPT: "capvs/clusters/prod" } });
    expect(fixture.writes()).toEqual(sent);
  },
);

testInRest(
  "a changed registration is replaced if nothing uses it, else refused; a new one may exist beside it",
  async (fixture) => {
    const declare = (used: object, unused: object, next = false) =>
      fixture.workspace.synth((stack) => {
        fixture.platform(stack, poll);
        const on = provider(stack, "vsphere", used);
        provider(stack, "spare", unused);
        for (const name of ["prod", "stage"]) cluster(stack, name, on);
        if (next) cluster(stack, "next", provider(stack, "vsphere-2", { datastore: "ssd-02" }));
      });
    declare({}, {});
    await fixture.applied();
    const happened = fixture.happened();
    declare({ datastore: "ssd-02" }, { credentialsVersion: "2026-07" });
    expect(await changes(fixture)).toEqual([
      `delete+create ${fixture.engine}.capvs_providers["spare"]`,
      `delete+create ${fixture.engine}.capvs_providers["vsphere"]`,
      "update terraform_data.cluster_platform_protection",
      "delete+create terraform_data.cluster_platform_ready",
    ]);
    const output = await fixture.failed();
    expect(output).toContain("capvs provider vsphere is used by prod, stage; nothing was deleted");
    expect(output).toContain("register the new one under another name. Remove it: remove its clusters first");
    declare({}, { credentialsVersion: "2026-07" });
    await fixture.converges();
    expect(fixture.happened().slice(happened.length)).toEqual(["-spare", "+spare"]);
    declare({}, { credentialsVersion: "2026-07" }, true);
    await fixture.applied();
    expect(fixture.happened().slice(happened.length + 2)).toEqual(["+vsphere-2", "+next"]);
  },
);

testInRest("a registration that a foreign cluster uses is neither deleted nor forgotten", async (fixture) => {
  fixture.declare(["prod"], poll);
  await fixture.applied();
  fixture.foreigners.add("theirs");
  const output = failed(await fixture.workspace.destroy());
  expect(output).toContain("capvs provider vsphere is used by theirs; nothing was deleted");
  expect(fixture.live()).toEqual(["prod", "theirs", "vsphere"]);
  fixture.foreigners.remove("theirs");
  succeeded(await fixture.workspace.destroy());
  expect(fixture.live()).toEqual([]);
});
