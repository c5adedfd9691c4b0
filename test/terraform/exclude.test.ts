import { Engine } from "../../src/constructs/engine";
import { cluster, provider } from "../support/capvs";
import { newOpenTofuBackends } from "../support/tools";
import { inRest, testOn } from "./test-on-backends";

/** OpenTofu's `-exclude`, which leaves a resource and everything that depends on it out of an apply. */

testOn(inRest(newOpenTofuBackends))(
  "-exclude deletes nothing that is protected, and the next apply does the rest",
  async (fixture) => {
    const isProvider = fixture.engine === Engine.PROVIDER;
    const prod = isProvider ? "clusterplatform_capvs_cluster.prod" : fixture.address("prod");
    const check = isProvider ? "clusterplatform_ready.ready" : "terraform_data.cluster_platform_ready";
    const without = (address: string) => ({ args: [`-exclude=${address}`] });
    const deletionProtection = true;
    fixture.declare(["prod", "stage"], { deletionProtection });
    await fixture.applied();
    const writes = fixture.writes();

    fixture.declare(["stage"], { deletionProtection });
    const refused = await fixture.failed(without(check));
    expect(refused).toMatch(/\[PROTECTED\].*cluster prod is protected.* nothing was sent/);
    if (!isProvider) expect(refused).toContain("The deletion guard did not stop the whole apply");

    fixture.declare(["stage"], { deletionProtection, allowDeletion: ["prod"] });
    if (isProvider) await fixture.applied(without(prod));
    else expect(await fixture.failed(without(prod))).toMatch(/\[STILL_LIVE\].*or this run has -target, -exclude or -replace/);
    expect(fixture.writes()).toEqual(writes);

    await fixture.applied(without(check));
    expect(fixture.happened().slice(-1)).toEqual(["-prod"]);
    fixture.declare(["stage", "prod"], { deletionProtection });
    await fixture.applied(without(check));
    await fixture.converges();
    expect(fixture.live()).toEqual(["prod", "stage", "vsphere"]);
  },
);

testOn(inRest(newOpenTofuBackends.filter(({ engine }) => engine === Engine.PROVIDER)))(
  "with the provider, -exclude leaves out a plain edit, and the next apply carries it out",
  async (fixture) => {
    const declare = (productVersion: string, names = ["prod", "stage"]) =>
      fixture.workspace.synth((stack) => {
        fixture.platform(stack, { deletionProtection: ["prod"] });
        const on = provider(stack);
        for (const name of names) cluster(stack, name, on, { productVersion });
      });
    const without = (address: string) => ({ args: [`-exclude=${address}`] });
    const [prod, stage] = ["prod", "stage"].map((name) => `clusterplatform_capvs_cluster.${name}`);
    declare("2.5.0");
    await fixture.converges();
    declare("2.6.0");
    expect(await fixture.failed(without(stage!))).toContain("cluster prod is protected, and the plan replaces it");
    expect(await fixture.applied(without(prod!))).toContain("1 added, 0 changed, 1 destroyed");
    expect(fixture.happened().slice(3)).toEqual(["-stage", "+stage"]);
    expect(await fixture.failed()).toContain("cluster prod is protected, and the plan replaces it");
    declare("2.5.0", ["prod"]);
    const fields = fixture.writes();
    expect(await fixture.applied(without(stage!))).toContain("0 added, ");
    expect(fixture.writes()).toEqual(fields);
    await fixture.converges();
    expect(fixture.live()).toEqual(["prod", "vsphere"]);
  },
);
