import { Aspects, DataResource, TerraformLocal, TerraformProvider, TerraformResource, type TerraformStack } from "cdktf";
import { Engine } from "../../src/constructs/engine";
import { Platform } from "../../src/constructs/platform";
import { cluster, provider } from "../support/capvs";
import { synthError, synthesize } from "../support/synth";

const HOOKS = [Engine.NULL_RESOURCE, Engine.TERRAFORM_DATA];

const declared =
  (engine: Engine, visit: (resource: TerraformResource) => void, isSkipped: (node: TerraformResource) => boolean = () => false) =>
  (stack: TerraformStack) => {
    new Platform(stack, "platform", { engine });
    void cluster(stack, "prod", provider(stack)).uid;
    new DataResource(stack, "other");
    Aspects.of(stack).add({
      visit: (node) => {
        if (TerraformResource.isTerraformResource(node) && !isSkipped(node)) visit(node);
      },
    });
  };

const settings: [string, (resource: TerraformResource) => void][] = [
  ["lifecycle", (resource) => (resource.lifecycle = { preventDestroy: true })],
  ["lifecycle", (resource) => (resource.lifecycle = { ignoreChanges: "all" })],
  ["lifecycle", (resource) => resource.addOverride("lifecycle.prevent_destroy", true)],
  ["tags", (resource) => resource.addOverride("tags", { team: "a" })],
  ["count", (resource) => (resource.count = 1)],
  ["forEach", (resource) => (resource.forEach = { _getForEachExpression: () => "${toset([])}" } as never)],
  ["for_each", (resource) => resource.addOverride("for_each", {})],
  ["provider", (resource) => (resource.provider = { fqn: "null.mirror" } as never)],
  ["provisioners", (resource) => (resource.provisioners = [])],
  ["connection", (resource) => (resource.connection = { type: "ssh", host: "x" })],
  ["moveToId", (resource) => resource.moveToId("terraform_data.other")],
  ["moveTo", (resource) => resource.moveTo("other")],
  ["moveFromId", (resource) => resource.moveFromId("terraform_data.other")],
  ["importFrom", (resource) => resource.importFrom("x")],
];

describe.each(HOOKS)("an Aspect on the resources of a Platform with %s", (engine) => {
  test.each(settings)("that sets %s is refused, with the resource and the filter to write", (argument, visit) => {
    const { message } = synthError(declared(engine, visit));
    expect(message).toContain(
      `[stack/platform] '${argument}' must not be set on the resources of a Platform, because its hooks need them as they are, ` +
        "but an Aspect or an override sets it on stack/platform/resources/cluster_platform_orphan_check. " +
        "Skip them in the Aspect: if (node.node.scopes.some((scope) => Platform.isPlatform(scope))) return; " +
        "to protect objects, write deletionProtection on the Platform (test/constructs/stack-aspects.test.ts:",
    );
    expect(message.match(/must not be set/g)).toHaveLength(1);
  });

  test.each<[string, (other: string, resource: TerraformResource) => string[] | undefined]>([
    ["another resource", (other) => [other]],
    ["nothing", () => []],
    ["undefined", () => undefined],
    ["one more", (other, { dependsOn = [] }) => [...dependsOn, other]],
  ])("that sets dependsOn to %s takes no dependency of the package away", (_, dependencies) => {
    const address = "terraform_data.other";
    const dependenciesIn = (visit: (resource: TerraformResource) => void) => {
      const { resource } = synthesize(declared(engine, visit, ({ node }) => node.path === "stack/other"));
      return Object.values(resource).flatMap((group) =>
        Object.entries(group!).map(([id, { depends_on: all = [] }]) => [id, all] as [string, string[]]),
      );
    };
    const before = new Map(dependenciesIn(() => {}));
    const after = dependenciesIn((resource) => (resource.dependsOn = dependencies(address, resource)));
    expect(after).toHaveLength(before.size);
    for (const [id, all] of after.filter(([id]) => id !== "other")) {
      expect(all).toEqual([...before.get(id)!, ...(dependencies(address, {} as never) ?? [])]);
    }
  });

  test.each<[string, (resource: TerraformResource) => unknown]>([
    ["a command", ({ provisioners = [] }) => provisioners.forEach((each) => Object.assign(each, { command: "true" }))],
    [
      "what follows a failure",
      ({ provisioners = [] }) => provisioners.forEach((each) => Object.assign(each, { onFailure: "continue" })),
    ],
    ["the hooks", ({ provisioners }) => provisioners?.splice(0)],
    ["one hook more", ({ provisioners }) => provisioners?.push({ type: "local-exec", command: "echo" })],
    ["the preconditions", ({ lifecycle }) => (lifecycle?.precondition as unknown[] | undefined)?.splice(0)],
    ["the dependencies", ({ dependsOn }) => dependsOn?.splice(0)],
  ])("that changes %s in place has no effect", (_, visit) => {
    const withToken = (aspect: (resource: TerraformResource) => unknown) =>
      synthesize((stack) => {
        const { id } = new DataResource(stack, "subnet");
        declared(engine, aspect)(stack);
        cluster(stack, "eu", provider(stack, "other"), { podSubnet: id, apiEndpoint: "10.0.0.9" });
      }).resource;
    expect(withToken(visit)).toEqual(withToken(() => {}));
  });

  test("that replaces a local is refused", () => {
    const { message } = synthError((stack) => {
      declared(engine, () => {})(stack);
      Aspects.of(stack).add({ visit: (node) => void (node instanceof TerraformLocal && (node.expression = {})) });
    });
    expect(message).toContain("[stack/platform] 'expression' must not be set on the resources of a Platform");
  });

  test("is accepted with that filter, and changes the other resources", () => {
    const isOfPlatform = ({ node }: TerraformResource) => node.scopes.some((scope) => Platform.isPlatform(scope));
    const { resource } = synthesize(
      declared(engine, (resource) => (resource.lifecycle = { preventDestroy: true }), isOfPlatform),
    );
    expect(resource.terraform_data!.other!.lifecycle).toEqual({ prevent_destroy: true });
  });
});

