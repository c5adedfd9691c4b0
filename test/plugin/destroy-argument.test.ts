import { isAtLeast, isOpenTofu } from "../support/tools";
import { cluster, controlPlane, programs, provider, testOnPrograms } from "./plugin-fixture";

/** `destroy = false` in the lifecycle of a handwritten block. The constructs refuse it. */

testOnPrograms(
  "destroy = false lifts no protection: OpenTofu forgets, and Terraform is refused",
  async (stack) => {
    const forgets = isOpenTofu(stack.binary);
    const kept = (name: string, count = 3) =>
      cluster(name, { deletion_protection: "true", control_plane: controlPlane(count) }).replace(
        /}\n$/,
        "  lifecycle {\n    destroy = false\n  }\n}\n",
      );
    stack.write([provider(), kept("prod"), kept("stage")]);
    await stack.applied();
    const writes = stack.writes();

    stack.write([provider(), kept("prod", 5), kept("stage")]);
    expect(await stack.refused()).toContain("cluster prod is protected, and the plan replaces it");

    stack.write([provider(), kept("prod")]);
    if (forgets) {
      expect(await stack.applied()).toContain("0 added, 0 changed, 0 destroyed, 1 forgotten");
    } else {
      expect(await stack.refused()).toContain("cluster stage is protected, and the plan deletes it");
    }

    // The plan of a replacement looks the same to the provider, so the create finds the name taken.
    stack.write([provider(), kept("prod", 5)], 'allow_deletion = ["prod", "stage"]');
    if (forgets) {
      const { changes } = await stack.plan();
      expect(changes.map(({ actions }) => actions)).toEqual([["forget", "create"]]);
      expect(await stack.failed()).toMatch(
        /\[NAME_TAKEN\].*the service already has cluster prod.*CLUSTER_PLATFORM_ADOPT=capvs\/clusters\/prod/,
      );
      expect(stack.writes()).toEqual(writes);
    } else {
      expect(await stack.changes()).toEqual([
        "delete-create clusterplatform_capvs_cluster.prod",
        "delete clusterplatform_capvs_cluster.stage",
      ]);
    }
  },
  { some: programs.filter(({ binary }) => isAtLeast(binary, { terraform: 16, openTofu: 12 })) },
);
