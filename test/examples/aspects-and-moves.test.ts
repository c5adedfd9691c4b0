import { Aspects, DataResource, dependable, TerraformResource, type TerraformElement, TerraformStack } from "cdktf";
import { Engine, Platform, type PlatformProps } from "cdktf-cluster-platform";
import { type Simulator, startSimulator } from "../../src/simulator";
import { cluster, provider, secrets } from "../support/capvs";
import { accessTo, happenedOn } from "../support/service";
import { Workspace } from "../terraform/workspace";

/** Changes to a whole stack: Aspects, custom ids, moves. See docs/existing-stacks.md. */

let simulator: Simulator;
let workspace: Workspace;

beforeEach(async () => {
  simulator = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0 });
  workspace = new Workspace({ ...accessTo(simulator), ...secrets });
});

afterEach(async () => {
  workspace.remove();
  await simulator.close();
});

const platform = (stack: TerraformStack, props: PlatformProps = {}) =>
  new Platform(stack, props.name ?? "platform", {
    engine: Engine.TERRAFORM_DATA,
    pollSeconds: 0.2,
    deletionProtection: false,
    ...props,
  });
const clusters = (stack: TerraformStack, ...names: string[]) => {
  const on = provider(stack);
  for (const name of names) cluster(stack, name, on);
};
const applied = async () => {
  const { status, output } = await workspace.apply();
  expect({ status, output }).toEqual({ status: 0, output: expect.anything() });
  return output;
};
const happened = () => happenedOn(simulator);

test("an Aspect that makes every resource depend on another one keeps all hooks at work", async () => {
  const withGate = (names: string[]) =>
    workspace.synth((stack) => {
      const gate = new DataResource(stack, "gate");
      Aspects.of(stack).add({
        visit(node) {
          if (TerraformResource.isTerraformResource(node) && node !== gate)
            node.dependsOn = [...(node.dependsOn ?? []), dependable(gate)];
        },
      });
      platform(stack);
      clusters(stack, ...names);
    });
  withGate(["prod", "stage"]);
  const output = await applied();
  expect(output.indexOf("terraform_data.gate: Creation complete")).toBeLessThan(
    output.indexOf("terraform_data.cluster_platform_orphan_check: Creating"),
  );
  expect(await workspace.plan()).toEqual([]);

  withGate(["stage"]);
  await applied();
  expect(happened().slice(3)).toEqual(["-prod"]);
  expect((await workspace.destroy()).status).toBe(0);
  expect([...simulator.providers, ...simulator.clusters]).toEqual([]);
});

test("an Aspect that tags, and a stack with custom ids, change nothing about the package's blocks", async () => {
  workspace.synth((stack) => {
    platform(stack);
    clusters(stack, "prod");
  });
  await applied();
  workspace.synth((stack) => {
    const original = stack.getLogicalId.bind(stack);
    stack.getLogicalId = (element: TerraformElement) => `acme_${original(element)}`;
    Aspects.of(stack).add({
      visit(node) {
        if ("tagsInput" in node) (node as unknown as { tags: object }).tags = { team: "clusters" };
      },
    });
    platform(stack);
    clusters(stack, "prod");
  });
  expect(await workspace.plan()).toEqual([]);
});

test("a resource of the stack that cdktf moves does not affect the package's blocks", async () => {
  const withRecord = (declare: (stack: TerraformStack) => void) =>
    workspace.synth((stack) => {
      platform(stack);
      clusters(stack, "prod");
      declare(stack);
    });
  withRecord((stack) => void new DataResource(stack, "record", { input: { name: "prod" } }));
  await applied();
  withRecord((stack) => new DataResource(stack, "dns-record", { input: { name: "prod" } }).moveFromId("terraform_data.record"));
  expect(await workspace.plan()).toEqual([]);
  await applied();
});

test("a Platform is renamed with a moved block per block", async () => {
  workspace.synth((stack) => {
    platform(stack);
    clusters(stack, "prod");
  });
  await applied();
  const ids = [
    "cluster_platform_orphan_check",
    "cluster_platform_orphan_check_on_destroy",
    "capvs_providers",
    "capvs_clusters",
    "cluster_platform_protection",
    "cluster_platform_ready",
  ];
  workspace.synth((stack) => {
    platform(stack, { name: "eu" });
    clusters(stack, "prod");
    stack.addOverride(
      "moved",
      ids.map((id) => ({ from: `terraform_data.${id}`, to: `terraform_data.${id.replace(/^(cluster_platform_)?/, "$1eu_")}` })),
    );
  });
  expect(await workspace.plan()).toEqual([]);
  await applied();
  expect(happened()).toHaveLength(2);
});