describe("with the provider, an Aspect", () => {
  const resources = (visit: (resource: TerraformResource) => void) => synthesize(declared(Engine.PROVIDER, visit)).resource;
  const errorOf = (visit: (resource: TerraformResource) => void) => synthError(declared(Engine.PROVIDER, visit)).message;

  test("reaches the resources of objects, and not those that only wait", () => {
    const prevented = resources((resource) => (resource.lifecycle = { preventDestroy: true }));
    expect(prevented.clusterplatform_capvs_cluster!.prod!.lifecycle).toEqual({ prevent_destroy: true });
    const ready = prevented.clusterplatform_ready!;
    expect(Object.keys(ready).sort()).toEqual(["capvs_cluster_ready_prod", "ready"]);
    const untouched = resources(() => {}).clusterplatform_ready;
    expect(ready).toEqual(untouched);
    expect(resources((resource) => resource.addOverride("lifecycle.prevent_destroy", true)).clusterplatform_ready).toEqual(
      untouched,
    );
  });

  test.each<[string, (resource: TerraformResource) => void, string]>([
    ["count", (resource) => (resource.count = 1), "the name of an object must be known at synth. Make a construct for each"],
    ["count", (resource) => resource.addOverride("count", 1), "the name of an object must be known at synth"],
    ["forEach", (resource) => (resource.forEach = {} as never), "the name of an object must be known at synth"],
    ["for_each", (resource) => resource.addOverride("for_each", {}), "the name of an object must be known at synth"],
    ["provider", (resource) => (resource.provider = { fqn: "x.y" } as never), "Choose another one with the prop 'platform'"],
    ["provider", (resource) => resource.addOverride("provider", "x.y"), "Choose another one with the prop 'platform'"],
    ["name", (resource) => resource.addOverride("name", "x"), "the name of an object must be known at synth"],
    ["provider_name", (resource) => resource.addOverride("provider_name", "x"), "Write the prop 'provider'"],
    ["deletion_protection", (resource) => resource.addOverride("deletion_protection", false), "Write deletionProtection there"],
    ["adopt", (resource) => resource.addOverride("adopt", true), "it is a prop of the construct"],
    ["moveToId", (resource) => resource.moveToId("x.y"), "Write moveFromId on the construct that the object moves to"],
    ["provisioners", (resource) => (resource.provisioners = []), "Write a resource that waits for it"],
    ["connection", (resource) => (resource.connection = { type: "ssh", host: "x" }), "Write a resource that waits for it"],
    ["moveTo", (resource) => resource.moveTo("x"), "Write moveFromId on the construct that the object moves to"],
  ])("must not set %s on the resource of an object", (argument, visit, reason) => {
    const message = errorOf((resource) => {
      if (resource.terraformResourceType === "clusterplatform_capvs_cluster") visit(resource);
    });
    expect(message).toContain(`[stack/cluster-prod] '${argument}' must not be set on the resource of an object, because `);
    expect(message).toContain(reason);
  });

  test.each<[string, (resource: TerraformResource) => void]>([
    ["by a property", (resource) => (resource.lifecycle = { ignoreChanges: "all" })],
    ["by an override", (resource) => resource.addOverride("lifecycle.ignore_changes", "all")],
    ["by a list of blocks", (resource) => resource.addOverride("lifecycle", [{ ignore_changes: "all" }])],
    ["by a property with Terraform's name", (resource) => (resource.lifecycle = { ignore_changes: "all" } as never)],
    ["by its name", (resource) => (resource.lifecycle = { ignoreChanges: ["deletion_protection"] })],
    ["by a template", (resource) => resource.addOverride("lifecycle.ignore_changes", ["name", "${deletion_protection}"])],
  ])("must not ignore changes of an object's protection (%s)", (_, visit) => {
    const message = errorOf(visit);
    expect(message).toMatch(/stack\/cluster-prod\/Resource: ignore_changes must not be (all|deletion_protection)/);
    expect(message).toContain('skip it in an Aspect: if (node.terraformResourceType.startsWith("clusterplatform_")) return');
    expect(message).not.toContain("stack/other");
  });
});

