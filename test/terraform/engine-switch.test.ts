import { Engine } from "../../src/constructs/engine";
import { type Backend, isAtLeast, nullResourceBackends } from "../support/tools";
import { testOn } from "./test-on-backends";
import type { StackFixture } from "./stack-fixture";

const { NULL_RESOURCE, TERRAFORM_DATA } = Engine;
const everything = { CLUSTER_PLATFORM_ADOPT: "capvs/providers/vsphere,capvs/clusters/prod" };

const movesIt = ({ binary }: Backend) => isAtLeast(binary, { terraform: 9, openTofu: 10 });
const testFromNullResource = testOn(nullResourceBackends);
const testWhereMoved = testOn(nullResourceBackends.filter(movesIt));
const testWhereNotMoved = testOn(nullResourceBackends.filter((backend) => !movesIt(backend)));

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

testWhereNotMoved("null_resource to terraform_data with moved blocks is refused before anything is touched", async (fixture) => {
  fixture.declare(["prod"]);
  await fixture.applied();
  const before = fixture.simulator.requests.length;
  move(fixture);
  expect(await fixture.failed()).toContain("Resource type mismatch");
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
