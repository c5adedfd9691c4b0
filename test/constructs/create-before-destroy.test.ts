import { Aspects, TerraformDataSource, TerraformLocal, TerraformResource, TerraformStack } from "cdktf";
import { Engine } from "../../src/constructs/engine";
import { Platform } from "../../src/constructs/platform";
import { cluster, provider } from "../support/capvs";
import { synthError, synthesize } from "../support/synth";

const resource = (stack: TerraformStack, id: string, config: object = {}) =>
  new TerraformResource(stack, id, { terraformResourceType: "terraform_data", ...config });
const createBeforeDestroy = { lifecycle: { createBeforeDestroy: true } };

function prod(stack: TerraformStack) {
  new Platform(stack, "platform", { engine: Engine.TERRAFORM_DATA });
  return cluster(stack, "prod", provider(stack));
}

const RULE = "create_before_destroy must not be set on a resource that depends on a provider or cluster";

test("a dependent with create_before_destroy is refused, with its path", () => {
  const error = synthError((stack) => void resource(stack, "dns", { dependsOn: [prod(stack)], ...createBeforeDestroy }));
  expect(error.message).toContain(`stack/dns: ${RULE}`);
  expect(error.message).toContain("terraform_data.dns depends on terraform_data.capvs_cluster_ready_prod");
});

test("create_before_destroy is refused through resources and locals in between", () => {
  const error = synthError((stack) => {
    const first = resource(stack, "first", { dependsOn: [prod(stack)] });
    const local = new TerraformLocal(stack, "address", `\${${first.fqn}.id}`);
    resource(stack, "last", createBeforeDestroy).addOverride("input", local.asString);
  });
  expect(error.message).toContain(`stack/last: ${RULE}`);
  expect(error.message).toContain("(through local.address, terraform_data.first)");
});

test("create_before_destroy is refused on the package's own blocks, even from an Aspect or an override", () => {
  const error = synthError((stack) => {
    prod(stack);
    Aspects.of(stack).add({
      visit: (node) => {
        if (TerraformResource.isTerraformResource(node) && node.node.id === "capvs_clusters")
          node.addOverride("lifecycle.create_before_destroy", true);
      },
    });
  });
  expect(error.message).toContain(`stack/platform/resources/capvs_clusters: ${RULE}`);
});

describe("create_before_destroy is refused in any notation", () => {
  const depending = (stack: TerraformStack, config: object = {}) =>
    resource(stack, "dns", { dependsOn: [prod(stack)], ...config });
  const ways: [string, (stack: TerraformStack) => unknown][] = [
    ["by an override of the field", (stack) => depending(stack).addOverride("lifecycle.create_before_destroy", true)],
    ["as text", (stack) => depending(stack).addOverride("lifecycle.create_before_destroy", "true")],
    ["by an override of the whole block", (stack) => depending(stack).addOverride("lifecycle", { create_before_destroy: true })],
    ["in a list of blocks", (stack) => depending(stack).addOverride("lifecycle", [{ create_before_destroy: true }])],
    [
      "by an override of the stack",
      (stack) => {
        depending(stack);
        stack.addOverride("resource.terraform_data.dns.lifecycle.create_before_destroy", true);
      },
    ],
    ["after it was made", (stack) => (depending(stack).lifecycle = { createBeforeDestroy: true })],
  ];
  test.each(ways)("%s", (_, declare) => {
    expect(synthError((stack) => void declare(stack)).message).toContain(`stack/dns: ${RULE}`);
  });

  test("by a resource that only overrides of the stack contain, and the error has its address", () => {
    const error = synthError((stack) => {
      prod(stack);
      const lifecycle = { create_before_destroy: true };
      stack.addOverride("resource.terraform_data.raw", { input: "${terraform_data.capvs_clusters}", lifecycle });
    });
    expect(error.message).toContain(`terraform_data.raw: ${RULE}`);
  });
});

describe("create_before_destroy is refused for any kind of dependency", () => {
  const ways: [string, (stack: TerraformStack, last: TerraformResource) => unknown, string][] = [
    ["a block", (_, last) => last.addOverride("input", "${terraform_data.capvs_clusters[*]}"), "capvs_clusters"],
    ["an instance", (_, last) => last.addOverride("input", '${terraform_data.capvs_clusters["prod"].id}'), "capvs_clusters"],
    ["the orphan check", (_, last) => last.addOverride("input", "${terraform_data.orphan_check.id}"), "orphan_check"],
    ["depends_on alone", (_, last) => last.addOverride("depends_on", ["terraform_data.capvs_providers"]), "capvs_providers"],
    ["its count", (_, last) => last.addOverride("count", "${length(terraform_data.capvs_clusters)}"), "capvs_clusters"],
    [
      "replace_triggered_by",
      (_, last) => last.addOverride("lifecycle.replace_triggered_by", ["${terraform_data.ready.id}"]),
      "ready",
    ],
    [
      "a data source in between",
      (stack, last) => {
        const source = new TerraformDataSource(stack, "source", {
          terraformResourceType: "null_data_source",
          dependsOn: [{ fqn: "terraform_data.capvs_clusters" }],
        });
        last.addOverride("input", `\${${source.fqn}.id}`);
      },
      "capvs_clusters (through data.null_data_source.source)",
    ],
  ];
  test.each(ways)("%s", (_, depend, end) => {
    const error = synthError((stack) => {
      prod(stack);
      depend(stack, resource(stack, "last", createBeforeDestroy));
    });
    expect(error.message).toContain(`stack/last: ${RULE}, but terraform_data.last depends on terraform_data.${end}`);
  });
});

test("the error names all resources that have it, and the way out", () => {
  const error = synthError((stack) => {
    const cluster = prod(stack);
    for (const id of ["one", "two"]) resource(stack, id, { dependsOn: [cluster], ...createBeforeDestroy });
  });
  for (const part of ["stack/one: ", "stack/two: ", "Remove it here, or remove the dependency"])
    expect(error.message).toContain(part);
});

test("a resource with create_before_destroy = false is accepted", () => {
  synthesize((stack) => {
    const cluster = prod(stack);
    resource(stack, "dns", { dependsOn: [cluster], lifecycle: { createBeforeDestroy: false, preventDestroy: true } });
    resource(stack, "raw", { dependsOn: [cluster] }).addOverride("lifecycle.create_before_destroy", "false");
  });
});

test("resources that do not depend on the package's blocks are accepted, and so are dependencies of these blocks", () => {
  synthesize((stack) => {
    const before = resource(stack, "before", createBeforeDestroy);
    prod(stack);
    resource(stack, "other", createBeforeDestroy).addOverride("input", `\${${before.fqn}.id}`);
  });
});
