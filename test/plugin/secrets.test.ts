import { isAtLeast } from "../support/tools";
import { cluster, controlPlane, programs, provider, ready, testOnPrograms, testOnProgramsInRest } from "./plugin-fixture";

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

testOnProgramsInRest("a move to a new provider deletes nothing while a secret of that provider is missing", async (stack) => {
  const registered = (name: string) => provider(name, { password: '{ env = "PASSWORD" }' });
  const on = (name: string) => cluster("prod", { provider_name: `clusterplatform_capvs_provider.${name}.name` });
  stack.env.PASSWORD = "s3cret";
  stack.write([registered("eu"), on("eu"), ready(["prod"])]);
  await stack.applied();
  const writes = stack.writes().length;
  delete stack.env.PASSWORD;

  stack.write([registered("us"), registered("eu"), on("us"), ready(["prod"])]);
  expect(await stack.failed()).toContain(
    "clusterplatform_capvs_provider.us: a secret cannot be resolved; cluster prod is not deleted, because it could not be created again",
  );
  expect(stack.writes()).toHaveLength(writes);
  // The provider is registered anew, and its cluster with it.
  stack.write([registered("eu"), on("eu"), ready(["prod"])]);
  const replace = ["eu", "prod"].map(
    (name) => `-replace=clusterplatform_capvs_${name === "eu" ? "provider" : "cluster"}.${name}`,
  );
  expect(await stack.failed({ args: replace })).toContain(
    "clusterplatform_capvs_provider.eu: a secret cannot be resolved; cluster prod is not deleted",
  );
  expect(stack.writes()).toHaveLength(writes);

  stack.write([registered("us"), registered("eu"), on("us"), ready(["prod"])]);
  await stack.applied({ env: { PASSWORD: "new" } });
  expect(stack.simulator.clusters).toMatchObject([{ name: "prod", provider: "us" }]);
});

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
