import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TerraformVariable } from "cdktf";
import { Engine, Platform } from "cdktf-cluster-platform";
import { built } from "../cli/built";
import { cluster, provider } from "../support/capvs";
import { testOnceInRest } from "./test-on-backends";
import { Workspace } from "./workspace";

/** The review of a saved plan reads the configuration that Terraform has planned, and refuses that of another plan. */

let workspace: Workspace;
beforeEach(() => (workspace = new Workspace()));
afterEach(() => workspace.remove());

test("a saved plan shows a file that was in the folder when Terraform planned", async () => {
  workspace.synth((stack) => {
    const platform = new Platform(stack, "platform", { engine: Engine.TERRAFORM_DATA });
    const folder = new TerraformVariable(stack, "folder", { type: "string", default: "/eu" });
    cluster(platform, "prod", provider(platform, "vsphere", { folder: folder.stringValue }));
  });
  const [plan, json] = ["plan", "plan.json"].map((name) => join(workspace.folder, name)) as [string, string];
  const reviewed = async () => {
    await workspace.plan();
    rmSync(override, { force: true });
    writeFileSync(json, (await workspace.run(["show", "-json", plan], { quiet: true })).output);
    const given = ["--plan-file", plan, "--stack", workspace.stackFolder, "--fail-on", "critical", "--format", "json"];
    const { status, stdout, stderr } = await built(["review", json, ...given]);
    expect(stderr).not.toContain("error");
    const { notes } = JSON.parse(stdout) as { notes: { code: string; addresses: string[] }[] };
    return {
      status,
      foreign: notes.filter(({ code }) => code === "FOREIGN").flatMap(({ addresses }) => addresses),
    };
  };
  const override = join(workspace.stackFolder, "cdk_override.tf.json");
  expect(await reviewed()).toEqual({ status: 0, foreign: [] });
  const evil = { provisioner: { "local-exec": { command: "true", when: "destroy" } } };
  writeFileSync(override, JSON.stringify({ resource: { terraform_data: { capvs_clusters: evil } } }));
  expect(await reviewed()).toEqual({
    status: 3,
    foreign: expect.arrayContaining(["cdk_override.tf.json", "terraform_data.capvs_clusters"]) as unknown,
  });
});

testOnceInRest("a saved plan of the same configuration that the JSON does not show is refused", async () => {
  workspace.synth((stack) => {
    const platform = new Platform(stack, "platform", { engine: Engine.TERRAFORM_DATA });
    cluster(platform, "prod", provider(platform, "vsphere"));
  });
  const [plan, json] = ["plan", "plan.json"].map((name) => join(workspace.folder, name)) as [string, string];
  const review = async () => (({ status, stderr }) => ({ status, stderr }))(await built(["review", json, "--plan-file", plan]));
  const shown = async () => JSON.parse((await workspace.run(["show", "-json", plan], { quiet: true })).output) as object;
  await workspace.plan();
  const document = await shown();
  writeFileSync(json, JSON.stringify(document));
  expect(await review()).toEqual({ status: 0, stderr: "" });
  await workspace.plan({ args: ["-target=terraform_data.cluster_platform_ready"] });
  const { timestamp } = (await shown()) as { timestamp: string };
  const refused = (difference: string) => ({
    status: 1,
    stderr: `Error [INVALID_DOCUMENT] ${plan} must be the plan file that ${json} shows, got that of another plan: ${difference}\n`,
  });
  expect(await review()).toEqual(
    refused(`it was made at ${timestamp} instead of ${(document as { timestamp: string }).timestamp}`),
  );
  writeFileSync(json, JSON.stringify({ ...document, timestamp: undefined }));
  expect(await review()).toEqual(refused(`the plan file does not have create of terraform_data.cluster_platform_protection`));
});
