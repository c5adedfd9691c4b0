import { Engine } from "../../src/constructs/engine";
import { backends } from "../support/tools";
import { failed, type StackFixture, succeeded } from "./stack-fixture";
import { inRest, testOn } from "./test-on-backends";

/** Instances without a declaration, which `terraform import` and `terraform state mv` put into a block with hooks. */

const onTerraformData = backends.filter(({ engine }) => engine === Engine.TERRAFORM_DATA);
const testImport = testOn(inRest(onTerraformData));

/** Applies a Platform, and imports a cluster of somebody else, which the code then declares. */
async function imported(fixture: StackFixture, on?: string): Promise<void> {
  fixture.declare([]);
  await fixture.applied();
  fixture.foreigners.add("prod", on);
  fixture.declare(["prod"]);
  succeeded(await fixture.workspace.run(["import", fixture.address("prod"), "some-id"]));
}

/** Nothing is sent, and the state stays as it is. */
async function isRefused(fixture: StackFixture, run: () => Promise<string>): Promise<void> {
  const sent = fixture.writes();
  const address = fixture.address("prod");
  const output = await run();
  expect(output).toContain(`${address} has no declaration in the state`);
  expect(output).toContain(`terraform state rm '${address}'`);
  // The code may still declare the object.
  expect(output).toMatch(/Error \[NOT_OURS\] [^]*CLUSTER_PLATFORM_ADOPT=capvs\/clusters\/prod/);
  expect(fixture.writes()).toEqual(sent);
  const { output: listed } = await fixture.workspace.run(["state", "list"]);
  expect(listed).toContain(address);
}

const removed = async ({ workspace }: StackFixture, address: string) =>
  void succeeded(await workspace.run(["state", "rm", address]));

testImport("an apply does not replace an imported instance; without it the object can be adopted", async (fixture) => {
  await imported(fixture);
  await isRefused(fixture, () => fixture.failed());
  await isRefused(fixture, () => fixture.failed());
  await removed(fixture, fixture.address("prod"));
  await fixture.converges({ env: { CLUSTER_PLATFORM_ADOPT: "capvs/clusters/prod" } });
  expect(fixture.writes()).toHaveLength(1);
});

testImport("a destroy keeps an imported instance and its object", async (fixture) => {
  await imported(fixture, "of-somebody-else");
  await isRefused(fixture, async () => failed(await fixture.workspace.destroy()));
  await removed(fixture, fixture.address("prod"));
  // The orphan check asks about an object that the code declares.
  fixture.declare([]);
  succeeded(await fixture.workspace.destroy());
  expect(fixture.live()).toEqual(["prod"]);
});
