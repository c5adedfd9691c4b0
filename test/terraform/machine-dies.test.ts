import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DataResource, type TerraformStack } from "cdktf";
import { cluster, provider } from "../support/capvs";
import { plays } from "./plays";
import { hooksAt } from "./processes";
import type { Stage } from "./stage";

/**
 * Terraform dies, alone or with its hooks, just when something else has made it write its state: then the state has what
 * a hook was still busy with (docs/lifecycle.md, Limits). Deaths at other times are in interrupts.test.ts.
 */
async function applyAndDie(stage: Stage, when: () => boolean, whom: "Terraform" | "all" = "all"): Promise<void> {
  let terraform: ChildProcess | undefined;
  let said: string | undefined;
  const run = stage.workspace.apply({ started: (child) => (terraform = child) }).then(({ output }) => (said = output));
  while (!when()) {
    if (said !== undefined) throw new Error(`the apply ended before it was to die:\n${said}`);
    await new Promise((wake) => setTimeout(wake, 50));
  }
  const hooks = whom === "all" ? await hooksAt(stage.simulator) : [];
  terraform!.kill("SIGKILL");
  for (const { pid } of hooks) process.kill(pid, "SIGKILL");
  if (whom === "all") await run;
}

/** Whether the state has an instance as one that was created. */
function isNoted({ workspace }: Stage, block: string, key?: string): boolean {
  let state;
  try {
    state = JSON.parse(readFileSync(join(workspace.folder, "terraform.tfstate"), "utf8")) as State;
  } catch {
    // Not there yet, or being written.
    return false;
  }
  const instances = state.resources.filter(({ name }) => name === block).flatMap((resource) => resource.instances);
  return instances.some(({ index_key, status }) => index_key === key && status !== "tainted");
}

interface State {
  readonly resources: readonly {
    readonly name: string;
    readonly instances: readonly { readonly index_key?: string; readonly status?: string }[];
  }[];
}

/** Resources of a user's own. One is done every two seconds, and Terraform writes all that its state has by then. */
function besides(stack: TerraformStack): void {
  let before: DataResource[] = [];
  for (const name of ["one", "two", "three", "four", "five"]) {
    const command = "setTimeout(() => {}, 2000)";
    const provisioners = [{ type: "local-exec" as const, interpreter: ["node", "-e"], command }];
    before = [new DataResource(stack, name, { provisioners, dependsOn: before })];
  }
}

/** Dies while the hook looks whether the name is free; afterwards the code is without the rest. */
async function dieCreatingProd(stage: Stage, whom: "Terraform" | "all" = "all"): Promise<void> {
  const { simulator } = stage;
  stage.declare([]);
  await stage.applied();
  let letGo = () => {};
  const gate = new Promise<void>((open) => (letGo = open));
  simulator.onRequest = async ({ path }) => {
    if (path === "/api/v1/clusters") await gate;
  };
  stage.workspace.synth((stack) => {
    stage.platform(stack);
    cluster(stack, "prod", provider(stack));
    besides(stack);
  });
  await applyAndDie(stage, () => isNoted(stage, "capvs_clusters", "prod"), whom);
  // A hook that lives on has seen by now that Terraform is gone.
  await new Promise((wake) => setTimeout(wake, 1_000));
  simulator.onRequest = undefined;
  letGo();
  while ((await hooksAt(simulator)).length > 0);
  stage.declare(["prod"]);
}

plays("what the state has and the service does not is named with what creates it", async (stage) => {
  await dieCreatingProd(stage);
  const said = await stage.failed();
  expect(said).toContain("cluster prod is in Terraform's state but not on the service");
  expect(said).toContain(`terraform apply -replace='${stage.address("prod")}'`);
  await stage.applied({ args: [`-replace=${stage.address("prod")}`] });
  await stage.converges();
  expect(stage.happened()).toEqual(["+vsphere", "+prod"]);
});

plays("what the state has and the service does not may leave the code", async (stage) => {
  await dieCreatingProd(stage);
  stage.declare([]);
  await stage.converges();
  expect(await stage.workspace.destroy()).toMatchObject({ status: 0 });
  expect(stage.happened()).toEqual(["+vsphere", "-vsphere"]);
  expect(stage.writes()).not.toContain("DELETE /api/v1/clusters/prod");
});

plays("what somebody else has created meanwhile counts as the stack's, until it is taken out of the state", async (stage) => {
  await dieCreatingProd(stage);
  stage.foreigners.add("prod");
  await stage.converges();
  expect(await stage.workspace.run(["state", "rm", stage.address("prod")])).toMatchObject({ status: 0 });
  expect(await stage.failed()).toContain("the name of cluster prod is taken");
  stage.declare([], { retain: ["prod"] });
  await stage.converges();
  expect(stage.live()).toEqual(["prod", "vsphere"]);
});

plays("a hook that outlives its Terraform creates what the state has already", async (stage) => {
  await dieCreatingProd(stage, "Terraform");
  await stage.converges();
  expect(stage.happened()).toEqual(["+vsphere", "+prod"]);
});

plays("a wait that died is gone on with, also where something beside it made Terraform note it as done", async (stage) => {
  stage.simulator.timing.provisionSeconds = 1_000;
  stage.workspace.synth((stack) => {
    stage.platform(stack);
    cluster(stack, "prod", provider(stack));
    besides(stack);
  });
  await applyAndDie(stage, () => isNoted(stage, "readiness"));
  const planned = await stage.workspace.plan();
  expect(planned).not.toContainEqual(expect.objectContaining({ address: "terraform_data.readiness" }));
  expect(planned).toContainEqual(expect.objectContaining({ address: "terraform_data.ready", actions: ["create"] }));
  let looks = 0;
  stage.simulator.onRequest = ({ method }) => {
    if (method === "GET" && ++looks > 3) stage.simulator.timing.provisionSeconds = 0;
  };
  expect(await stage.converges()).toContain("cluster prod is ready");
});
