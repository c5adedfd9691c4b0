import { randomBytes } from "node:crypto";
import { TerraformResource, TerraformVariable } from "cdktf";
import type { JsonObject } from "../../src/model/provider-type";
import { Engine } from "../../src/constructs/engine";
import { Secret } from "../../src/constructs/secret";
import { cluster, provider, size } from "../support/capvs";
import { backends } from "../support/tools";
import { testOn, testOnBackends } from "./test-on-backends";
import type { StackFixture } from "./stack-fixture";

/** One of three clusters uses a value that Terraform may not know before apply. Another one uses a variable. */
function declare(fixture: StackFixture, told = "one.example.com"): void {
  fixture.workspace.synth((stack) => {
    fixture.platform(stack);
    const source = new TerraformResource(stack, "source", {
      terraformResourceType: "terraform_data",
      terraformGeneratorMetadata: { providerName: "terraform" },
    });
    const domain = new TerraformVariable(stack, "domain", { type: "string" });
    source.addOverride("input", domain.stringValue);
    const on = provider(stack);
    cluster(stack, "fed", on, { ingress: source.getStringAttribute("output") });
    cluster(stack, "told", on, { ingress: new TerraformVariable(stack, "told", { type: "string", default: told }).stringValue });
    cluster(stack, "plain", on, { ingress: "plain.example.com" });
  });
}

const domain = (value: string) => ({ env: { TF_VAR_domain: value } });

testOnBackends("a token that is unknown during the plan replaces its object, and no other", async (fixture) => {
  declare(fixture);
  await fixture.applied(domain("apps.example.com"));
  expect(fixture.simulator.clusters.map(({ name, body }) => [name, (body.cluster as JsonObject).ingress]).sort()).toEqual([
    ["fed", "apps.example.com"],
    ["plain", "plain.example.com"],
    ["told", "one.example.com"],
  ]);

  const planned = await fixture.workspace.plan(domain("apps.example.org"));
  const [fed, ...more] = planned.filter(({ address }) => address.includes("_clusters["));
  expect(more).toEqual([]);
  expect(fed).toMatchObject({ address: fixture.address("fed"), actions: ["delete", "create"] });
  // Old versions of the null plugin show the whole map as unknown.
  if (fixture.engine === Engine.TERRAFORM_DATA) {
    expect(fed!.change).toMatchObject({
      after_unknown: { triggers_replace: { ingress: true } },
      after: { triggers_replace: { name: "fed", productVersion: "2.5.0" } },
    });
  }

  await fixture.applied(domain("apps.example.org"));
  expect(fixture.happened().slice(4)).toEqual(["-fed", "+fed"]);
  expect(await fixture.workspace.plan(domain("apps.example.org"))).toEqual([]);
});

testOnBackends(
  "a token that breaks its rule is refused in the plan, and the object that it would replace lives on",
  async (fixture) => {
    fixture.workspace.synth((stack) => {
      fixture.platform(stack);
      const nodes = new TerraformVariable(stack, "nodes", { type: "number", sensitive: true });
      const on = provider(stack);
      cluster(stack, "fed", on, { controlPlane: { count: nodes.numberValue, ...size } });
      cluster(stack, "plain", on);
    });
    const nodes = (count: number) => ({ env: { TF_VAR_nodes: String(count) } });
    expect(await fixture.applied(nodes(3))).not.toContain("Warning:");
    const happened = fixture.happened();

    expect(await fixture.failed(nodes(0))).toContain(
      "test/cluster-fed: 'controlPlane.count' must be a whole number of nodes, at least 1; the token there gives another value",
    );
    expect(fixture.happened()).toEqual(happened);
    await fixture.applied(nodes(5));
    expect(await fixture.workspace.plan(nodes(5))).toEqual([]);
    expect(fixture.happened().slice(happened.length)).toEqual(["-fed", "+fed"]);
  },
);

testOn(backends.slice(0, 1))("a token that makes a declaration too large for its hook is named as the cause", async (fixture) => {
  const declareKey = (bytes: number) =>
    fixture.workspace.synth((stack) => {
      fixture.platform(stack);
      const key = new TerraformVariable(stack, "key", { default: randomBytes(bytes).toString("base64") });
      provider(stack, "vsphere", { password: Secret.fromToken(key.stringValue) });
    });
  declareKey(100_000);
  expect(await fixture.failed()).toContain("the declaration is larger than the 120 KiB that reach its hook");
  expect(fixture.writes()).toEqual([]);
  declareKey(60_000);
  await fixture.converges();
});

testOn(backends.slice(0, 1), { acceptUnknownFields: true })(
  "a declaration that fills several variables is deleted again, and no hook prints the environment for NODE_DEBUG",
  async (fixture) => {
    fixture.workspace.synth((stack) => {
      fixture.platform(stack, { deletionProtection: false });
      provider(stack, "vsphere", { bodyOverrides: { note: randomBytes(110_000).toString("base64") } });
    });
    // Of the environment of the tests.
    const secret = "zq7-in-the-environment";
    const env = {
      OTHER_SECRET: secret,
      NODE_DEBUG: "child_process",
      CLUSTER_PLATFORM_TOKEN: undefined,
      CLUSTER_PLATFORM_TOKEN_COMMAND: `echo ${fixture.simulator.token}`,
    };
    expect(await fixture.applied({ env })).not.toContain(secret);
    const { status, output } = await fixture.workspace.destroy({ env });
    expect({ status, isShown: output.includes(secret) }).toEqual({ status: 0, isShown: false });
    expect(fixture.happened()).toEqual(["+vsphere", "-vsphere"]);
  },
);

testOnBackends(
  "tokens with null or another notation are recognized after a lost answer, and their objects can be adopted",
  async (fixture) => {
    const declare = (adopt: boolean) =>
      fixture.workspace.synth((stack) => {
        fixture.platform(stack);
        // Terraform accepts null from the environment only for the type any.
        const variable = (name: string, type = "any") => new TerraformVariable(stack, name, { type });
        const on = provider(stack, "vsphere", { allowEditCsi: variable("nothing").booleanValue, adopt });
        const controlPlane = { count: variable("nodes", "string").numberValue, ...size };
        cluster(stack, "prod", on, { secure: variable("none").booleanValue, controlPlane, adopt });
      });
    const values = { env: { TF_VAR_nothing: "null", TF_VAR_none: "null", TF_VAR_nodes: "03" } };
    declare(false);
    fixture.simulator.inject({ kind: "drop", when: "after", method: "POST", times: 2 });
    await fixture.applied(values);
    const happened = fixture.happened();
    for (const address of [fixture.address("prod"), fixture.address("prod").replace('clusters["prod', 'providers["vsphere')]) {
      expect(await fixture.workspace.run(["state", "rm", address])).toMatchObject({ status: 0 });
    }
    declare(true);
    expect(await fixture.applied(values)).toContain("adopted; ");
    expect(fixture.happened()).toEqual(happened);
  },
);
