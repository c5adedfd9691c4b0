import { HookResource } from "../../src/constructs/carrier";
import { carriers } from "../support/tools";
import { Stage } from "./stage";

const { NULL_RESOURCE, TERRAFORM_DATA } = HookResource;
const plays = (title: string, hookResource: HookResource, act: (stage: Stage) => Promise<void>) =>
  (carriers.includes(NULL_RESOURCE) ? test.concurrent : test.skip)(title, () => Stage.play({ hookResource }, act), 300_000);

plays("null_resource to terraform_data with moved blocks is a plan without changes", NULL_RESOURCE, async (stage) => {
  stage.declare(["prod"]);
  await stage.applied();
  const before = stage.simulator.requests.length;
  const moving = { hookResource: TERRAFORM_DATA, movedFromNullResource: true };
  stage.declare(["prod"], moving);
  expect(await stage.workspace.plan()).toEqual([]);
  await stage.applied();
  stage.declare(["prod"], { hookResource: TERRAFORM_DATA });
  await stage.converges();
  expect(stage.simulator.requests.length).toBe(before);
  stage.declare([], { hookResource: TERRAFORM_DATA });
  await stage.converges();
  expect(stage.happened()).toEqual(["+vsphere", "+prod", "-prod"]);
});

plays(
  "null_resource to terraform_data without them is refused by each create, and can be adopted",
  NULL_RESOURCE,
  async (stage) => {
    stage.declare(["prod"]);
    await stage.applied();
    stage.declare(["prod"], { hookResource: TERRAFORM_DATA });
    expect(await stage.failed()).toContain("the name of capvs provider vsphere is taken");
    await stage.converges({ env: { CLUSTER_PLATFORM_ADOPT: "capvs/providers/vsphere,capvs/clusters/prod" } });
    expect(stage.happened()).toEqual(["+vsphere", "+prod"]);
  },
);

plays("terraform_data to null_resource is refused before anything is touched", TERRAFORM_DATA, async (stage) => {
  stage.declare(["prod"]);
  await stage.applied();
  stage.declare(["prod"], { hookResource: NULL_RESOURCE });
  expect(await stage.failed()).toContain("Set hookResource: HookResource.TERRAFORM_DATA again");
  stage.declare(["prod"]);
  await stage.applied({ env: { CLUSTER_PLATFORM_ADOPT: "capvs/providers/vsphere,capvs/clusters/prod" } });
  expect(stage.happened()).toEqual(["+vsphere", "+prod"]);
  expect(await stage.workspace.plan()).toEqual([]);
});