test.each<[string, (block: TerraformProvider) => void]>([
  ["alias", (block) => (block.alias = "x")],
  ["declared", (block) => block.addOverride("declared", undefined)],
  ["deletion_protection", (block) => block.addOverride("deletion_protection.0", "x")],
])("an Aspect must not set %s on the provider block of a Platform", (argument, visit) => {
  const { message } = synthError((stack) => {
    declared(Engine.PROVIDER, () => {})(stack);
    Aspects.of(stack).add({ visit: (node) => void (TerraformProvider.isTerraformProvider(node) && visit(node)) });
  });
  expect(message).toContain(
    `[stack/platform/resources/provider] '${argument}' must not be set on the provider block of a Platform, which takes all arguments from the Platform. Skip it in the Aspect: `,
  );
});

test("a resource that only waits has no other dependencies", () => {
  const { resource } = synthesize(
    declared(Engine.PROVIDER, (each) => {
      if (each.terraformResourceType === "clusterplatform_ready") each.dependsOn = [each.fqn];
    }),
  );
  expect(Object.values(resource.clusterplatform_ready!).map((ready) => ready.depends_on)).toEqual([undefined, undefined]);
});

test("an Aspect may set dependsOn to one address or to resources", () => {
  const waits = (dependsOn: (other: DataResource) => unknown) =>
    synthesize((stack) => {
      new Platform(stack, "platform", { engine: Engine.PROVIDER });
      const resource = cluster(stack, "prod", provider(stack)).node.defaultChild as TerraformResource;
      resource.dependsOn = dependsOn(new DataResource(stack, "other")) as string[];
    }).resource.clusterplatform_capvs_cluster!.prod!.depends_on;
  expect(waits(() => "terraform_data.other")).toEqual(["terraform_data.other"]);
  expect(waits((other) => [other])).toEqual(["terraform_data.other"]);
  for (const none of [null, [null], [undefined], 5, [{}], "", ["${TfToken[TO"]]) expect(waits(() => none)).toBeUndefined();
});

