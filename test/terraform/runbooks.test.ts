import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DriftReport } from "../../src/cli/drift/finding";
import { built } from "../cli/built";
import { cluster, provider, size } from "../support/capvs";
import { addCluster } from "../support/live-objects";
import { accessTo } from "../support/service";
import { providerBackends } from "../support/tools";
import type { StackFixture } from "./stack-fixture";
import { inRest, testInRest, testOn } from "./test-on-backends";

/** The runbooks of docs/day-2.md. */

const PROTECTED = { deletionProtection: ["*/clusters/*"] };
const larger = { controlPlane: { count: 5, ...size } };

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

testInRest("two pipelines that applied at once are brought together without a write", async (fixture) => {
  const { workspace } = fixture;
  const other = fixture.anotherWorkspace();
  const declared = (of: typeof workspace, names: readonly string[]) =>
    of.synth((stack) => {
      fixture.platform(stack);
      const on = provider(stack);
      names.forEach((name) => cluster(stack, name, on));
    });
  declared(workspace, ["prod"]);
  await fixture.applied();
  declared(workspace, ["prod", "one"]);
  declared(other, ["prod", "two"]);
  writeFileSync(other.stateFile, workspace.state());
  const both = await Promise.all([workspace.apply(), other.apply()]);
  expect(both.map(({ status }) => status)).toEqual([0, 0]);
  // The backend has no locks: the state of the second one overwrites that of the first one.
  writeFileSync(workspace.stateFile, other.state());
  const sent = fixture.writes();

  declared(workspace, ["prod", "one", "two"]);
  expect(await drift(fixture)).toEqual(["UNMANAGED capvs/clusters/one"]);
  await fixture.converges({ env: { CLUSTER_PLATFORM_ADOPT: "capvs/clusters/one" } });
  expect(fixture.writes()).toEqual(sent);
  expect(await drift(fixture)).toEqual([]);
});

testInRest("a leaked token is replaced between two applies, and drift shows what was done with it", async (fixture) => {
  const { simulator, workspace } = fixture;
  const leaked = simulator.token;
  fixture.declare(["prod", "stage"]);
  const output = await fixture.applied();
  for (const text of [output, workspace.state()]) expect(text).not.toContain(leaked);
  addCluster(simulator, "miner");
  simulator.remove("clusters", "capvs", "stage");
  const sent = fixture.writes();

  simulator.token = "another-token";
  fixture.declare(["prod", "stage", "next"]);
  expect(await fixture.failed({ env: { CLUSTER_PLATFORM_TOKEN: leaked } })).toContain("[UNAUTHORIZED]");
  expect(fixture.writes()).toEqual(sent);
  const env = { CLUSTER_PLATFORM_TOKEN: simulator.token };
  // The next apply continues, and its wait finds that a cluster is missing.
  expect(await fixture.failed({ env })).toContain("cluster stage is in Terraform's state but not on the service");
  expect(fixture.live()).toEqual(["miner", "next", "prod", "vsphere"]);
  expect(await drift(fixture)).toEqual(["MISSING capvs/clusters/stage", "UNMANAGED capvs/clusters/miner"]);
});

/** What `drift` says of the state, as `UNMANAGED capvs/clusters/one`. */
async function drift({ workspace, simulator }: StackFixture): Promise<readonly string[]> {
  const { output } = await workspace.run(["show", "-json"], { quiet: true });
  const { stdout, stderr } = await built(["drift", "-", "--unmanaged", "--format", "json"], accessTo(simulator), output);
  if (stderr) throw new Error(stderr);
  const { findings } = JSON.parse(stdout) as DriftReport;
  return findings.map(({ verdict: kind, object }) => `${kind} ${object}`).sort();
}
