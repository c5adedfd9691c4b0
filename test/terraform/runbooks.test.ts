import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cluster, provider } from "../support/capvs";
import { providerBackends } from "../support/tools";
import type { StackFixture } from "./stack-fixture";
import { inRest, testInRest, testOn } from "./test-on-backends";

/** The runbooks of docs/day-2.md. */

const PROTECTED = { deletionProtection: ["*/clusters/*"] };
const larger = { controlPlane: { count: 5, cpus: 4, memoryMib: 8192, diskGib: 60 } };

/** An apply that replaces prod, adds next and removes old. The state is then as it was before it. */
async function restored(fixture: StackFixture): Promise<readonly string[]> {
  const { workspace } = fixture;
  fixture.declare(["prod", "stage", "old"], PROTECTED);
  await fixture.applied();
  const before = workspace.state();
  changed(fixture, { allowDeletion: ["prod", "old"] });
  await fixture.applied();
  writeFileSync(workspace.stateFile, before);
  return fixture.writes();
}

function changed(fixture: StackFixture, props: { allowDeletion?: string[]; retain?: string[] }, adopt = false): void {
  fixture.workspace.synth((stack) => {
    fixture.platform(stack, { ...PROTECTED, ...props });
    const on = provider(stack);
    cluster(stack, "prod", on, { ...larger, adopt });
    cluster(stack, "stage", on);
    cluster(stack, "next", on);
  });
}

async function recovers(fixture: StackFixture): Promise<void> {
  const sent = await restored(fixture);
  changed(fixture, {});
  expect(await fixture.failed()).toMatch(/\[(PROTECTED|NAME_TAKEN)\]/);
  changed(fixture, { retain: ["prod"] }, true);
  const env = { CLUSTER_PLATFORM_ADOPT: "capvs/clusters/next", CLUSTER_PLATFORM_ACCEPT_GONE: "capvs/clusters/old" };
  await fixture.applied({ env });
  changed(fixture, {});
  await fixture.converges();
  expect(fixture.writes()).toEqual(sent);
}

testInRest("an old state is brought up to date without a write", recovers);
testOn(inRest(providerBackends))("an old state is brought up to date without a write", recovers);

testInRest("an apply on an empty runner adopts what an interrupted one has created, and so does a removal", async (fixture) => {
  const { workspace } = fixture;
  fixture.declare(["prod"]);
  await fixture.applied();
  const before = workspace.state();
  fixture.declare(["prod", "next"]);
  await fixture.applied();
  // The machine died before the state was written, and took the notes along.
  writeFileSync(workspace.stateFile, before);
  const notes = join(workspace.stackFolder, ".cluster-platform");
  expect(existsSync(notes)).toBe(true);
  rmSync(notes, { recursive: true });
  const sent = fixture.writes();
  expect(await fixture.failed()).toContain("CLUSTER_PLATFORM_ADOPT=capvs/clusters/next");
  await fixture.applied({ env: { CLUSTER_PLATFORM_ADOPT: "capvs/clusters/next" } });
  expect(fixture.writes()).toEqual(sent);
  fixture.declare(["prod"]);
  await fixture.converges();
  expect(fixture.live()).toEqual(["prod", "vsphere"]);
});