describe("an override of the stack", () => {
  const errorOf = (engine: Engine, path: string, value: unknown) =>
    synthError((stack) => {
      declared(engine, () => {})(stack);
      stack.addOverride(path, value);
    }).message;

  test.each<[Engine, string, unknown, string?]>([
    [
      Engine.TERRAFORM_DATA,
      "resource.terraform_data.cluster_platform_orphan_check.lifecycle.prevent_destroy",
      true,
      "resource.terraform_data.cluster_platform_orphan_check",
    ],
    [Engine.TERRAFORM_DATA, "resource.terraform_data.capvs_clusters", undefined],
    [Engine.TERRAFORM_DATA, "resource.terraform_data", undefined, "resource.terraform_data.capvs_clusters"],
    [Engine.NULL_RESOURCE, "resource.null_resource.capvs_clusters.depends_on", [], "resource.null_resource.capvs_clusters"],
    [Engine.NULL_RESOURCE, "locals.capvs_clusters", {}],
    [Engine.PROVIDER, "resource.clusterplatform_capvs_cluster.prod.count", 1],
    [Engine.PROVIDER, "resource.clusterplatform_ready.ready.wait_for", [], "resource.clusterplatform_ready.ready"],
    [Engine.PROVIDER, "resource.clusterplatform_capvs_cluster.prod.deletion_protection", false],
    [Engine.PROVIDER, "provider.clusterplatform", [{}]],
    [Engine.PROVIDER, "provider", undefined, "provider.clusterplatform"],
    [Engine.PROVIDER, "terraform.required_providers.clusterplatform", undefined],
  ])("must not change a resource of a Platform (%s, %s)", (engine, path, value, named = path) => {
    expect(errorOf(engine, path, value)).toContain(
      `stack: addOverride must not change ${named}, which the Platform stack/platform needs as it is; remove the override`,
    );
  });

  test.each<[string, unknown, string]>([
    ["resource", [{ terraform_data: {} }], 'resource an object, got [{"terraform_data":{}}]'],
    ["resource", null, "resource an object, got null"],
    ["resource.terraform_data", [], "resource.terraform_data an object, got []"],
    ["resource.terraform_data.other", null, "resource.terraform_data.other an object, got null"],
    ["resource.terraform_data.newer", [{}], "resource.terraform_data.newer an object, got [{}]"],
    ["data", null, "data an object, got null"],
    ["locals", [{ a: 1 }], 'locals an object, got [{"a":1}]'],
    ["terraform.required_providers", [], "terraform.required_providers an object, got []"],
  ])("must give what cdktf writes as an object an object (%s, %j)", (path, value, problem) => {
    for (const engine of Object.values(Engine)) {
      expect(errorOf(engine, path, value)).toContain(`[stack/platform] stack: addOverride must give ${problem}`);
    }
  });

  test("may have a list without blocks for lifecycle", () => {
    synthesize((stack) => {
      declared(Engine.PROVIDER, () => {})(stack);
      stack.addOverride("resource.terraform_data.other.lifecycle", [null]);
    });
  });

  test("changes other resources, and arguments of an object's resource that nothing needs", () => {
    const { resource } = synthesize((stack) => {
      declared(Engine.PROVIDER, () => {})(stack);
      stack.addOverride("resource.terraform_data.other.count", 1);
      stack.addOverride("resource.clusterplatform_capvs_cluster.prod.timeouts", { create: "1h" });
    });
    expect(resource.terraform_data!.other!.count).toBe(1);
    expect(resource.clusterplatform_capvs_cluster!.prod!.timeouts).toEqual({ create: "1h" });
  });
});

test.each<[string, (of: ReturnType<typeof cluster>) => void, string]>([
  ["addOverride", (of) => of.addOverride(undefined as never, 1), "'path' must be names of Terraform with dots between them"],
  ["addOverride", (of) => of.addOverride("__proto__.x", 1), "'path' must be names of Terraform with dots between them"],
  ["addOverride", (of) => of.addOverride("tags", () => 1), "'tags' must be a JSON value"],
  ["moveFromId", (of) => of.moveFromId(undefined as never), "'address' must be an address in the state, got undefined"],
  ["moveFromId", (of) => ["a.b", "a.b"].forEach((each) => of.moveFromId(each)), "moveFromId must be called once"],
  ["importFrom", (of) => of.importFrom((() => 1) as never), "importFrom: 'id' must be prod or capvs/clusters/prod"],
])("%s of a cluster refuses odd arguments", (_, call, problem) => {
  const { message } = synthError((stack) => {
    new Platform(stack, "platform", { engine: Engine.PROVIDER });
    call(cluster(stack, "prod", provider(stack)));
  });
  expect(message).toContain(`[stack/cluster-prod] ${problem}`.replace("] 'address'", "] moveFromId: 'address'"));
});

test.each(["count", "for_each", "provider"])("addOverride of a cluster refuses %s", (argument) => {
  const { message } = synthError((stack) => {
    new Platform(stack, "platform", { engine: Engine.PROVIDER });
    cluster(stack, "prod", provider(stack)).addOverride(argument, "x");
  });
  expect(message).toContain(`[stack/cluster-prod] '${argument}' must not be set on the resource of an object`);
});
