import { succeeded } from "../terraform/stack-fixture";
import { cluster, controlPlane, provider, testOnPrograms, testOnProgramsInRest } from "./plugin-fixture";

/** The plan refuses every way to lose a protected object, and one line allows it. */

testOnPrograms("the plan refuses every loss of a protected cluster, and names the line that allows it", async (stack) => {
  const onObject = { deletion_protection: "true" };
  stack.write([provider(), cluster("prod", onObject), cluster("test")]);
  await stack.applied();
  const allow = 'write allowDeletion: ["capvs/clusters/prod"] on the Platform';
  const address = "clusterplatform_capvs_cluster.prod";
  const writes = stack.writes().length;

  const removed = [provider(), cluster("test")];
  stack.write(removed);
  const removal = await stack.refused();
  expect(removal).toContain("[PROTECTED] cluster prod is protected, and the plan deletes it; nothing was sent");
  expect(removal).toContain(allow);

  stack.write([provider(), cluster("prod", { ...onObject, control_plane: controlPlane(5), secure: "false" }), cluster("test")]);
  const replacement = await stack.refused();
  expect(replacement).toContain(
    "[PROTECTED] cluster prod is protected, and the plan replaces it: control_plane.count changes from 3 to 5, secure changes from not set to false; nothing was sent",
  );
  expect(replacement).toContain(allow);
  expect(replacement).toContain("Keep it: undo the change");

  // A change of the object's name would delete the live object.
  stack.write([provider(), cluster("other", onObject, "prod"), cluster("test")]);
  expect(await stack.refused()).toMatch(/\[PROTECTED\] .*name changes from prod to other; nothing was sent/);

  stack.write([provider(), cluster("prod", onObject), cluster("test")]);
  for (const args of [[`-replace=${address}`], [`-replace=${address}`, "-refresh=false"]]) {
    const replaced = await stack.refused(...args);
    expect(replaced).toContain(
      "cluster prod is protected, and the plan replaces it, because of -replace, a taint or replace_triggered_by",
    );
    expect(replaced).toContain(allow);
  }
  expect(await stack.refused("-destroy")).toMatch(/\[PROTECTED\] .*and the plan deletes it; nothing was sent/);
  expect(await stack.run(["taint", address])).toMatchObject({ status: 0 });
  expect(await stack.refused()).toContain("replaces it, because of -replace, a taint or replace_triggered_by");
  expect(await stack.run(["untaint", address])).toMatchObject({ status: 0 });

  // The state keeps the protection after block and patterns are removed.
  stack.write([]);
  const byState = await stack.refused();
  expect(byState).toContain("cluster prod is protected");
  expect(byState).toContain(`${allow}. The state still protects what the code does not: apply once without this deletion`);
  expect(stack.writes()).toHaveLength(writes);

  // Unprotected objects can be replaced and tainted.
  stack.write([provider(), cluster("prod", onObject), cluster("test")]);
  expect(await stack.run(["taint", "clusterplatform_capvs_cluster.test"])).toMatchObject({ status: 0 });
  await stack.applied();
  expect(stack.happened().slice(-2)).toEqual(["-test", "+test"]);

  stack.write(removed, 'allow_deletion = ["prod"]');
  await stack.applied();
  expect(stack.happened().at(-1)).toBe("-prod");
});

testOnProgramsInRest(
  "patterns of the provider block protect, retain keeps, and turning a protection off sends nothing",
  async (stack) => {
    const patterns = 'deletion_protection = ["pr*"]';
    stack.write([provider(), cluster("prod"), cluster("kept")], patterns);
    await stack.applied();
    stack.write([provider()], patterns);
    const byPattern = await stack.refused();
    expect(byPattern).toContain("cluster prod is protected");
    expect(byPattern).not.toContain("The state still protects");

    stack.write([provider(), cluster("prod"), cluster("kept", { control_plane: controlPlane(5) })], 'retain = ["kept"]');
    expect(await stack.refused()).toContain(
      "cluster kept is kept on the service by the Platform's retain, and the plan replaces it",
    );

    stack.write([provider(), cluster("prod", { deletion_protection: "true" })], 'retain = ["kept"]');
    const forgotten = await stack.applied();
    expect(forgotten).toContain("cluster kept: left on the service (retain); Terraform forgets it");
    expect(stack.happened()).not.toContain("-kept");

    // A new declaration must adopt the object. Otherwise its name is taken.
    stack.write([provider(), cluster("prod", { deletion_protection: "true" }), cluster("kept")]);
    const taken = await stack.refused();
    expect(taken).toContain("the service already has cluster kept (a capvs cluster on provider vsphere");
    expect(taken).toContain("apply once with CLUSTER_PLATFORM_ADOPT=capvs/clusters/kept");
    stack.write([provider(), cluster("prod", { deletion_protection: "false" }), cluster("kept", { adopt: "true" })]);
    const writes = stack.writes().length;
    await stack.applied();
    expect(stack.writes()).toHaveLength(writes);

    // Terraform must not create the successor before it deletes the old object.
    const backwards = "  lifecycle {\n    create_before_destroy = true\n  }\n}\n";
    const block = cluster("prod", { adopt: "true" }).replace(/\}\n$/, backwards);
    stack.write([provider(), block, cluster("kept")]);
    await stack.applied();
    const grown = block.replace("memory_mib = 8192", "memory_mib = 16384");
    stack.write([provider(), grown, cluster("kept")]);
    const address = "clusterplatform_capvs_cluster.prod";
    const wayOut = `remove create_before_destroy from the resource's lifecycle, declare the live values, run terraform state rm ADDRESS, and apply with CLUSTER_PLATFORM_ADOPT=capvs/clusters/prod`;
    expect(await stack.failed()).toContain(wayOut);
    expect(await stack.refused()).toContain("cluster prod has two addresses in the code, the state or both");
    succeeded(await stack.run(["state", "rm", address]));
    stack.write([provider(), cluster("prod"), cluster("kept")]);
    await stack.applied({ env: { CLUSTER_PLATFORM_ADOPT: "capvs/clusters/prod" } });
    expect(stack.attributes(address).control_plane).toMatchObject({ memory_mib: 8192 });

    expect(stack.happened()).not.toContain("-prod");
  },
);
