import { Engine } from "../../src/constructs/engine";
import { cluster, provider } from "../support/capvs";
import { type Backend, isAtLeast, nullResourceBackends } from "../support/tools";
import { inRest, testOn } from "./test-on-backends";
import type { StackFixture } from "./stack-fixture";

const { NULL_RESOURCE, TERRAFORM_DATA } = Engine;
const everything = { CLUSTER_PLATFORM_ADOPT: "capvs/providers/vsphere,capvs/clusters/prod" };

const movesIt = ({ binary }: Backend) => isAtLeast(binary, { terraform: 9, openTofu: 10 });
const testFromNullResource = testOn(inRest(nullResourceBackends));
const testWhereMoved = testOn(inRest(nullResourceBackends.filter(movesIt)));
const testWhereNotMoved = testOn(inRest(nullResourceBackends.filter((backend) => !movesIt(backend))));

/** Declares the same with the other engine. */
function move(fixture: StackFixture): void {
  fixture.declare(["prod"], { engine: TERRAFORM_DATA, migrateFrom: NULL_RESOURCE });
}

testWhereMoved("null_resource to terraform_data with moved blocks is a plan without changes", async (fixture) => {
  fixture.declare(["prod"]);
  await fixture.applied();
  const before = fixture.simulator.requests.length;
  move(fixture);
  expect(await fixture.workspace.plan()).toEqual([]);
  await fixture.applied();
  fixture.declare(["prod"], { engine: TERRAFORM_DATA });
  await fixture.converges();
  expect(fixture.simulator.requests.length).toBe(before);
  fixture.declare([], { engine: TERRAFORM_DATA });
  await fixture.converges();
  expect(fixture.happened()).toEqual(["+vsphere", "+prod", "-prod"]);
});

testWhereMoved("a switch to terraform_data deletes nothing if it deletes something protected", async (fixture) => {
  const props = { deletionProtection: ["prod"] };
  fixture.declare(["prod", "gone"], props);
  await fixture.applied();
  const before = fixture.writes();
  const switched = { engine: TERRAFORM_DATA, migrateFrom: NULL_RESOURCE, ...props };
  fixture.declare([], switched);
  expect(await fixture.failed()).toContain("capvs/clusters/prod is protected from deletion; nothing was deleted");
  fixture.workspace.synth((stack) => {
    fixture.platform(stack, switched);
    cluster(stack, "prod", provider(stack), { podSubnet: "10.9.0.0/16" });
  });
  expect(await fixture.failed()).toContain("capvs/clusters/prod is protected from deletion; nothing was deleted");
  expect(fixture.writes()).toEqual(before);
  fixture.declare(["prod"], switched);
  await fixture.converges();
  expect(fixture.happened().slice(3)).toEqual(["-gone"]);
});

testWhereMoved("an object that a switch could not delete is named if migrateFrom leaves the code before", async (fixture) => {
  fixture.declare(["prod", "gone"]);
  await fixture.applied();
  fixture.simulator.inject({ kind: "status", status: 403, method: "DELETE" });
  move(fixture);
  expect(await fixture.failed()).toContain("DELETE /api/v1/clusters/gone: 403");
  fixture.declare(["prod"], { engine: TERRAFORM_DATA });
  expect(await fixture.failed()).toContain("removed from the code, but still on the service: capvs/clusters/gone");
  expect(fixture.live()).toEqual(["gone", "prod", "vsphere"]);
});

testWhereNotMoved("null_resource to terraform_data with moved blocks is refused before anything is touched", async (fixture) => {
  fixture.declare(["prod"]);
  await fixture.applied();
  const before = fixture.simulator.requests.length;
  move(fixture);
  expect(await fixture.failed()).toMatch(/Resource type mismatch|No argument or block type is named "removed"/);
  expect(fixture.simulator.requests.length).toBe(before);
  fixture.declare(["prod"]);
  await fixture.converges();
});

testFromNullResource(
  "null_resource to terraform_data without moved blocks is refused by each create, and the objects can be adopted",
  async (fixture) => {
    fixture.declare(["prod"]);
    await fixture.applied();
    fixture.declare(["prod"], { engine: TERRAFORM_DATA });
    expect(await fixture.failed()).toContain("the name of capvs provider vsphere is taken");
    await fixture.converges({ env: everything });
    expect(fixture.happened()).toEqual(["+vsphere", "+prod"]);
  },
);

testFromNullResource("terraform_data to null_resource is refused before anything is touched", async (fixture) => {
  fixture.declare(["prod"], { engine: TERRAFORM_DATA });
  await fixture.applied();
  fixture.declare(["prod"], { engine: NULL_RESOURCE });
  expect(await fixture.failed()).toContain("Set engine: Engine.TERRAFORM_DATA again");
  fixture.declare(["prod"], { engine: TERRAFORM_DATA });
  await fixture.converges({ env: everything });
  expect(fixture.happened()).toEqual(["+vsphere", "+prod"]);
});
