import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { built } from "../cli/built";
import type { PlanDocument } from "../cli/review/plans";
import { clusterBody } from "../support/capvs";
import { newTerraformBackends } from "../support/tools";
import { failed } from "../terraform/stack-fixture";
import {
  cluster,
  controlPlane,
  inOneLine,
  type PluginFixture,
  programs,
  provider,
  ready,
  testOnProgramsInRest,
  withReady,
} from "./plugin-fixture";

/** A run that only plans, for a review: refusals are warnings, and nothing of it can be applied. */

const PLAN_ONLY = { CLUSTER_PLATFORM_PLAN_ONLY: "1" };
const IS_FOR_REVIEW = "this plan is for a review and cannot be applied, because CLUSTER_PLATFORM_PLAN_ONLY is set [PLAN_ONLY]";
const MUST_BE_WHOLE =
  "the run must be 'terraform plan' of the whole configuration, without -target, -exclude, -refresh-only and -destroy";

/** Plans for a review. */
async function planned(stack: PluginFixture, ...args: string[]) {
  const file = join(stack.folder, "plan");
  rmSync(file, { force: true });
  const { status, output } = await stack.run(["plan", "-input=false", `-out=${file}`, ...args], { env: PLAN_ONLY });
  const shown = await stack.run(["show", "-json", file], { quiet: true });
  const document = JSON.parse(shown.output) as PlanDocument & { readonly errored?: boolean };
  const changes = document.resource_changes
    .filter(({ change }) => change.actions.join() !== "no-op")
    .map(({ address, change }) => `${change.actions.join("-")} ${address}`);
  return { status, output: inOneLine(output), document, changes };
}

async function reviewed(stack: PluginFixture, document: PlanDocument) {
  const json = join(stack.folder, "plan.json");
  writeFileSync(json, JSON.stringify(document));
  return built(["review", json, "--fail-on", "none", "--no-fail-on-refused"]);
}

testOnProgramsInRest("a plan for a review has what a normal plan refuses, and cannot be applied", async (stack) => {
  const all = (...more: string[]) => [provider(), cluster("prod"), cluster("stage"), cluster("dev"), ...more];
  const patterns = 'deletion_protection = ["*/clusters/*"]';
  stack.write(all(ready(["prod", "stage", "dev"])), patterns);
  await stack.applied();
  stack.simulator.add("clusters", "capvs", clusterBody("taken", "vsphere"));
  const writes = stack.writes().length;

  // stage leaves, prod changes, dev stays, and the name of taken is taken.
  stack.write(
    [
      provider(),
      cluster("prod", { control_plane: controlPlane(5), declared_at: '"eu/prod"' }),
      cluster("dev"),
      cluster("taken"),
      ready(["prod", "dev", "taken"]),
      ready(["prod"], ["prod"], "prod"),
      `resource "terraform_data" "add_on" {
  triggers_replace = clusterplatform_ready.prod.objects["capvs/clusters/prod"]
}
resource "terraform_data" "after_all" {
  depends_on = [clusterplatform_ready.ready]
}
`,
    ],
    patterns,
  );
  const refused = await stack.refused();
  const { status, output, document, changes } = await planned(stack);
  expect(status).toBe(1);
  expect(output).toContain(IS_FOR_REVIEW);
  for (const summary of [
    "cluster stage is protected from deletion, and the plan deletes it; nothing was sent [PROTECTED]",
    "cluster prod is protected from deletion, and the plan replaces it: controlPlane.count changes from 3 to 5; nothing was sent [PROTECTED]",
    "the name of cluster taken is taken by a capvs cluster on provider vsphere, phase Provisioned, and nothing shows that this stack created it [NAME_TAKEN]",
  ]) {
    expect(refused).toContain(`Error: ${summary}`);
    expect(output).toContain(`Warning: ${summary}`);
  }
  expect(output).toContain('write allowDeletion: ["capvs/clusters/prod"] on the Platform');
  expect(document.errored).toBe(true);
  expect(changes).toEqual([
    "delete-create clusterplatform_capvs_cluster.prod",
    "delete clusterplatform_capvs_cluster.stage",
    "create clusterplatform_capvs_cluster.taken",
    "create clusterplatform_ready.prod",
    "create terraform_data.add_on",
  ]);

  for (const env of [{}, PLAN_ONLY]) {
    const applied = failed(await stack.run(["apply", "-input=false", "plan"], { env }));
    expect(applied).toMatch(/Error: (Cannot apply incomplete plan|Plan is not applyable)/);
  }
  expect(stack.writes()).toHaveLength(writes);

  const { status: exit, stdout } = await reviewed(stack, document);
  expect(exit).toBe(3);
  expect(stdout).toContain("The plan failed; 2 clusters refused as protected, 1 cluster created");
  expect(stdout).toContain("REPLACE, refused capvs cluster prod");
  expect(stdout).toContain("DESTROY, refused capvs cluster stage");
  expect(stdout).toContain('allowDeletion: ["capvs/clusters/stage"] on the Platform would allow it');
  expect(stdout).toContain("It may lack changes of clusterplatform_ready.ready, terraform_data.after_all.");
});

