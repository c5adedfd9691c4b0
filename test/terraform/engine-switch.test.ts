import { Engine } from "../../src/constructs/platform-resources";
import { type Ground, isAtLeast, nullGrounds } from "../support/tools";
import { playsOn } from "./plays";
import type { Stage } from "./stage";

const { NULL_RESOURCE, TERRAFORM_DATA } = Engine;
const everything = { CLUSTER_PLATFORM_ADOPT: "capvs/providers/vsphere,capvs/clusters/prod" };

const movesIt = ({ binary }: Ground) => isAtLeast(binary, { terraform: 9, openTofu: 10 });
const plays = playsOn(nullGrounds);
const playsWhereMoved = playsOn(nullGrounds.filter(movesIt));
const playsWhereNotMoved = playsOn(nullGrounds.filter((ground) => !movesIt(ground)));

/** The same, on the other engine. */
function move(stage: Stage): void {
  stage.declare(["prod"], { engine: TERRAFORM_DATA, movedFromNullResource: true });
}

playsWhereMoved("null_resource to terraform_data with moved blocks is a plan without changes", async (stage) => {
  stage.declare(["prod"]);
  await stage.applied();
  const before = stage.simulator.requests.length;
  move(stage);
  expect(await stage.workspace.plan()).toEqual([]);
  await stage.applied();
  stage.declare(["prod"], { engine: TERRAFORM_DATA });
  await stage.converges();
  expect(stage.simulator.requests.length).toBe(before);
  stage.declare([], { engine: TERRAFORM_DATA });
  await stage.converges();
  expect(stage.happened()).toEqual(["+vsphere", "+prod", "-prod"]);
});

playsWhereNotMoved("null_resource to terraform_data with moved blocks is refused before anything is touched", async (stage) => {
  stage.declare(["prod"]);
  await stage.applied();
  const before = stage.simulator.requests.length;
  move(stage);
  expect(await stage.failed()).toContain("Resource type mismatch");
  expect(stage.simulator.requests.length).toBe(before);
  stage.declare(["prod"]);
  await stage.converges();
});

plays("null_resource to terraform_data without them is refused by each create, and can be adopted", async (stage) => {
  stage.declare(["prod"]);
  await stage.applied();
  stage.declare(["prod"], { engine: TERRAFORM_DATA });
  expect(await stage.failed()).toContain("the name of capvs provider vsphere is taken");
  await stage.converges({ env: everything });
  expect(stage.happened()).toEqual(["+vsphere", "+prod"]);
});

plays("terraform_data to null_resource is refused before anything is touched", async (stage) => {
  stage.declare(["prod"], { engine: TERRAFORM_DATA });
  await stage.applied();
  stage.declare(["prod"], { engine: NULL_RESOURCE });
  expect(await stage.failed()).toContain("Set engine: Engine.TERRAFORM_DATA again");
  stage.declare(["prod"], { engine: TERRAFORM_DATA });
  await stage.converges({ env: everything });
  expect(stage.happened()).toEqual(["+vsphere", "+prod"]);
});
