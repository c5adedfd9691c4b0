import { Engine } from "../../src/constructs/platform-resources";
import { RetiredPlatform } from "../../src/constructs/retired-platform";
import type { PlatformProps } from "../../src/constructs/platform-props";
import { type Ground, grownGrounds, isAtLeast } from "../support/tools";
import { playsOn } from "./plays";
import { inOneLine, type Stage } from "./stage";

const readsIt = ({ binary }: Ground) => isAtLeast(binary, { terraform: 9, openTofu: 10 });
const plays = playsOn(grownGrounds.filter(readsIt));
const playsWhereUnreadable = playsOn(grownGrounds.filter((ground) => !readsIt(ground)));

function retire(stage: Stage, props: PlatformProps = {}): void {
  stage.workspace.synth((stack) => {
    // No provider block for null_resource: Terraform takes the plugin from the state.
    new RetiredPlatform(stack, "platform", { engine: stage.engine, pollSeconds: 0.2, ...props });
  });
}

plays("takes a Platform's place and deletes all that it had, clusters first", async (stage) => {
  stage.declare(["prod", "stage"]);
  await stage.applied();
  retire(stage);
  await stage.converges();
  expect(stage.live()).toEqual([]);
  expect(stage.happened().at(-1)).toBe("-vsphere");
  stage.workspace.synth(() => undefined);
  await stage.converges();
});

plays("refuses what is protected before anything is deleted, and leaves what is retained", async (stage) => {
  stage.declare(["prod", "stage"]);
  await stage.applied();
  retire(stage, { deletionProtection: ["prod"] });
  expect(await stage.failed()).toContain("capvs/clusters/prod is protected from deletion; nothing was deleted");
  expect(stage.live()).toEqual(["prod", "stage", "vsphere"]);
  retire(stage, { deletionProtection: ["prod"], retain: ["prod", "vsphere"] });
  await stage.converges();
  expect(stage.live()).toEqual(["prod", "vsphere"]);
});

plays("names what an interrupted create left", async (stage) => {
  stage.declare(["prod"]);
  stage.simulator.inject({ kind: "drop", when: "after", method: "POST", path: "/api/v1/platform/providers/clusters" });
  stage.simulator.inject({ kind: "html", method: "GET", path: "/api/v1/clusters", skip: 1 });
  await stage.failed();
  stage.simulator.heal();
  retire(stage, { retain: ["vsphere"] });
  expect(await stage.failed()).toContain("still on the service: capvs/clusters/prod");
  expect(stage.live()).toEqual(["prod", "vsphere"]);
});

plays("names what an interrupted create left also when the Platform is back and destroyed", async (stage) => {
  const keepingProvider = { retain: ["vsphere"] };
  stage.declare(["prod"], keepingProvider);
  stage.simulator.inject({ kind: "drop", when: "after", method: "POST", path: "/api/v1/platform/providers/clusters" });
  stage.simulator.inject({ kind: "html", method: "GET", path: "/api/v1/clusters", skip: 1 });
  await stage.failed();
  stage.simulator.heal();
  retire(stage, keepingProvider);
  expect(await stage.failed()).toContain("still on the service: capvs/clusters/prod");
  stage.declare(["prod"], keepingProvider);
  const { status, output } = await stage.workspace.destroy();
  expect(inOneLine(output)).toContain("still on the service: capvs/clusters/prod");
  expect(status).toBe(1);
});

plays("refuses what is protected also when the Platform is back and destroyed", async (stage) => {
  stage.declare(["prod", "stage"]);
  await stage.applied();
  retire(stage, { deletionProtection: ["prod"] });
  expect(await stage.failed()).toContain("capvs/clusters/prod is protected from deletion; nothing was deleted");
  stage.declare(["prod", "stage"], { deletionProtection: ["prod"] });
  const { status, output } = await stage.workspace.destroy();
  expect(inOneLine(output)).toContain("capvs/clusters/prod is protected from deletion; nothing was deleted");
  expect(status).toBe(1);
  expect(stage.live()).toEqual(["prod", "stage", "vsphere"]);
});

plays("that names the other engine is refused, and deletes all when it names the one that the state has", async (stage) => {
  stage.declare(["prod"]);
  await stage.applied();
  const { NULL_RESOURCE, TERRAFORM_DATA } = Engine;
  retire(stage, { engine: stage.engine === TERRAFORM_DATA ? NULL_RESOURCE : TERRAFORM_DATA });
  const name = stage.engine === TERRAFORM_DATA ? "TERRAFORM_DATA" : "NULL_RESOURCE";
  expect(await stage.failed()).toContain(`Nothing was touched. Set engine: Engine.${name} again`);
  expect(stage.live()).toEqual(["prod", "vsphere"]);
  retire(stage);
  await stage.converges();
  expect(stage.live()).toEqual([]);
});

playsWhereUnreadable("is refused before anything is touched; without constructs first, the Platform may go", async (stage) => {
  stage.declare(["prod"]);
  await stage.applied();
  const before = stage.simulator.requests.length;
  retire(stage);
  expect(await stage.failed()).toContain("Extraneous JSON object property");
  expect(stage.simulator.requests.length).toBe(before);
  stage.workspace.synth((stack) => void stage.platform(stack));
  await stage.converges();
  stage.workspace.synth(() => undefined);
  await stage.converges();
  expect(stage.happened()).toEqual(["+vsphere", "+prod", "-prod", "-vsphere"]);
});
