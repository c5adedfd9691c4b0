import { Aspects, TerraformLocal, TerraformResource, TerraformStack } from "cdktf";
import { HookResource } from "../../src/constructs/carrier";
import { Platform } from "../../src/constructs/platform";
import { cluster, provider } from "../support/capvs";
import { synthError, synthesize } from "../support/synth";

const resource = (stack: TerraformStack, id: string, config: object = {}) =>
  new TerraformResource(stack, id, { terraformResourceType: "terraform_data", ...config });
const createBeforeDestroy = { lifecycle: { createBeforeDestroy: true } };

function prod(stack: TerraformStack) {
  new Platform(stack, "platform", { hookResource: HookResource.TERRAFORM_DATA });
  return cluster(stack, "prod", provider(stack));
}

const RULE = "create_before_destroy must not be set on what depends on a provider or cluster";

test("refuses a dependent with create_before_destroy, with its path", () => {
  const error = synthError((stack) => void resource(stack, "dns", { dependsOn: [prod(stack)], ...createBeforeDestroy }));
  expect(error.message).toContain(`stack/dns: ${RULE}`);
  expect(error.message).toContain("terraform_data.dns leads to terraform_data.capvs_cluster_ready_prod");
});

test("refuses it through resources and locals in between", () => {
  const error = synthError((stack) => {
    const first = resource(stack, "first", { dependsOn: [prod(stack)] });
    const local = new TerraformLocal(stack, "address", `\${${first.fqn}.id}`);
    resource(stack, "last", createBeforeDestroy).addOverride("input", local.asString);
  });
  expect(error.message).toContain(`stack/last: ${RULE}`);
  expect(error.message).toContain("(by way of local.address, terraform_data.first)");
});

test("refuses it on our own blocks, also when an Aspect or an override adds it", () => {
  const error = synthError((stack) => {
    prod(stack);
    Aspects.of(stack).add({
      visit: (node) => {
        if (TerraformResource.isTerraformResource(node) && node.node.id === "capvs_clusters")
          node.addOverride("lifecycle.create_before_destroy", true);
      },
    });
  });
  expect(error.message).toContain(`stack/platform/carrier/capvs_clusters: ${RULE}`);
});

test("leaves alone what does not depend on ours, and what ours depend on", () => {
  synthesize((stack) => {
    const before = resource(stack, "before", createBeforeDestroy);
    prod(stack);
    resource(stack, "other", createBeforeDestroy).addOverride("input", `\${${before.fqn}.id}`);
  });
});
