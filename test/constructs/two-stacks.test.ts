import {
  App,
  DataResource,
  type ITerraformDependable,
  TerraformDataSource,
  TerraformHclModule,
  TerraformOutput,
  TerraformStack,
} from "cdktf";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CapvsProvider, Secret } from "../../src";
import { Engine } from "../../src/constructs/engine";
import { Platform } from "../../src/constructs/platform";
import { cluster, provider } from "../support/capvs";

/** Constructs of two stacks that refer to each other. */

type Stacks = ReturnType<typeof stacks>;

function stacks(app: App, engine: Engine, isTenantFirst: boolean) {
  const make = (id: string) => new TerraformStack(app, id);
  const [first, second] = isTenantFirst ? ["tenant", "site"] : ["site", "tenant"];
  const made = { [first!]: make(first!), [second!]: make(second!) };
  const site = made.site!;
  const platform = new Platform(site, "platform", { engine });
  const on = provider(site);
  return { tenant: made.tenant!, site, platform, on, prod: cluster(site, "prod", on), engine };
}

/** The text of the stack `tenant`. */
function synthesized(engine: Engine, use: (of: Stacks) => void, isTenantFirst = false): string {
  const outdir = mkdtempSync(join(tmpdir(), "cluster-platform-synth-"));
  try {
    const app = new App({ outdir });
    use(stacks(app, engine, isTenantFirst));
    app.synth();
    return readFileSync(join(outdir, "stacks", "tenant", "cdk.tf.json"), "utf8");
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

const waiting: [string, (scope: TerraformStack, on: ITerraformDependable) => unknown][] = [
  ["a resource", (scope, on) => new DataResource(scope, "x", { dependsOn: [on] })],
  ["a trigger", (scope, on) => new DataResource(scope, "x", { lifecycle: { replaceTriggeredBy: [on] } })],
  ["a data source", (scope, on) => new TerraformDataSource(scope, "x", { terraformResourceType: "a_b", dependsOn: [on] })],
  [
    "a module",
    (scope, on) =>
      new TerraformHclModule(scope, "x", { source: "a/b", skipAssetCreationFromLocalModules: true, dependsOn: [on] }),
  ],
  ["an output", (scope, on) => new TerraformOutput(scope, "x", { value: "", dependsOn: [on] })],
];

describe.each(Object.values(Engine))("with %s", (engine) => {
  test.each(waiting)("%s that waits for an object or Platform of another stack is refused, with what to write", (_, make) => {
    for (const isTenantFirst of [true, false]) {
      for (const name of ["prod", "on", "platform"] as const) {
        const use = (of: Stacks) => void make(of.tenant, of[name]);
        const path = { prod: "site/cluster-prod", on: "site/provider-vsphere", platform: "site/platform" }[name];
        expect(() => synthesized(engine, use, isTenantFirst)).toThrow(
          `tenant/x: must not wait for ${path}, which is in another stack, because Terraform orders the resources of one stack; ` +
            "for the order of the stacks, write stack.addDependency(…); for a value that changes with the object, use its uid, as in cluster.uid",
        );
      }
    }
  });

  test.each([true, false])(
    "values flow into resources and objects of the other stack (it is made first: %s)",
    (isTenantFirst) => {
      let order: [TerraformStack, TerraformStack];
      const text = synthesized(
        engine,
        ({ site, tenant, prod, on }) => {
          order = [tenant, site];
          const { id, output } = new DataResource(site, "data", { input: {} });
          new DataResource(tenant, "x", { triggersReplace: [prod.uid, on.uid, on.fqn, prod.fqn] });
          new Platform(tenant, "platform", { engine });
          provider(tenant, "vsphere", { datastore: id, password: Secret.fromToken(id) });
          cluster(tenant, "eu", on, { ingress: prod.uid, bodyOverrides: { cluster: { a: output, b: [id] } } });
        },
        isTenantFirst,
      );
      expect(order![0].dependsOn(order![1])).toBe(true);
      const { triggers_replace: triggers } = (
        JSON.parse(text) as { resource: { terraform_data: { x: { triggers_replace: string[] } } } }
      ).resource.terraform_data.x;
      for (const trigger of Object.values(triggers))
        expect(trigger).toMatch(/^\$\{data\.terraform_remote_state\.cross-stack-reference-input-site\./);
      expect(new Set(Object.values(triggers)).size).toBe(4);
      expect(text).not.toContain("TfToken");
    },
  );

  test("objects wait for what is in another stack, and its stack is deployed first", () => {
    let order: [TerraformStack, TerraformStack];
    const text = synthesized(engine, ({ site, tenant, prod, platform }) => {
      order = [tenant, site];
      new Platform(tenant, "platform", { engine, dependsOn: [platform] });
      cluster(tenant, "eu", CapvsProvider.fromName("vsphere"), { dependsOn: [prod] });
    });
    expect(order![0].dependsOn(order![1])).toBe(true);
    expect(text).not.toContain("cross-stack");
  });

  test("a stack in another one has a Platform and names of its own", () => {
    expect(() =>
      synthesized(engine, ({ tenant }) => {
        for (const stack of [tenant, new TerraformStack(tenant, "nested")]) {
          const platform = new Platform(stack, "platform", { engine });
          cluster(stack, "eu", provider(stack), { platform });
        }
      }),
    ).not.toThrow();
  });
});
