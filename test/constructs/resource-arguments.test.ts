import {
  Aspects,
  DataResource,
  TerraformHclModule,
  TerraformLocal,
  TerraformOutput,
  TerraformResource,
  TerraformStack,
  TerraformVariable,
  Testing,
} from "cdktf";
import { Construct } from "constructs";
import { Engine } from "../../src/constructs/engine";
import type { ManagedObjectProps } from "../../src/constructs/managed-object";
import { CapvsProvider } from "../../src/constructs/types/capvs";
import { Platform } from "../../src/constructs/platform";
import { cluster, provider } from "../support/capvs";
import { synthError, synthesize, type Synthesized } from "../support/synth";

/** What cdktf's users expect of a resource: dependsOn, lifecycle, overrides, moves and imports. */

const block = ({ resource }: Synthesized, address: string) => {
  const [type, id] = address.split(".") as [string, string];
  return resource[type]![id] as Record<string, unknown>;
};

describe("dependsOn", () => {
  const declare = (engine: Engine) => (stack: TerraformStack) => {
    const gate = new DataResource(stack, "gate");
    const platform = new Platform(stack, "platform", { engine, dependsOn: [gate] });
    const group = new Construct(stack, "group");
    const on = provider(group);
    cluster(new Construct(group, "inner"), "stage", on);
    new TerraformVariable(group, "variable", {});
    new TerraformLocal(group, "local", on.fqn);
    const network = new TerraformHclModule(stack, "network", { source: "acme/network", skipAssetCreationFromLocalModules: true });

    const other = new Platform(stack, "other", { engine, name: "other", url: "https://other.example.com" });
    const tenant = new Construct(stack, "tenant");
    const address = new TerraformLocal(stack, "address", network.get("address"));
    cluster(tenant, "prod", CapvsProvider.fromName("vsphere"), { platform: other, dependsOn: [network, group, address] });
    const later = new DataResource(stack, "later");
    tenant.node.addDependency(later);
    later.overrideLogicalId("renamed");
    new DataResource(stack, "all", { dependsOn: [platform] });
  };

  test("waits for elements, ready clusters and what constructs hold, as node.addDependency of any scope does", () => {
    const synthesized = synthesize(declare(Engine.PROVIDER));
    expect(block(synthesized, "clusterplatform_capvs_cluster.other_prod").depends_on).toEqual([
      "terraform_data.renamed",
      "module.network",
      "clusterplatform_capvs_provider.vsphere",
      "clusterplatform_ready.capvs_cluster_ready_stage",
      "local.address",
    ]);
    expect(block(synthesized, "clusterplatform_capvs_cluster.stage").depends_on).toEqual(["terraform_data.gate"]);
    expect(block(synthesized, "clusterplatform_ready.ready").depends_on).toBeUndefined();
    expect(block(synthesized, "terraform_data.all").depends_on).toEqual(["clusterplatform_ready.ready"]);
  });

  test("lets all objects of a kind and type wait where hooks carry them", () => {
    const synthesized = synthesize(declare(Engine.TERRAFORM_DATA));
    const ofBlock = (id: string) => block(synthesized, `terraform_data.${id}`).depends_on as string[];
    expect(ofBlock("other_capvs_clusters")).toContain("local.address");
    for (const id of ["renamed", "capvs_providers", "cluster_platform_capvs_cluster_ready_stage"]) {
      expect(ofBlock("other_capvs_clusters")).toContain(`terraform_data.${id}`);
    }
    expect(ofBlock("capvs_clusters")).toContain("terraform_data.gate");
    expect(ofBlock("all")).toEqual(["terraform_data.cluster_platform_ready"]);
  });

  test("of a cluster directly is complete in cdktf's own tests, which prepare no stack", () => {
    const stack = new TerraformStack(Testing.app(), "stack");
    new Platform(stack, "platform", { engine: Engine.PROVIDER });
    const on = provider(stack);
    cluster(stack, "prod", on, { dependsOn: [cluster(stack, "stage", on)] });
    expect(Testing.synth(stack)).toContain('"capvs_cluster_ready_stage": {');
  });

  test("lets the stack wait for what is in another stack", () => {
    let here: TerraformStack;
    let there: TerraformStack;
    synthesize((stack) => {
      here = stack;
      there = new TerraformStack(stack.node.root, "there");
      new Platform(stack, "platform", { engine: Engine.PROVIDER });
      provider(stack, "vsphere", { dependsOn: [new DataResource(there, "gate")] });
    });
    expect(here!.dependsOn(there!)).toBe(true);
  });

  test("on what waits for another object of the same block is refused where hooks carry them, with the way", () => {
    const circle = (engine: Engine) => (stack: TerraformStack) => {
      new Platform(stack, "platform", { engine });
      const on = provider(stack);
      const addOn = new DataResource(stack, "add-on", { dependsOn: [cluster(stack, "hub", on)] });
      cluster(stack, "prod", on, { dependsOn: [addOn] });
    };
    expect(synthError(circle(Engine.TERRAFORM_DATA)).message).toContain(
      "stack/platform: the objects of terraform_data.capvs_clusters share one block and wait together, " +
        "but something that they depend on waits for one of them: terraform_data.capvs_clusters → terraform_data.add-on → " +
        "terraform_data.cluster_platform_capvs_cluster_ready_hub → terraform_data.capvs_clusters. Use engine: Engine.PROVIDER",
    );
    expect(() => synthesize(circle(Engine.PROVIDER))).not.toThrow();
  });

  test("a token in a prop is such a dependency", () => {
    const circle = (engine: Engine) => (stack: TerraformStack) => {
      new Platform(stack, "platform", { engine });
      const on = provider(stack);
      const hub = cluster(stack, "hub", on);
      cluster(stack, "prod", on, { bodyOverrides: { cluster: { hub: hub.uid } } });
    };
    expect(synthError(circle(Engine.TERRAFORM_DATA)).message).toContain(
      "terraform_data.capvs_clusters → local.capvs_clusters_with_tokens → " +
        "terraform_data.cluster_platform_capvs_cluster_ready_hub → terraform_data.capvs_clusters. Use engine: Engine.PROVIDER",
    );
    expect(() => synthesize(circle(Engine.PROVIDER))).not.toThrow();
  });
});

