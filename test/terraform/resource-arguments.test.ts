import { Aspects, DataResource, TerraformResource, type TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { cluster, provider, size } from "../support/capvs";
import { providerBackendsOfTerraform } from "../support/tools";
import { failed, follow, inOneLine, succeeded } from "./stack-fixture";
import { inRest, testInRest, testOn } from "./test-on-backends";

/** Arguments of cdktf's resources with the real Terraform. test/constructs/resource-arguments.test.ts has all forms. */

testOn(inRest(providerBackendsOfTerraform))(
  "dependsOn, lifecycle, overrides, Aspects and moves are those of any resource",
  async (fixture) => {
    const { workspace, simulator } = fixture;
    const declare = ({ image = "1", count = 3, disk = 60, isSplit = false, keep = false } = {}) =>
      workspace.synth((stack: TerraformStack) => {
        const platform = fixture.platform(stack, isSplit ? { name: "main" } : {});
        const network = new Construct(stack, "network");
        for (const id of ["subnet", "routes"]) new DataResource(network, id).overrideLogicalId(id);
        const trigger = new DataResource(stack, "image", { input: { image } });

        const on = provider(stack, "vsphere", { platform, dependsOn: [network] });
        // The Platform gets a name, and both clusters move in the tree.
        const scope = isSplit ? new Construct(stack, "moved") : stack;
        const hub = cluster(scope, "hub", on, {
          platform,
          controlPlane: { ...size, count },
          lifecycle: { ignoreChanges: ["controlPlane.count"], replaceTriggeredBy: [trigger] },
        });
        const tenant = cluster(scope, "tenant", on, { platform, controlPlane: { ...size, diskGib: disk, count: 3 } });
        tenant.node.addDependency(hub);
        tenant.addOverride("control_plane.count", 5);
        if (isSplit) {
          on.moveFromId("clusterplatform_capvs_provider.vsphere");
          hub.moveFromId("clusterplatform_capvs_cluster.hub");
          tenant.moveFromId("clusterplatform_capvs_cluster.tenant");
        }
        Aspects.of(stack).add({
          visit: (node) => {
            if (keep && TerraformResource.isTerraformResource(node)) node.lifecycle = { ...node.lifecycle, preventDestroy: true };
          },
        });
      });

    declare();
    const output = await fixture.converges();
    for (const id of ["subnet", "routes"]) {
      follow(output, `terraform_data.${id}: Creation complete`, "clusterplatform_capvs_provider.vsphere: Creating");
    }
    follow(
      output,
      "clusterplatform_capvs_cluster.hub: Creation complete",
      "clusterplatform_ready.capvs_cluster_ready_hub: Creation complete",
      "clusterplatform_capvs_cluster.tenant: Creating",
    );
    expect(JSON.stringify(simulator.clusters.find(({ name }) => name === "tenant")!.body)).toContain(
      '"controlPlaneNodesCount":5',
    );

    // Ignored changes plan nothing.
    declare({ count: 5 });
    expect(await workspace.plan()).toEqual([]);

    // Neither does another place in the tree, or another address with a moved block.
    declare({ isSplit: true });
    const moved = await workspace.plan();
    expect(moved.filter(({ address }) => !address.startsWith("clusterplatform_ready."))).toEqual([]);
    const writes = fixture.writes();
    await fixture.converges();
    expect(fixture.writes()).toEqual(writes);

    declare({ isSplit: true, disk: 80, keep: true });
    const prevented = await workspace.run(["plan", "-input=false"]);
    expect(failed(prevented)).toContain("clusterplatform_capvs_cluster.main_tenant has lifecycle.prevent_destroy set");

    declare({ isSplit: true, image: "2" });
    const replaced = (await workspace.plan()).map(({ address, actions }) => `${actions.join("+")} ${address}`);
    expect(replaced).toContain("delete+create clusterplatform_capvs_cluster.main_hub");
    expect(replaced.filter((change) => change.includes("tenant"))).toEqual([]);

    const destroyed = inOneLine(succeeded(await workspace.destroy()));
    follow(
      destroyed,
      "clusterplatform_capvs_cluster.main_tenant: Destruction complete",
      "clusterplatform_capvs_cluster.main_hub: Destroying",
      "clusterplatform_capvs_provider.main_vsphere: Destruction complete",
      "terraform_data.subnet: Destroying",
    );
    expect(fixture.live()).toEqual([]);
  },
);

testInRest("with hooks, all clusters of a type wait for what one of them depends on, and go before it", async (fixture) => {
  fixture.workspace.synth((stack) => {
    const platform = fixture.platform(stack);
    const gate = new DataResource(stack, "gate");
    const on = provider(stack);
    cluster(stack, "prod", on, { dependsOn: [gate] });
    cluster(stack, "stage", on);
    new DataResource(stack, "after", { dependsOn: [platform] });
  });
  const output = await fixture.converges();
  for (const name of ["prod", "stage"]) follow(output, "terraform_data.gate: Creation complete", `cluster ${name}: creating`);
  follow(output, "terraform_data.cluster_platform_ready: Creation complete", "terraform_data.after: Creating");
  const destroyed = succeeded(await fixture.workspace.destroy());
  for (const name of ["prod", "stage"]) follow(destroyed, `cluster ${name}: deleted`, "terraform_data.gate: Destroying");
});

testOn(inRest(providerBackendsOfTerraform))("ignoreChanges of everything ignores no protection", async (fixture) => {
  const declare = (deletionProtection: boolean | string[], productVersion = "2.5.0", names = ["prod"]) =>
    fixture.workspace.synth((stack) => {
      fixture.platform(stack, { deletionProtection });
      const on = provider(stack);
      for (const name of names) cluster(stack, name, on, { productVersion, lifecycle: { ignoreChanges: "all" } });
    });
  declare(false);
  await fixture.converges();
  const writes = fixture.writes();

  declare(["prod"], "3.0.0");
  await fixture.converges();
  declare(false, "3.0.0", []);
  expect(await fixture.failed()).toContain("cluster prod is protected, and the plan deletes it");

  declare(false, "3.0.0");
  await fixture.converges();
  expect(fixture.writes()).toEqual(writes);
  declare(false, "3.0.0", []);
  await fixture.applied();
  expect(fixture.live()).toEqual(["vsphere"]);
});
