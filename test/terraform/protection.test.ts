import { cluster, provider, size } from "../support/capvs";
import { failed, type StackFixture, succeeded } from "./stack-fixture";
import { testInRest, testOnBackends } from "./test-on-backends";

const PROTECTED = "capvs/clusters/prod is protected; nothing was deleted";

/** Replaces prod by changing its number of nodes, and keeps stage. */
const change = (fixture: StackFixture, props: Parameters<StackFixture["platform"]>[1]) =>
  fixture.workspace.synth((stack) => {
    fixture.platform(stack, props);
    const on = provider(stack);
    cluster(stack, "prod", on, { controlPlane: { count: 5, ...size } });
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

  fixture.declare(["stage"], byDefault);
  expect(await fixture.failed()).toContain('Delete it: write allowDeletion: ["prod"] on the Platform');
  fixture.declare(["prod", "stage"], byDefault);
  await fixture.converges();
  const replaced = await fixture.failed({ args: [`-replace=${fixture.address("prod")}`] });
  expect(replaced).toContain("cluster prod is protected; nothing was sent");
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
