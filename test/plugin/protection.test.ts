import { succeeded } from "../terraform/stack-fixture";
import { clusterBody } from "../support/capvs";
import { cluster, controlPlane, provider, ready, testOnPrograms, testOnProgramsInRest } from "./plugin-fixture";

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

    stack.write([provider(), cluster("prod")], `${patterns}\n  retain = ["misspelled"]`);
    expect(await stack.refused()).toContain(
      "the Platform's retain has misspelled, which names nothing in the code and nothing on the service",
    );

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

    // A name that moves to another address would be deleted although it is declared.
    stack.write([provider(), cluster("prod"), cluster("kept", {}, "renamed")]);
    expect(await stack.refused()).toContain("cluster kept has two addresses in the code, the state or both");
    const literal = { provider_name: '"vsphere"' };
    stack.write([provider("vsphere", {}, "renamed"), cluster("prod", literal), cluster("kept", literal)]);
    expect(await stack.refused()).toContain("capvs provider vsphere has two addresses in the code, the state or both");
    const moved = "moved {\n  from = clusterplatform_capvs_cluster.kept\n  to = clusterplatform_capvs_cluster.renamed\n}\n";
    stack.write([provider(), cluster("prod"), cluster("kept", {}, "renamed"), moved]);
    await stack.applied();
    expect(stack.writes()).toHaveLength(writes);

    // Terraform must not create the successor before it deletes the old object.
    const backwards = { lifecycle: "{ create_before_destroy = true }", adopt: "true", control_plane: controlPlane(3) };
    const { lifecycle, ...rest } = backwards;
    const block = cluster("prod", rest).replace(/\}\n$/, `  lifecycle ${lifecycle}\n}\n`);
    stack.write([provider(), block, cluster("kept", {}, "renamed")]);
    await stack.applied();
    const grown = block.replace("memory_mib = 8192", "memory_mib = 16384");
    stack.write([provider(), grown, cluster("kept", {}, "renamed")]);
    const address = "clusterplatform_capvs_cluster.prod";
    const wayOut = `remove create_before_destroy from the resource's lifecycle, declare the live values, run terraform state rm ADDRESS, and apply with CLUSTER_PLATFORM_ADOPT=capvs/clusters/prod`;
    expect(await stack.failed()).toContain(wayOut);
    expect(await stack.refused()).toContain("cluster prod has two addresses in the code, the state or both");
    succeeded(await stack.run(["state", "rm", address]));
    stack.write([provider(), cluster("prod"), cluster("kept", {}, "renamed")]);
    await stack.applied({ env: { CLUSTER_PLATFORM_ADOPT: "capvs/clusters/prod" } });
    expect(stack.attributes(address).control_plane).toMatchObject({ memory_mib: 8192 });

    // Two instances of one name would both hold one object.
    const twice = cluster("twice").replace(/\}\n$/, "  count = 2\n}\n");
    stack.write([provider(), cluster("prod"), cluster("kept", {}, "renamed"), twice]);
    expect(await stack.refused()).toContain("cluster twice has two addresses in the code, the state or both");
    expect(stack.happened()).not.toContain("-prod");
  },
);

testOnProgramsInRest(
  "a destroy is refused while somebody else has the name of an object that was never created, until it leaves the code",
  async (stack) => {
    stack.write([provider()]);
    await stack.applied();
    stack.simulator.add("clusters", "capvs", clusterBody("prod", "of-somebody-else"));
    stack.write([provider(), cluster("prod"), ready(["prod"])]);
    expect(await stack.refused()).toContain("the service already has cluster prod");
    const writes = stack.writes().length;
    expect(await stack.refused("-destroy")).toContain("the service already has cluster prod");
    stack.write([provider(), ready([])]);
    await stack.applied({ args: ["-destroy"] });
    expect(stack.writes().slice(writes)).toEqual(["DELETE /api/v1/platform/providers/capvs/vsphere"]);
    expect(stack.simulator.clusters.map(({ name }) => name)).toEqual(["prod"]);
  },
);

testOnPrograms("a -target deletes no object that the code declares at another address, unless it is a destroy", async (stack) => {
  stack.write([provider(), cluster("prod")]);
  await stack.applied();
  const writes = stack.writes();
  const [from, to] = ["clusterplatform_capvs_cluster.prod", "clusterplatform_capvs_cluster.stage"];
  expect(await stack.run(["state", "mv", from, to])).toMatchObject({ status: 0 });
  expect(await stack.refused(`-target=${to}`)).toContain("[MISPLACED]");
  expect(stack.writes()).toEqual(writes);
  expect(await stack.run(["destroy", "-auto-approve", `-target=${to}`])).toMatchObject({ status: 0 });
});
