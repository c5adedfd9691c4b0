import { cluster, controlPlane, provider, testOnPrograms } from "./plugin-fixture";

/** Every way in which a protected object could be lost is refused by the plan, and one line lets it pass. */

testOnPrograms("refuses to lose a protected cluster in every way, and names the line that allows it", async (stack) => {
  const onObject = { deletion_protection: "true" };
  stack.write([provider(), cluster("prod", onObject), cluster("test")]);
  await stack.applied();
  const allow = 'write allowDeletion: ["prod"] on the Platform';
  const address = "clusterplatform_capvs_cluster.prod";
  const writes = stack.writes().length;

  const removed = [provider(), cluster("test")];
  stack.write(removed);
  const removal = await stack.refused();
  expect(removal).toContain("cluster prod is protected from deletion, and the plan deletes it [PROTECTED]");
  expect(removal).toContain(allow);

  stack.write([provider(), cluster("prod", { ...onObject, control_plane: controlPlane(5), secure: "false" }), cluster("test")]);
  const replacement = await stack.refused();
  expect(replacement).toContain(
    "the plan replaces it: control_plane.count changes from 3 to 5, secure changes from its default to false [PROTECTED]",
  );
  expect(replacement).toContain(allow);

  // Another name for the object is the loss of the one that lives.
  stack.write([provider(), cluster("other", onObject, "prod"), cluster("test")]);
  expect(await stack.refused()).toContain("name changes from prod to other [PROTECTED]");

  stack.write([provider(), cluster("prod", onObject), cluster("test")]);
  for (const args of [[`-replace=${address}`], [`-replace=${address}`, "-refresh=false"]]) {
    const replaced = await stack.refused(...args);
    expect(replaced).toContain(
      "cluster prod is protected from deletion, and the plan replaces it, as -replace, a taint or replace_triggered_by asks for",
    );
    expect(replaced).toContain(allow);
  }
  expect(await stack.refused("-destroy")).toContain("and the plan deletes it [PROTECTED]");
  expect(await stack.run(["taint", address])).toMatchObject({ status: 0 });
  expect(await stack.refused()).toContain("replaces it, as -replace, a taint or replace_triggered_by asks for");
  expect(await stack.run(["untaint", address])).toMatchObject({ status: 0 });

  // The state keeps the protection, although block and patterns are gone.
  stack.write([]);
  expect(await stack.refused()).toContain("cluster prod is protected from deletion");
  expect(stack.writes()).toHaveLength(writes);

  // What is not protected is replaced and tainted as ever.
  stack.write([provider(), cluster("prod", onObject), cluster("test")]);
  expect(await stack.run(["taint", "clusterplatform_capvs_cluster.test"])).toMatchObject({ status: 0 });
  await stack.applied();
  expect(stack.happened().slice(-2)).toEqual(["-test", "+test"]);

  stack.write(removed, 'allow_deletion = ["prod"]');
  await stack.applied();
  expect(stack.happened().at(-1)).toBe("-prod");
});

testOnPrograms(
  "protects by patterns of the provider block, retains, and turns a protection off without a request",
  async (stack) => {
    const patterns = 'deletion_protection = ["pr*"]';
    stack.write([provider(), cluster("prod"), cluster("kept")], patterns);
    await stack.applied();
    stack.write([provider()], patterns);
    expect(await stack.refused()).toContain("cluster prod is protected from deletion");

    stack.write([provider(), cluster("prod")], `${patterns}\n  retain = ["misspelled"]`);
    expect(await stack.refused()).toContain("the Platform's retain has misspelled, and nothing of that name is on the service");

    stack.write([provider(), cluster("prod"), cluster("kept", { control_plane: controlPlane(5) })], 'retain = ["kept"]');
    expect(await stack.refused()).toContain("retain keeps the object on the service");

    stack.write([provider(), cluster("prod", { deletion_protection: "true" })], 'retain = ["kept"]');
    const forgotten = await stack.applied();
    expect(forgotten).toContain("cluster kept was left on the service (retain); Terraform forgets it");
    expect(stack.happened()).not.toContain("-kept");

    // Whoever declares it anew takes it over by saying so; else its name is taken.
    stack.write([provider(), cluster("prod", { deletion_protection: "true" }), cluster("kept")]);
    const taken = await stack.refused();
    expect(taken).toContain("the name of cluster kept is taken: a capvs cluster on provider vsphere lives there");
    expect(taken).toContain('import { to = clusterplatform_capvs_cluster.kept id = "kept" }');
    stack.write([provider(), cluster("prod", { deletion_protection: "false" }), cluster("kept", { adopt: "true" })]);
    const writes = stack.writes().length;
    await stack.applied();
    expect(stack.writes()).toHaveLength(writes);

    // A name that one address loses and another one gets would be deleted although it is declared.
    stack.write([provider(), cluster("prod"), cluster("kept", {}, "renamed")]);
    expect(await stack.refused()).toContain(
      "the plan deletes cluster kept at one address and creates it at another one [NAME_TAKEN]",
    );
    const moved = "moved {\n  from = clusterplatform_capvs_cluster.kept\n  to = clusterplatform_capvs_cluster.renamed\n}\n";
    stack.write([provider(), cluster("prod"), cluster("kept", {}, "renamed"), moved]);
    await stack.applied();
    expect(stack.writes()).toHaveLength(writes);

    // The successor cannot come before its predecessor has gone.
    const backwards = { lifecycle: "{ create_before_destroy = true }", adopt: "true", control_plane: controlPlane(3) };
    const { lifecycle, ...rest } = backwards;
    const block = cluster("prod", rest).replace(/\}\n$/, `  lifecycle ${lifecycle}\n}\n`);
    stack.write([provider(), block, cluster("kept", {}, "renamed")]);
    await stack.applied();
    const refused = await stack.failed({ args: ["-replace=clusterplatform_capvs_cluster.prod"] });
    expect(refused).toContain("Take create_before_destroy out of the resource's lifecycle");
    expect(stack.happened()).not.toContain("-prod");
  },
);