describe("what is refused", () => {
  const errorOf = (props: object, engine = Engine.PROVIDER, act: (of: ReturnType<typeof cluster>) => void = () => {}) =>
    synthError((stack) => {
      new Platform(stack, "platform", { engine });
      act(cluster(stack, "prod", provider(stack), props as ManagedObjectProps));
    }).message;
  const foreign = new DataResource(new TerraformStack(Testing.app(), "foreign"), "image");

  test.each<[string, object, string]>([
    ["text in dependsOn", { dependsOn: ["null_resource.gate"] }, `'dependsOn[0]' must be a construct, such as a resource`],
    ["no list", { dependsOn: foreign }, "'dependsOn' must be a list of constructs"],
    [
      "an output in dependsOn",
      { dependsOn: [new TerraformOutput(foreign, "output", { value: "" })] },
      "'dependsOn[0]' must be a construct that Terraform can wait for, got foreign/image/output; list the resources that it refers to",
    ],
    ["a misspelled prop", { podSubnets: "10.0.0.0/8" }, "'podSubnets' is not a prop here: did you mean podSubnet?"],
    ["a misspelled prop of constructs", { adpot: true }, "'adpot' is not a prop here: did you mean adopt?"],
    ["retain", { retain: true }, `'retain' is not a prop here, it belongs on the Platform. Write retain: ["prod"] there`],
    ["allowDeletion", { allowDeletion: true }, `it belongs on the Platform. Write allowDeletion: ["prod"] there`],
    ["no retain", { retain: false }, "'retain' is not a prop here, it belongs on the Platform. Remove it here"],
    ["no allowDeletion", { allowDeletion: false }, "it belongs on the Platform. Remove it here"],
    ["no protection", { deletionProtection: false }, `Write allowDeletion: ["prod"] there`],
    ["protection", { deletionProtection: true }, "it belongs on the Platform. Clusters are protected by default"],
    ["count", { count: 2 }, "'count' is not a prop here, because the name of an object must be known at synth"],
    ["forEach", { forEach: {} }, "Make a construct for each, as in `for (const name of names) …`"],
    ["provisioners", { provisioners: [] }, "'provisioners' is not a prop here, because nothing runs on an object"],
    ["connection", { connection: {} }, "Use a resource that depends on it"],
    ["a lifecycle that is none", { lifecycle: true }, "'lifecycle' must be a plain object, got true"],
    [
      "what no lifecycle has",
      { lifecycle: { prevent: true } },
      "'lifecycle.prevent' is not an argument of lifecycle. It has createBeforeDestroy",
    ],
    [
      "the order that unique names exclude",
      { lifecycle: { createBeforeDestroy: true } },
      "declare a second object with another name",
    ],
    [
      "what has no such prop",
      { lifecycle: { ignoreChanges: ["controlPlan"] } },
      `'lifecycle.ignoreChanges[0]' must be a prop, as in "controlPlane", got "controlPlan"; did you mean control_plane?`,
    ],
    ["its protection", { lifecycle: { ignoreChanges: ["deletion_protection"] } }, "'lifecycle.ignoreChanges[0]' must be a prop"],
    ["a trigger that is none", { lifecycle: { replaceTriggeredBy: [{}] } }, "must be a resource or the address of one, got {}"],
    ["a trigger elsewhere", { lifecycle: { replaceTriggeredBy: [foreign] } }, "must be in the same stack, got foreign/image"],
  ])("%s", (_, props, message) => {
    expect(errorOf(props)).toContain(`[stack/cluster-prod] `);
    expect(errorOf(props)).toContain(message);
  });

  test.each<[string, object, (of: ReturnType<typeof cluster>) => void, string]>([
    ["preventDestroy", { lifecycle: { preventDestroy: true } }, () => {}, "list it in the Platform's deletionProtection"],
    [
      "replaceTriggeredBy",
      { lifecycle: { replaceTriggeredBy: ["a.b"] } },
      () => {},
      "use a value of that resource as its credentialsVersion",
    ],
    ["addOverride", {}, (of) => of.addOverride("secure", true), "For a field of the request, use bodyOverrides"],
    ["importFrom", {}, (of) => of.importFrom(), "Use adopt: true"],
    ["moveFromId", {}, (of) => of.moveFromId("a.b"), `to: 'null_resource.capvs_clusters["prod"]' }])`],
  ])("%s where hooks carry the objects, with the reason and the way out", (_, props, act, instead) => {
    const message = errorOf(props, Engine.NULL_RESOURCE, act);
    expect(message).toContain(
      "needs engine: Engine.PROVIDER on the Platform stack/platform; with hooks, the objects of a type share",
    );
    expect(message).toContain(instead);
  });

  test("on a Platform", () => {
    const message = (props: object) => synthError((stack) => void new Platform(stack, "platform", props)).message;
    expect(message({ lifecycle: {} })).toContain("'lifecycle' is not a prop here, because a Platform is not a resource");
    expect(message({ dependsOn: ["x"] })).toContain("[stack/platform] 'dependsOn[0]' must be a construct");
    const own = (stack: TerraformStack) => {
      const platform = new Platform(stack, "platform");
      provider(stack, "vsphere", { dependsOn: [platform] });
    };
    expect(synthError(own).message).toContain(
      "'dependsOn[0]' must not be a construct that this one belongs to, got stack/platform",
    );
  });

  test.each(Object.values(Engine))("another id in Terraform, which other elements refer to (%s)", (engine) => {
    const { message } = synthError((stack) => {
      new Platform(stack, "platform", { engine });
      const prod = cluster(stack, "prod", provider(stack));
      Aspects.of(stack).add({
        visit: (node) => {
          if (!TerraformResource.isTerraformResource(node) || !node.friendlyUniqueId.includes("prod")) return;
          node.overrideLogicalId(node.friendlyUniqueId);
          node.overrideLogicalId("foo");
        },
      });
      void prod.uid;
    });
    expect(message).toMatch(
      /^ +\[stack\/.*\] the id in Terraform must stay '.*prod', because .*, got 'foo'; leave out this element \(/m,
    );
  });

  test("an import under another name", () => {
    const message = errorOf({}, Engine.PROVIDER, (of) => of.importFrom("capvs/clusters/stage"));
    expect(message).toContain(`importFrom: 'id' must be prod or capvs/clusters/prod, got "capvs/clusters/stage"`);
  });
});

test("lifecycle, overrides, moves and imports are those of the object's block", () => {
  const synthesized = synthesize((stack) => {
    new Platform(stack, "platform", { engine: Engine.PROVIDER });
    const on = provider(stack, "vsphere", { lifecycle: { preventDestroy: true } });
    const image = new DataResource(stack, "image");
    const prod = cluster(stack, "prod", on, {
      lifecycle: {
        ignoreChanges: ["controlPlane", 'workers["default"].count', "provider"],
        replaceTriggeredBy: [image, on, cluster(stack, "hub", on), "terraform_data.image.output"],
      },
    });
    prod.addOverride("control_plane.count", 5);
    prod.importFrom();
    prod.moveFromId("clusterplatform_capvs_cluster.old_prod");
  });
  expect(block(synthesized, "clusterplatform_capvs_provider.vsphere").lifecycle).toEqual({ prevent_destroy: true });
  expect(block(synthesized, "clusterplatform_capvs_cluster.prod")).toMatchObject({
    control_plane: { count: 5, cpus: 4 },
    lifecycle: {
      ignore_changes: ["control_plane", 'workers["default"].count', "provider_name"],
      replace_triggered_by: [
        "terraform_data.image",
        "clusterplatform_capvs_provider.vsphere.uid",
        "clusterplatform_capvs_cluster.hub.uid",
        "terraform_data.image.output",
      ],
    },
  });
  const to = "clusterplatform_capvs_cluster.prod";
  expect(synthesized).toMatchObject({
    import: [{ to, id: "capvs/clusters/prod" }],
    moved: [{ to, from: "clusterplatform_capvs_cluster.old_prod" }],
  });
});
