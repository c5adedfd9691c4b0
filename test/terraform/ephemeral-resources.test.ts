import { Lazy } from "cdktf";
import { Engine } from "../../src/constructs/engine";
import { Secret } from "../../src/constructs/secret";
import { cluster, provider } from "../support/capvs";
import { newOpenTofuBackends, newTerraformBackends, providerBackendsOfTerraform } from "../support/tools";
import { synthWithExtras } from "./extras";
import { inRest, testOn } from "./test-on-backends";

const some = [
  ...newOpenTofuBackends.filter(({ engine }) => engine !== Engine.NULL_RESOURCE),
  ...newTerraformBackends,
  ...providerBackendsOfTerraform.filter(({ isNewer }) => isNewer),
];

testOn(inRest(some))("an ephemeral resource has the value of a secret, and nothing keeps it", async (fixture) => {
  const { workspace, simulator } = fixture;
  workspace.env.PASSWORD = "ephemeral-password";
  const password = Lazy.stringValue({ produce: () => "${ephemeral.extras_variable.password.value}" });
  const hasProvider = synthWithExtras(workspace, (stack) => {
    stack.addOverride("ephemeral.extras_variable.password", { name: "PASSWORD" });
    fixture.platform(stack);
    cluster(stack, "prod", provider(stack, "vsphere", { password: Secret.fromToken(password) }));
  });
  if (!hasProvider) return;
  await fixture.converges();
  expect(fixture.live()).toEqual(["prod", "vsphere"]);
  expect(JSON.stringify(simulator.providers[0]!.body)).toContain("ephemeral-password");
  expect(workspace.state()).not.toContain("ephemeral-password");
  expect(await workspace.destroy()).toMatchObject({ status: 0 });
  expect(fixture.live()).toEqual([]);
});
