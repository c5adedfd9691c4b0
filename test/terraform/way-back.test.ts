import { Engine } from "../../src/constructs/engine";
import { cluster, provider } from "../support/capvs";
import { allBackends, isAtLeast } from "../support/tools";
import { succeeded } from "./stack-fixture";
import { inRest, testOn } from "./test-on-backends";

/** The switch from the provider to an engine with hooks. */

const migrates = allBackends.filter(({ binary }) => isAtLeast(binary, { terraform: 9, openTofu: 10 }));

testOn(inRest(migrates))(
  "objects move from the provider to hooks without a request, if nothing else changes",
  async (fixture) => {
    const { workspace, engine } = fixture;
    fixture.declare(["prod", "my.stage"], { engine: Engine.PROVIDER });
    await fixture.applied();
    const before = fixture.writes();

    const migrated = { engine, migrateFrom: Engine.PROVIDER };
    workspace.synth((stack) => {
      fixture.platform(stack, migrated);
      cluster(stack, "prod", provider(stack), { podSubnet: "10.9.0.0/16" });
    });
    const refused = await fixture.failed();
    expect(refused).toContain("cluster my.stage cannot move to an engine with hooks, because it leaves the code");
    expect(refused).toContain("podSubnet changes from 10.244.0.0/16 to 10.9.0.0/16");

    // Nothing was forgotten, and a new cluster is created.
    fixture.declare(["prod", "my.stage", "new"], migrated);
    await fixture.converges();
    expect(fixture.writes().slice(before.length)).toHaveLength(1);

    succeeded(await workspace.run(["state", "rm", "clusterplatform_ready.ready"]));
    fixture.declare(["prod", "my.stage", "new"]);
    expect(await workspace.plan()).toEqual([]);
    await workspace.destroy();
    expect(fixture.live()).toEqual([]);
  },
);
