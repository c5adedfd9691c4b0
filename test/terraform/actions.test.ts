import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Engine } from "../../src/constructs/engine";
import { built } from "../cli/built";
import { cluster, provider } from "../support/capvs";
import { newTerraformBackends, providerBackendsOfTerraform } from "../support/tools";
import { synthWithExtras } from "./extras";
import { inRest, testOn } from "./test-on-backends";

/** Actions of providers, which a change of an object invokes. Terraform 1.14 and newer have them. */

const some = [...newTerraformBackends, ...providerBackendsOfTerraform.filter(({ isNewer }) => isNewer)];

testOn(inRest(some))("the review denies a plan in which an object invokes an action, and says which", async (fixture) => {
  const { workspace, engine } = fixture;
  const [type, name] = engine === Engine.PROVIDER ? ["clusterplatform_capvs_cluster", "prod"] : [engine, "capvs_clusters"];
  const hasProvider = synthWithExtras(workspace, (stack) => {
    fixture.platform(stack);
    cluster(stack, "prod", provider(stack));
    stack.addOverride("action.extras_notice.it", {});
  });
  if (!hasProvider) return;
  // Synth refuses a change of blocks with hooks.
  const file = join(workspace.stackFolder, "cdk.tf.json");
  const { resource, ...rest } = JSON.parse(readFileSync(file, "utf8")) as { resource: Record<string, Record<string, object>> };
  const trigger = { events: ["before_create"], actions: ["action.extras_notice.it"] };
  Object.assign(resource[type]![name]!, { lifecycle: { action_trigger: [trigger] } });
  writeFileSync(file, JSON.stringify({ ...rest, resource }));
  expect((await workspace.plan()).length).toBeGreaterThan(2);
  const json = join(workspace.folder, "plan.json");
  writeFileSync(json, (await workspace.run(["show", "-json", join(workspace.folder, "plan")], { quiet: true })).output);
  const { status, stdout } = await built(["review", json, "--format", "json"]);
  const { notes } = JSON.parse(stdout) as { notes: { code: string }[] };
  expect({ status, foreign: notes.filter(({ code }) => code === "FOREIGN") }).toMatchObject({
    status: 2,
    foreign: [{ addresses: ["action.extras_notice.it"], problem: "is an action that the apply invokes" }],
  });
  await fixture.applied();
  expect(fixture.live()).toEqual(["prod", "vsphere"]);
});
