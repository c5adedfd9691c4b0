import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TerraformVariable } from "cdktf";
import { Engine, Platform } from "cdktf-cluster-platform";
import { built } from "../cli/built";
import { cluster, provider } from "../support/capvs";
import { terraform } from "../support/tools";
import { testOnceInRest } from "./test-on-backends";
import { succeeded } from "./stack-fixture";
import { Workspace } from "./workspace";

/** The review runs Terraform: it shows a saved plan, and makes one where none is named. */

let workspace: Workspace;
beforeEach(() => {
  workspace = new Workspace();
  declare("/eu");
});
afterEach(() => workspace.remove());

const declare = (folder: string) =>
  workspace.synth((stack) => {
    const platform = new Platform(stack, "platform", { engine: Engine.TERRAFORM_DATA });
    const variable = new TerraformVariable(stack, "folder", { type: "string", default: folder });
    cluster(platform, "prod", provider(platform, "vsphere", { folder: variable.stringValue }));
  });
const plan = () => join(workspace.stackFolder, "plan");
const planned = async () => void succeeded(await workspace.run(["plan", "-input=false", "-out=plan"]));
const env = { TERRAFORM_BINARY_NAME: terraform, CHECKPOINT_DISABLE: "1" };
const review = (...args: string[]) => built(["review", ...args], env);

test("a saved plan has the name of its folder, and shows a file that was there when Terraform planned", async () => {
  const override = join(workspace.stackFolder, "cdk_override.tf.json");
  const reviewed = async () => {
    await planned();
    rmSync(override, { force: true });
    const { status, stdout, stderr } = await review(plan(), "--format", "json");
    expect(stderr).not.toContain("Error");
    const { stacks, notes } = JSON.parse(stdout) as { stacks: object[]; notes: { code: string; addresses: string[] }[] };
    expect(stacks).toMatchObject([{ name: "test" }]);
    return {
      status,
      foreign: notes.filter(({ code }) => code === "FOREIGN").flatMap(({ addresses }) => addresses),
    };
  };
  expect(await reviewed()).toEqual({ status: 0, foreign: [] });
  const evil = { provisioner: { "local-exec": { command: "true", when: "destroy" } } };
  writeFileSync(override, JSON.stringify({ resource: { terraform_data: { capvs_clusters: evil } } }));
  expect(await reviewed()).toEqual({
    status: 2,
    foreign: expect.arrayContaining(["cdk_override.tf.json", "terraform_data.capvs_clusters"]) as unknown,
  });
});

testOnceInRest("a saved plan of other code than its folder has is refused, unless that is meant", async () => {
  await planned();
  declare("/eu");
  expect((await review(plan())).status).toBe(0);
  declare("/us");
  const { status, stderr } = await review(plan());
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(`${plan()} is older than the code in `) });
  expect((await review(plan(), "--outdated")).status).toBe(0);
});

testOnceInRest("without a plan, the only stack is planned, and its failure is one of the command", async () => {
  await planned();
  rmSync(plan());
  const here = (folder: string) => built(["review", "--format", "json"], env, "", folder);
  for (const folder of [workspace.folder, workspace.stackFolder]) {
    const { status, stdout, stderr } = await here(folder);
    expect(stderr).toContain("Terraform will perform the following actions");
    expect({ status, report: JSON.parse(stdout) as object }).toMatchObject({ status: 0, report: { stacks: [{ name: "test" }] } });
  }
  writeFileSync(join(workspace.stackFolder, "cdk.tf.json"), "{");
  const { status, stdout, stderr } = await here(workspace.folder);
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: "",
    stderr: expect.stringMatching(/Error \[INVALID_SETTING\] '.* plan' fails in cdktf\.out\/stacks\/test, and says above why\n$/),
  });
});

testOnceInRest("a plan that Terraform cannot show is refused with what Terraform says", async () => {
  await planned();
  rmSync(join(workspace.stackFolder, ".terraform"), { recursive: true });
  rmSync(join(workspace.stackFolder, ".terraform.lock.hcl"), { force: true });
  writeFileSync(plan(), "PK\u0003\u0004");
  const { status, stderr } = await review(plan());
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringMatching(/plan cannot be read: '.* show -json plan' fails in .* \(Error: .*\); run '.* init' there/),
  });
});
