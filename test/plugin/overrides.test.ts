import { inRest } from "../terraform/test-on-backends";
import { cluster, programs, provider, testOnPrograms } from "./plugin-fixture";

/** What a change of bodyOverrides is to a plan, and what the service gets. */

const overriding = (json: string) => [provider(), cluster("prod", { body_overrides: `{ cluster = { extra = ${json} } }` })];
const SECRET = '{ "$secret" = { env = "EXTRA" } }';

testOnPrograms(
  "every change of the JSON in bodyOverrides replaces the cluster, and is sent as it is declared",
  async (stack) => {
    stack.env.EXTRA = "s3cret";
    const steps: readonly (readonly [json: string, sent: unknown])[] = [
      ["[3]", [3]],
      ['["3"]', ["3"]],
      ['["a", "b"]', ["a", "b"]],
      ['["a, b"]', ["a, b"]],
      ["[null]", [null]],
      ['["null"]', ["null"]],
      ['["null", {}]', ["null", {}]],
      [`[{ name = "a", key = ${SECRET} }]`, [{ name: "a", key: "s3cret" }]],
      [`[{ name = "b", key = ${SECRET} }]`, [{ name: "b", key: "s3cret" }]],
      ['[{ name = "b" }]', [{ name: "b" }]],
      ["9007199254740991", 9007199254740991],
    ];
    for (const [index, [json, sent]] of steps.entries()) {
      stack.write(overriding(json));
      if (index > 0) expect([json, await stack.changes()]).toEqual([json, ["delete-create clusterplatform_capvs_cluster.prod"]]);
      await stack.applied();
      expect(stack.simulator.clusters.map(({ body }) => (body.cluster as { extra: unknown }).extra)).toEqual([sent]);
      expect([json, await stack.changes({ env: { EXTRA: "another" } })]).toEqual([json, []]);
    }
    // JavaScript would round it.
    stack.write(overriding("9007199254740993"));
    expect(await stack.refused()).toContain("9007199254740993");
    expect(stack.state()).not.toContain("s3cret");
  },
  { some: inRest(programs), acceptUnknownFields: true },
);
