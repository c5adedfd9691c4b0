import { HookResource } from "../../src/constructs/carrier";
import { RetiredPlatform } from "../../src/constructs/retired-platform";
import { cluster, provider } from "../support/capvs";
import { openTofu } from "../support/tools";
import { hooksAt } from "./processes";
import { Stage } from "./stage";

/** What matters most, on OpenTofu: that it treats destroy hooks, taint and order as Terraform does. */
const plays = (title: string, act: (stage: Stage) => Promise<void>) =>
  (openTofu ? test.concurrent : test.skip)(title, () => Stage.play({ binary: openTofu }, act), 300_000);

plays("creates, replaces, removes and destroys", async (stage) => {
  stage.declare(["prod", "stage"]);
  await stage.converges();
  stage.workspace.synth((stack) => {
    stage.platform(stack);
    cluster(stack, "prod", provider(stack), { ingress: "apps.example.com" });
  });
  await stage.converges();
  expect(stage.happened().slice(3).sort()).toEqual(["+prod", "-prod", "-stage"]);
  expect(await stage.workspace.destroy()).toMatchObject({ status: 0 });
  expect(stage.live()).toEqual([]);
  expect(stage.happened().at(-1)).toBe("-vsphere");
});

plays("finds a killed create again, and names one that is removed", async (stage) => {
  stage.declare(["prod"]);
  stage.simulator.onResponse = async ({ method, path }) => {
    if (method !== "POST" || !path.includes("/clusters/")) return;
    for (const { pid } of await hooksAt(stage.simulator)) process.kill(pid, "SIGKILL");
  };
  await stage.failed();
  stage.simulator.onResponse = undefined;
  stage.declare([]);
  expect(await stage.failed()).toContain("still on the service: capvs/clusters/prod");
  stage.declare(["prod"]);
  await stage.converges();
  expect(stage.happened()).toEqual(["+vsphere", "+prod"]);
});

plays("deletes all that a RetiredPlatform had, or refuses to read it (before 1.10) and touches nothing", async (stage) => {
  stage.declare(["prod"]);
  await stage.applied();
  stage.workspace.synth((stack) => void new RetiredPlatform(stack, "platform", { hookResource: HookResource.TERRAFORM_DATA }));
  const { status, output } = await stage.workspace.apply();
  if (status === 0) return expect(stage.happened().slice(2)).toEqual(["-prod", "-vsphere"]);
  expect(output).toContain("Extraneous JSON object property");
  stage.declare(["prod"]);
  await stage.converges();
  expect(stage.happened()).toEqual(["+vsphere", "+prod"]);
});