testOnProgramsInRest("with the switch, every run that may apply or leaves something out ends before it plans", async (stack) => {
  const all = [provider(), cluster("prod"), ready(["prod"])];
  stack.write([provider(), cluster("prod"), cluster("dev"), ready(["prod", "dev"])]);
  await stack.applied();
  const instances = () => ["prod", "dev"].map((name) => stack.attributes(`clusterplatform_capvs_cluster.${name}`));
  const before = instances();
  const writes = stack.writes().length;
  stack.write(all);
  const file = join(stack.folder, "plan");
  await stack.plan();

  const target = "-target=clusterplatform_capvs_cluster.prod";
  for (const [args, env] of [
    [["apply", "-auto-approve"], {}],
    // A plan of a normal run.
    [["apply", file], {}],
    [["destroy", "-auto-approve"], {}],
    [["plan", target], {}],
    [["plan", "-refresh-only"], {}],
    [["plan", "-destroy"], {}],
    [["plan"], { TF_CLI_ARGS_plan: `-refresh=true ${target}` }],
  ] as const) {
    const output = failed(await stack.run([args[0], "-input=false", ...args.slice(1)], { env: { ...PLAN_ONLY, ...env } }));
    expect([args, output]).toEqual([args, expect.stringContaining(MUST_BE_WHOLE)]);
    expect(output).toContain("unset it to apply; nothing was sent [PLAN_ONLY]");
  }
  expect(failed(await stack.run(["plan", "-input=false"], { env: { CLUSTER_PLATFORM_PLAN_ONLY: "yes" } }))).toContain(
    "CLUSTER_PLATFORM_PLAN_ONLY",
  );
  expect(instances()).toEqual(before);
  expect(stack.writes()).toHaveLength(writes);

  // Without the switch, the same plan can be applied. With it, also a plan that refuses nothing fails.
  expect(await planned(stack)).toMatchObject({ status: 1, document: { errored: true } });
  await stack.applied();
  expect(stack.happened().slice(-1)).toEqual(["-dev"]);
});

testOnProgramsInRest("a plan for a review of a configuration without clusterplatform_ready deletes nothing", async (stack) => {
  const patterns = 'deletion_protection = ["*/clusters/*"]';
  stack.write([provider(), cluster("prod"), cluster("dev")], patterns);
  await stack.applied();
  stack.simulator.add("clusters", "capvs", clusterBody("taken", "vsphere"));
  const writes = stack.writes().length;
  const file = join(stack.folder, "plan");
  stack.write([provider(), cluster("prod", { secure: "false" }), cluster("taken")], patterns);
  const first = await planned(stack);
  expect(first).toMatchObject({ status: 0, document: { errored: false } });
  for (const args of [[], ["-replace=clusterplatform_capvs_cluster.prod"]]) {
    await planned(stack, ...args);
    const output = failed(await stack.run(["apply", "-input=false", file]));
    expect(output).toContain(
      "cluster dev is not deleted, because the plan was made for a review, with CLUSTER_PLATFORM_PLAN_ONLY [PLAN_ONLY] Nothing was sent. Plan again without the variable.",
    );
    expect(output).toContain("cluster prod is not deleted, because the plan was made for a review");
    expect(output).toContain("cluster taken");
    expect(output).toContain("[NAME_TAKEN]");
  }
  expect(stack.writes()).toHaveLength(writes);

  // The state keeps nothing of it.
  stack.write([provider(), cluster("prod", { secure: "false" })], "");
  await stack.applied();
  expect(stack.happened().slice(-3).sort()).toEqual(["+prod", "-dev", "-prod"]);
});

