import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { cluster, provider, size } from "../support/capvs";
import { addCluster, addProvider } from "../support/live-objects";
import { backends, providerBackend } from "../support/tools";
import { failed, type StackFixture } from "./stack-fixture";
import { inRest, testInRest, testOn } from "./test-on-backends";

const posts = (fixture: StackFixture) => fixture.writes().filter((write) => write.startsWith("POST"));

testInRest("a live object is adopted without a request, a missing one is created, and the stack owns both", async (fixture) => {
  const { simulator, workspace } = fixture;
  addProvider(simulator);
  for (const name of ["prod", "stage"]) addCluster(simulator, name);
  workspace.synth((stack) => {
    fixture.platform(stack);
    const on = provider(stack, "vsphere", { adopt: true });
    for (const name of ["prod", "stage", "next"]) cluster(stack, name, on, { adopt: true });
  });
  const output = await fixture.converges();
  for (const adopted of ["capvs provider vsphere: adopted", "cluster prod: adopted", "cluster stage: adopted"])
    expect(output).toContain(adopted);
  expect(output).toContain("cluster next: nothing to adopt, because the name is free; creating it");
  expect(fixture.happened().slice(3)).toEqual(["+next"]);
  expect(posts(fixture)).toHaveLength(1);

  fixture.declareNothing();
  await fixture.applied();
  expect(fixture.live()).toEqual([]);
});

testOn(inRest([providerBackend]))(
  "adopt and importFrom take over what matches without a request, and refuse the rest at plan time, field by field",
  async (fixture) => {
    const { simulator, workspace } = fixture;
    addProvider(simulator);
    addProvider(simulator, "other");
    for (const name of ["adopted", "imported"]) addCluster(simulator, name);
    const writes = fixture.writes();
    const declare = ({ count = 3, podSubnet = "10.244.0.0/16", adopts = ["adopted"], imports = ["imported"], takes = true }) =>
      workspace.synth((stack) => {
        fixture.platform(stack);
        const on = provider(stack);
        provider(stack, "other", { adopt: takes });
        if (takes) on.importFrom();
        const props = { controlPlane: { count, ...size }, podSubnet };
        for (const name of adopts) cluster(stack, name, on, { ...props, adopt: takes });
        const imported = imports.map((name) => cluster(stack, name, on, props));
        if (takes) imported.forEach((each) => each.importFrom());
      });

    declare({ count: 5, podSubnet: "10.200.0.0/16" });
    const refused = failed(await workspace.run(["plan", "-input=false"]));
    for (const how of ["adopted", "imported"]) {
      expect(refused).toContain(
        `cluster ${how} cannot be ${how}, because it differs from its declaration: controlPlane.count is 3, declared is 5; ` +
          "podSubnet is 10.244.0.0/16, declared is 10.200.0.0/16",
      );
    }
    declare({ imports: ["none"] });
    expect(failed(await workspace.run(["plan", "-input=false"]))).toContain("cluster none cannot be imported: it is not on");

    declare({});
    await fixture.converges();
    declare({ takes: false });
    expect((await workspace.plan()).map(({ actions }) => actions.join())).toEqual(["update", "update"]);
    await fixture.converges();
    expect(fixture.writes()).toEqual(writes);

    // If no object has the name, adopt creates the object.
    declare({ adopts: ["adopted", "next"] });
    await fixture.converges();
    expect(fixture.writes().slice(writes.length)).toHaveLength(1);
  },
);

testOn(inRest([...backends, providerBackend]))(
  "retain and adopt in one apply correct a declaration that the lists do not show",
  async (fixture) => {
    const declare = (productVersion: string, correcting = false) =>
      fixture.workspace.synth((stack) => {
        fixture.platform(stack, { deletionProtection: ["prod"], retain: correcting ? ["prod"] : [] });
        cluster(stack, "prod", provider(stack), { productVersion, adopt: correcting });
      });
    declare("2.5.0");
    await fixture.converges();
    const writes = fixture.writes();
    declare("2.6.0");
    expect(await fixture.failed()).toContain("Keep it: undo the change");
    declare("2.6.0", true);
    await fixture.applied();
    declare("2.6.0");
    await fixture.converges();
    expect(fixture.writes()).toEqual(writes);
  },
);

testOn(inRest([...backends, providerBackend]))(
  "terraform test takes over no live object, because it deletes everything at its end",
  async (fixture) => {
    const { simulator, workspace } = fixture;
    addProvider(simulator);
    addCluster(simulator, "prod");
    workspace.synth((stack) => {
      fixture.platform(stack, { deletionProtection: false });
      cluster(stack, "prod", provider(stack, "vsphere", { adopt: true }), { adopt: true });
    });
    writeFileSync(join(workspace.stackFolder, "a.tftest.hcl"), 'run "a" {\n  command = apply\n}\n');
    const { status, output } = await workspace.run(["test"]);
    expect(status).toBe(1);
    expect(output.replaceAll(/[\s│]+/g, " ")).toContain(
      "capvs provider vsphere is on the service, and terraform test would delete it at its end",
    );
    expect(fixture.writes()).toEqual([]);
  },
);
