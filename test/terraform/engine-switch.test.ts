import { rmSync } from "node:fs";
import { join } from "node:path";
import { DataResource } from "cdktf";
import { Engine } from "../../src/constructs/engine";
import { cluster, provider } from "../support/capvs";
import { backends, providerBackendsOfTerraform } from "../support/tools";
import { inRest, testOn } from "./test-on-backends";
import { type StackFixture, succeeded } from "./stack-fixture";

/** The steps of docs/migration.md to another engine. */

const { NULL_RESOURCE, TERRAFORM_DATA, PROVIDER } = Engine;
const DIRECTIONS = Object.values(Engine).flatMap((from) =>
  Object.values(Engine).flatMap((to) => (from === to ? [] : [[from, to] as const])),
);
const some = [backends.find(({ engine }) => engine === NULL_RESOURCE) ?? providerBackendsOfTerraform[0]!];

interface Code {
  readonly names: readonly string[];
  readonly adopt?: boolean;
  readonly follows?: boolean;
  readonly deletionProtection?: string[];
}

function declare(fixture: StackFixture, engine: Engine, { names, adopt, follows, deletionProtection = [] }: Code): void {
  fixture.workspace.synth((stack) => {
    fixture.platform(stack, { engine, deletionProtection });
    const on = provider(stack, "vsphere", { adopt });
    for (const name of names) {
      const { uid } = cluster(stack, name, on, { adopt });
      if (follows) new DataResource(stack, `add-on-${name}`, { triggersReplace: uid as never });
    }
  });
}

async function forgotten({ workspace }: StackFixture): Promise<void> {
  const { output } = await workspace.run(["state", "list"], { quiet: true });
  const own = output.split("\n").filter((address) => address.includes("clusterplatform_"));
  succeeded(await workspace.run(["state", "rm", ...own]));
}

testOn(inRest(some))("an empty plan, then another engine with adopt: nothing is sent, in all six directions", async (fixture) => {
  for (const [from, to] of DIRECTIONS) {
    const names = ["prod", "my.stage"];
    declare(fixture, from, { names });
    await fixture.converges();
    const before = fixture.writes();
    if (from === PROVIDER) await forgotten(fixture);
    declare(fixture, to, { names, adopt: true });
    await fixture.converges();
    declare(fixture, to, { names });
    await fixture.converges();
    expect({ from, to, writes: fixture.writes() }).toEqual({ from, to, writes: before });
    succeeded(await fixture.workspace.destroy());
    expect({ from, to, live: fixture.live() }).toEqual({ from, to, live: [] });
  }
});

testOn(inRest(some))("an object that leaves the code together with its engine lives on", async (fixture) => {
  const deletionProtection = ["prod"];
  declare(fixture, TERRAFORM_DATA, { names: ["prod", "stage"], deletionProtection });
  await fixture.applied();
  const before = fixture.writes();
  declare(fixture, PROVIDER, { names: ["stage"], adopt: true, deletionProtection });
  await fixture.converges();
  // The guard of hooks stays if the new engine has hooks, too.
  await forgotten(fixture);
  declare(fixture, NULL_RESOURCE, { names: ["stage"], adopt: true, deletionProtection: ["stage"] });
  await fixture.converges();
  declare(fixture, TERRAFORM_DATA, { names: [], deletionProtection: ["stage"] });
  expect(await fixture.failed()).toContain("capvs/clusters/stage is protected; nothing was deleted");
  declare(fixture, TERRAFORM_DATA, { names: [], adopt: true });
  expect(await fixture.failed()).toContain("removed or destroyed, but still on the service: capvs/clusters/stage");
  expect(fixture.writes()).toEqual(before);
  expect(fixture.live()).toEqual(["prod", "stage", "vsphere"]);
});

testOn(inRest(some))(
  "what follows a uid is replaced, and creates without adopt are refused until it is written",
  async (fixture) => {
    const code = { names: ["prod"], follows: true };
    declare(fixture, NULL_RESOURCE, code);
    await fixture.applied();
    const before = fixture.writes();
    rmSync(join(fixture.workspace.stackFolder, ".cluster-platform"), { recursive: true, force: true });
    declare(fixture, TERRAFORM_DATA, code);
    expect(await fixture.failed()).toMatch(
      /\[NAME_TAKEN\].*the service already has capvs provider vsphere.*CLUSTER_PLATFORM_ADOPT=/s,
    );
    // The refused apply has deleted the add-on.
    for (const [engine, actions] of [
      [TERRAFORM_DATA, ["create"]],
      [PROVIDER, ["delete", "create"]],
    ] as const) {
      declare(fixture, engine, { ...code, adopt: true });
      const changes = await fixture.workspace.plan();
      expect(changes.find(({ address }) => address === "terraform_data.add-on-prod")!.actions).toEqual(actions);
      await fixture.converges();
    }
    expect(fixture.writes()).toEqual(before);
  },
);
