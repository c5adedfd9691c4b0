import {
  TerraformDataSource,
  TerraformHclModule,
  TerraformLocal,
  TerraformProvider,
  TerraformResource,
  TerraformStack,
} from "cdktf";
import { Engine } from "../../src/constructs/engine";
import { Platform } from "../../src/constructs/platform";
import { cluster, provider } from "../support/capvs";
import { synthError, synthesize } from "../support/synth";

const resource = (stack: TerraformStack, id: string, config: object = {}) =>
  new TerraformResource(stack, id, { terraformResourceType: "terraform_data", ...config });
const createBeforeDestroy = { lifecycle: { createBeforeDestroy: true } };

function prod(stack: TerraformStack, engine = Engine.TERRAFORM_DATA) {
  new Platform(stack, "platform", { engine });
  return cluster(stack, "prod", provider(stack));
}

const RULE = "create_before_destroy must not be set on a resource that depends on a provider or cluster";

test("a dependent with create_before_destroy is refused, with its path", () => {
  const error = synthError((stack) => void resource(stack, "dns", { dependsOn: [prod(stack)], ...createBeforeDestroy }));
  expect(error.message).toContain(`stack/dns: ${RULE}`);
  expect(error.message).toContain("terraform_data.dns depends on terraform_data.cluster_platform_capvs_cluster_ready_prod");
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

test("create_before_destroy is refused on the package's own blocks, even from an override of the stack", () => {
  const error = synthError((stack) => {
    prod(stack);
    stack.addOverride("resource.terraform_data.capvs_clusters.lifecycle.create_before_destroy", true);
  });
  expect(error.message).toContain(`stack/platform/resources/capvs_clusters: ${RULE}`);
});

test("create_before_destroy is refused on the block of an object, and on what depends on it", () => {
  const error = synthError((stack) => {
    const cluster = prod(stack, Engine.PROVIDER);
    (cluster.node.defaultChild as TerraformResource).lifecycle = { createBeforeDestroy: true };
    resource(stack, "dns", { dependsOn: [cluster], ...createBeforeDestroy });
  });
  expect(error.message).toContain(`stack/cluster-prod/Resource: ${RULE}`);
  expect(error.message).toContain("terraform_data.dns depends on clusterplatform_ready.capvs_cluster_ready_prod");
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
    [
      "the orphan check",
      (_, last) => last.addOverride("input", "${terraform_data.cluster_platform_orphan_check.id}"),
      "cluster_platform_orphan_check",
    ],
    ["depends_on alone", (_, last) => last.addOverride("depends_on", ["terraform_data.capvs_providers"]), "capvs_providers"],
    ["its count", (_, last) => last.addOverride("count", "${length(terraform_data.capvs_clusters)}"), "capvs_clusters"],
    [
      "replace_triggered_by",
      (_, last) => last.addOverride("lifecycle.replace_triggered_by", ["${terraform_data.cluster_platform_ready.id}"]),
      "cluster_platform_ready",
    ],
    [
      "replace_triggered_by as text without ${",
      (_, last) => last.addOverride("lifecycle.replace_triggered_by", ["terraform_data.capvs_clusters"]),
      "capvs_clusters",
    ],
    [
      "the validation of a variable",
      (stack, last) => {
        stack.addOverride("variable.size.validation.condition", "${var.size > length(terraform_data.capvs_clusters)}");
        last.addOverride("input", "${var.size}");
      },
      "capvs_clusters (through var.size)",
    ],
    [
      "an ephemeral resource in between",
      (stack, last) => {
        stack.addOverride("ephemeral.vault_kv.kube", { path: "${terraform_data.capvs_clusters}" });
        last.addOverride("input", "${ephemeral.vault_kv.kube.value}");
      },
      "capvs_clusters (through ephemeral.vault_kv.kube)",
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

describe("create_before_destroy is refused through the provider that a resource uses", () => {
  class Configured extends TerraformProvider {
    constructor(
      stack: TerraformStack,
      name: string,
      source: string,
      private readonly chosen?: string,
    ) {
      super(stack, `${name}-${chosen}`, {
        terraformResourceType: name,
        terraformGeneratorMetadata: { providerName: name, providerVersion: "2.0.0" },
        terraformProviderSource: source,
      });
    }
    override get alias() {
      return this.chosen;
    }
    protected override synthesizeAttributes() {
      return { host: "${local.host}" };
    }
  }

  function configured(stack: TerraformStack, name: string, source: string, alias?: string) {
    prod(stack);
    new TerraformLocal(stack, "host", "${terraform_data.capvs_clusters}").overrideLogicalId("host");
    return new Configured(stack, name, source, alias);
  }

  const helm = (stack: TerraformStack, id: string, config: object = {}) =>
    new TerraformResource(stack, id, { terraformResourceType: "helm_release", ...config });
  const module = (stack: TerraformStack, providers?: ConstructorParameters<typeof TerraformHclModule>[2]["providers"]) =>
    new TerraformHclModule(stack, "apps", { source: "acme/apps", providers, skipAssetCreationFromLocalModules: true });

  const release =
    (source: string, name = "helm", alias?: string, chosen?: string) =>
    (stack: TerraformStack) => {
      const provider = configured(stack, name, source, alias);
      const last = helm(stack, "last", { ...(alias && !chosen && { provider }), ...createBeforeDestroy });
      if (chosen) last.addOverride("provider", chosen);
    };
  const ways: [string, (stack: TerraformStack) => unknown, string][] = [
    ["the default one of its type", release("hashicorp/helm"), "provider.helm"],
    ["one with another local name", release("helm", "charts"), "provider.charts"],
    ["one with an alias", release("hashicorp/helm", "helm", "prod"), "provider.helm.prod"],
    ["one with an alias, as text", release("hashicorp/helm", "helm", "prod", 'helm.prod["eu"]'), "provider.helm.prod"],
    [
      "that of a data source",
      (stack) => {
        configured(stack, "helm", "hashicorp/helm");
        const source = new TerraformDataSource(stack, "source", { terraformResourceType: "helm_template" });
        resource(stack, "last", createBeforeDestroy).addOverride("input", `\${${source.fqn}.id}`);
      },
      "data.helm_template.source, provider.helm",
    ],
    [
      "the one that a module gets",
      (stack) => {
        const provider = configured(stack, "helm", "hashicorp/helm", "prod");
        resource(stack, "last", { dependsOn: [module(stack, [provider])], ...createBeforeDestroy });
      },
      "module.apps, provider.helm.prod",
    ],
  ];
  test.each(ways)("%s", (_, declare, through) => {
    const { message } = synthError((stack) => void declare(stack));
    expect(message).toContain(`depends on terraform_data.capvs_clusters (through ${through}, local.host)`);
  });

  test("but not for a resource that uses another one", () => {
    synthesize((stack) => {
      configured(stack, "helm", "hashicorp/helm", "prod");
      new Configured(stack, "charts", "acme/helm");
      helm(stack, "last", { dependsOn: [module(stack)], ...createBeforeDestroy });
      resource(stack, "other", createBeforeDestroy);
    });
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

test.each(Object.values(Engine))("with %s, a block of the package cannot set lifecycle.destroy", (engine) => {
  const block = engine === Engine.PROVIDER ? "clusterplatform_capvs_cluster.prod" : `${engine}.capvs_clusters`;
  const declared = (value: unknown) => (stack: TerraformStack) => {
    prod(stack, engine);
    resource(stack, "other").addOverride("lifecycle.destroy", false);
    stack.addOverride(`resource.${block}.lifecycle.destroy`, value);
  };
  for (const value of [false, "${var.keep}"]) {
    const { message } = synthError(declared(value));
    expect(message).toMatch(/stack\/\S+: lifecycle\.destroy must not be set, because OpenTofu and Terraform differ/);
    expect(message).toContain("write retain on the Platform; to protect it, write deletionProtection");
    expect(message).not.toContain("stack/other");
  }
});

test("the block of an object may have lifecycle.destroy as it is by default", () => {
  const { resource } = synthesize((stack) => {
    prod(stack, Engine.PROVIDER);
    stack.addOverride("resource.clusterplatform_capvs_cluster.prod.lifecycle.destroy", true);
  });
  expect(resource.clusterplatform_capvs_cluster!.prod!.lifecycle).toEqual({ destroy: true });
});
