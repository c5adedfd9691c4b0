import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DataResource, type TerraformStack } from "cdktf";
import { cluster, provider } from "../support/capvs";
import { backends } from "../support/tools";
import { inRest, testOn } from "./test-on-backends";
import { hooksAt, killTerraform } from "./processes";
import type { StackFixture } from "./stack-fixture";

/**
 * Terraform dies with its hooks, just after another resource has made it write its state. The state then has an
 * instance whose hook was still running (docs/lifecycle.md, Limits). Deaths at other times are in interrupts.test.ts.
 */
async function applyAndDie(fixture: StackFixture, when: () => boolean): Promise<void> {
  let terraform: ChildProcess | undefined;
  let said: string | undefined;
  const run = fixture.workspace.apply({ started: (child) => (terraform = child) }).then(({ output }) => (said = output));
  while (!when()) {
    if (said !== undefined) throw new Error(`the apply ended before it was to die:\n${said}`);
    await new Promise((wake) => setTimeout(wake, 50));
  }
  const hooks = await hooksAt(fixture.simulator);
  await killTerraform(terraform!, when);
  for (const { pid } of hooks) process.kill(pid, "SIGKILL");
  await run;
}

/** Whether the state has the instance as created. */
function isNoted({ workspace }: StackFixture, key: string): boolean {
  let state;
  try {
    state = JSON.parse(readFileSync(join(workspace.folder, "terraform.tfstate"), "utf8")) as State;
  } catch {
    // The state does not exist yet, or Terraform is writing it.
    return false;
  }
  const instances = state.resources.filter(({ name }) => name === "capvs_clusters").flatMap((resource) => resource.instances);
  return instances.some(({ index_key, status }) => index_key === key && status !== "tainted");
}

interface State {
  readonly resources: readonly {
    readonly name: string;
    readonly instances: readonly { readonly index_key?: string; readonly status?: string }[];
  }[];
}

/** A user's own resources. One is done every two seconds, and Terraform then writes its whole state. */
function besides(stack: TerraformStack): void {
  let before: DataResource[] = [];
  for (const name of ["one", "two", "three", "four", "five"]) {
    const command = "setTimeout(() => {}, 2000)";
    const provisioners = [{ type: "local-exec" as const, interpreter: ["node", "-e"], command }];
    before = [new DataResource(stack, name, { provisioners, dependsOn: before })];
  }
}

/** Dies while the hook checks whether the name is free. Afterwards the code lacks the other resources. */
async function dieCreatingProd(fixture: StackFixture): Promise<void> {
  const { simulator } = fixture;
  fixture.declare([]);
  await fixture.applied();
  let letGo = () => {};
  const gate = new Promise<void>((open) => (letGo = open));
  simulator.onRequest = async ({ path }) => {
    if (path === "/api/v1/clusters") await gate;
  };
  fixture.workspace.synth((stack) => {
    fixture.platform(stack);
    cluster(stack, "prod", provider(stack));
    besides(stack);
  });
  await applyAndDie(fixture, () => isNoted(fixture, "prod"));
  simulator.onRequest = undefined;
  letGo();
  while ((await hooksAt(simulator)).length > 0);
  fixture.declare(["prod"]);
}

testOn(inRest(backends), { pausesAreReal: true })("what the state has and the service lacks is named", async (fixture) => {
  await dieCreatingProd(fixture);
  const said = await fixture.failed();
  expect(said).toContain("cluster prod is in Terraform's state but not on the service");
  expect(said).toContain(`terraform apply -replace='${fixture.address("prod")}'`);
  await fixture.applied({ args: [`-replace=${fixture.address("prod")}`] });
  await fixture.converges();
  expect(fixture.happened()).toEqual(["+vsphere", "+prod"]);
});
