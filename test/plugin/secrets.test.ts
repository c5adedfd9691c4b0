import { isAtLeast } from "../support/tools";
import { cluster, controlPlane, programs, provider, ready, testOnPrograms } from "./plugin-fixture";

testOnPrograms(
  "a replacement deletes nothing while a secret is missing, and a removal needs none",
  async (stack) => {
    const declare = (count: number) =>
      stack.write([
        provider(),
        cluster("prod", {
          control_plane: controlPlane(count),
          body_overrides: '{ cluster = { extra = [{ "$secret" = { env = "EXTRA" } }] } }',
        }),
        ready(["prod"]),
      ]);
    stack.env.EXTRA = "s3cret";
    declare(3);
    await stack.applied();
    expect(stack.simulator.clusters[0]!.body.cluster).toMatchObject({ extra: ["s3cret"] });
    const writes = stack.writes().length;
    delete stack.env.EXTRA;
    expect(await stack.changes()).toEqual([]);
    const refusal =
      "cluster prod is not deleted, because it could not be created again: bodyOverrides.cluster.extra[0]: the environment variable EXTRA is not set";
    for (const [count, args] of [
      [3, ["-replace=clusterplatform_capvs_cluster.prod"]],
      [5, []],
    ] as const) {
      declare(count);
      expect(await stack.failed({ args })).toContain(refusal);
      expect(stack.writes()).toHaveLength(writes);
    }
    await stack.applied({ env: { EXTRA: "new" } });
    expect(stack.simulator.clusters[0]!.body.cluster).toMatchObject({ extra: ["new"] });

    declare(4);
    expect(await stack.failed()).toContain(refusal);
    await stack.applied({ args: ["-destroy"] });
    expect(stack.simulator.clusters).toEqual([]);
  },
  { acceptUnknownFields: true },
);

testOnPrograms(
  "a replacement is refused in the plan while the value of a secret is no text",
  async (stack) => {
    const declare = (count: number) =>
      stack.write([
        variable,
        provider(),
        cluster("prod", {
          control_plane: controlPlane(count),
          body_overrides_wo: '{ cluster = { extra = { "$secret" = { value = var.extra } } } }',
        }),
        ready(["prod"]),
      ]);
    const variable = 'variable "extra" {\n  type = any\n  ephemeral = true\n}\n';
    stack.env.TF_VAR_extra = '"s3cret"';
    declare(3);
    await stack.applied();
    const writes = stack.writes().length;
    declare(5);
    for (const value of ["5", "null", '""', "[]"]) {
      expect(await stack.failed({ env: { TF_VAR_extra: value } })).toMatch(
        /a secret cannot be resolved; nothing was sent: bodyOverrides\.cluster\.extra: the token of Secret\.fromToken.*\[MISSING_SECRET\]/,
      );
      expect(stack.writes()).toHaveLength(writes);
    }
    await stack.applied();
    expect(stack.happened().slice(-2)).toEqual(["-prod", "+prod"]);
  },
  { acceptUnknownFields: true, some: programs.filter(({ binary }) => isAtLeast(binary, { terraform: 11, openTofu: 11 })) },
);

testOnPrograms(
  "the URL in the provider block may be an ephemeral variable",
  async (stack) => {
    const { url } = stack.simulator;
    stack.env = { ...stack.env, CLUSTER_PLATFORM_URL: undefined, TF_VAR_url: url };
    const variable = 'variable "url" {\n  type = string\n  ephemeral = true\n}\n';
    stack.write([variable, provider(), cluster("prod"), ready(["prod"])], "url = var.url");
    await stack.applied();
    expect(await stack.changes()).toEqual([]);
    expect(stack.attributes("clusterplatform_capvs_cluster.prod")).toMatchObject({ service: url });
  },
  { some: programs.filter(({ binary }) => isAtLeast(binary, { terraform: 10, openTofu: 11 })) },
);
