import { cluster, controlPlane, provider, ready, testOnPrograms } from "./plugin-fixture";

/** An apply and its effect on objects: docs/lifecycle.md with the provider engine. */

testOnPrograms("an apply creates in order, shows live attributes, then plans nothing, and deletes in reverse", async (stack) => {
  stack.write([provider(), cluster("prod"), cluster("test"), ready(["prod", "test"])]);
  await stack.applied();
  expect(stack.happened()[0]).toBe("+vsphere");
  expect(stack.happened().slice(1).sort()).toEqual(["+prod", "+test"]);
  expect(stack.attributes("clusterplatform_ready.ready")).toMatchObject({
    phases: { "capvs/clusters/prod": "Provisioned", "capvs/clusters/test": "Provisioned" },
    endpoints: { "capvs/clusters/prod": expect.stringContaining("192.168.0.1") },
  });
  expect(stack.attributes("clusterplatform_capvs_provider.vsphere")).toMatchObject({ kubernetes_versions: ["v1.28.3"] });
  expect(stack.attributes("clusterplatform_capvs_cluster.prod")).toMatchObject({
    service: stack.simulator.url,
    drift: null,
    secure: null,
  });
  const asked = stack.simulator.requests.length;
  expect(await stack.changes()).toEqual([]);
  // One list of each kind serves four resources.
  expect(stack.simulator.requests.length - asked).toBe(2);

  // A written default, the place of a secret and the path of a construct change no object.
  stack.write([
    provider("vsphere", { clone_mode: '"linkedClone"', password: '{ file = "password" }' }),
    cluster("prod", { secure: "true", declared_at: '"stack/prod"' }),
    cluster("test"),
    ready(["prod", "test"]),
  ]);
  const writes = stack.writes().length;
  expect((await stack.changes()).sort()).toEqual([
    "update clusterplatform_capvs_cluster.prod",
    "update clusterplatform_capvs_provider.vsphere",
  ]);
  await stack.applied();
  expect(stack.writes()).toHaveLength(writes);

  const { id, uid } = stack.attributes("clusterplatform_capvs_cluster.prod");
  expect(id).toBe("capvs/clusters/prod");
  stack.write([
    provider("vsphere", { clone_mode: '"linkedClone"', password: '{ file = "password" }' }),
    cluster("prod", { secure: "true", control_plane: controlPlane(5), declared_at: '"stack/moved/prod"' }),
    ready(["prod"]),
  ]);
  const { changes, output } = await stack.plan();
  expect(output).toMatch(/count\s+= 3 -> 5 # forces replacement/);
  expect(changes.map(({ address, actions }) => `${actions.join("-")} ${address}`).sort()).toEqual([
    "delete clusterplatform_capvs_cluster.test",
    "delete-create clusterplatform_capvs_cluster.prod",
    "update clusterplatform_ready.ready",
  ]);
  await stack.applied();
  expect(stack.happened().slice(3).sort()).toEqual(["+prod", "-prod", "-test"]);
  const after = stack.attributes("clusterplatform_capvs_cluster.prod");
  expect([after.id, after.uid]).toEqual([id, expect.not.stringMatching(String(uid))]);
  expect(await stack.changes()).toEqual([]);

  expect(await stack.destroy()).toMatchObject({ status: 0 });
  expect(stack.happened().slice(-2)).toEqual(["-prod", "-vsphere"]);
});