testOnProgramsInRest("a plan for a review shows the requested replacement of a protected object as refused", async (stack) => {
  stack.write([provider(), cluster("prod"), ready(["prod"])], 'deletion_protection = ["*/clusters/*"]');
  await stack.applied();
  const writes = stack.writes().length;
  const { status, document, changes } = await planned(stack, "-replace=clusterplatform_capvs_cluster.prod");
  expect({ status, errored: document.errored, changes }).toEqual({
    status: 1,
    errored: true,
    changes: ["delete-create clusterplatform_capvs_cluster.prod"],
  });
  const { status: exit, stdout } = await reviewed(stack, document);
  expect(exit).toBe(3);
  expect(stdout).toContain("REPLACE, refused capvs cluster prod");
  expect(stdout).toContain("replacement was requested (-replace)");
  expect(stack.writes()).toHaveLength(writes);
});

testOnProgramsInRest(
  "a plan for a review shows the deletion and the replacement of a provider that clusters use",
  async (stack) => {
    const spare = (more = {}) => provider("spare", more);
    stack.write(withReady([provider(), spare(), cluster("c1")]));
    await stack.applied();
    stack.simulator.add("clusters", "capvs", clusterBody("theirs", "spare"));
    const writes = stack.writes().length;
    const address = "clusterplatform_capvs_provider.spare";
    const refusal = "capvs provider spare is used by theirs; nothing was sent [PROVIDER_IN_USE]";
    for (const [blocks, action] of [
      [[provider(), cluster("c1")], "delete"],
      [[provider(), spare({ ip_address_pool_name: '"pool-2"' }), cluster("c1")], "delete-create"],
    ] as const) {
      stack.write(withReady(blocks));
      expect(await stack.refused()).toContain(`Error: ${refusal}`);
      const { status, output, document, changes } = await planned(stack);
      expect({ status, errored: document.errored, changes }).toEqual({
        status: 1,
        errored: true,
        changes: [`${action} ${address}`],
      });
      expect(output).toContain(`Warning: ${refusal}`);
      expect(output).toContain(`Error: ${IS_FOR_REVIEW}`);
      const { status: exit, stdout } = await reviewed(stack, document);
      expect([exit, stdout]).toEqual([3, expect.stringContaining("capvs provider spare")]);
    }
    expect(stack.writes()).toHaveLength(writes);
  },
);

testOnProgramsInRest("a plan for a review shows what a change of the service's URL asks for", async (stack) => {
  stack.write([provider(), cluster("prod"), ready(["prod"])]);
  await stack.applied();
  const { port } = new URL(stack.simulator.url);
  stack.env.CLUSTER_PLATFORM_URL = `http://localhost:${port}`;
  const refused = await stack.refused();
  const { status, output, document, changes } = await planned(stack);
  const summary = `the state names http://127.0.0.1:${port} as the service of cluster prod, but this run uses the one at http://localhost:${port} [INVALID_SETTING]`;
  expect(refused).toContain(`Error: the state names http://127.0.0.1:${port} as the service of capvs provider vsphere`);
  expect(output).toContain(`Warning: ${summary}`);
  expect(output.split(summary)).toHaveLength(2);
  expect(status).toBe(1);
  expect(document.errored).toBe(true);
  expect(changes).toEqual(["update clusterplatform_capvs_cluster.prod", "update clusterplatform_capvs_provider.vsphere"]);
});

// The newer Terraform plans what leaves the code in the order of a destroy, so clusterplatform_ready fails first.
const some = programs.filter((program) => !newTerraformBackends.includes(program));
testOnProgramsInRest(
  "a plan for a review shows the removal of everything",
  async (stack) => {
    stack.write([provider(), cluster("prod", { deletion_protection: "true" }), ready(["prod"])]);
    await stack.applied();
    stack.write([]);
    expect(await planned(stack)).toMatchObject({
      status: 1,
      output: expect.stringMatching(
        /Warning: cluster prod is protected from deletion.*Error: this plan is for a review/,
      ) as string,
      document: { errored: true },
      changes: ["delete clusterplatform_capvs_cluster.prod", "delete clusterplatform_capvs_provider.vsphere"],
    });
  },
  { some },
);
