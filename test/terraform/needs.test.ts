import { Engine } from "../../src/constructs/engine";
import { CapvsProvider } from "../../src/constructs/types/capvs";
import { providerBody } from "../simulator/bodies";
import { cluster, provider } from "../support/capvs";
import { failed, type StackFixture } from "./stack-fixture";
import { testInRest } from "./test-on-backends";
import type { RunOptions } from "./workspace";

/** A replacement deletes nothing if its create must fail. */

const named = (fixture: StackFixture, name: string, kubernetesVersion?: string) =>
  fixture.workspace.synth((stack) => {
    fixture.platform(stack);
    cluster(stack, "prod", CapvsProvider.fromName(name), { kubernetesVersion });
  });

async function onForeignProvider(fixture: StackFixture): Promise<readonly string[]> {
  fixture.simulator.add("providers", "capvs", providerBody("vsphere"));
  named(fixture, "vsphere");
  await fixture.applied();
  return fixture.writes();
}

testInRest("a misspelled name in fromName, or a version that no template offers, deletes nothing", async (fixture) => {
  const sent = await onForeignProvider(fixture);
  named(fixture, "vspere");
  const refused = await fixture.failed();
  expect(refused).toContain("cluster prod: there is no capvs provider vspere on the service: did you mean vsphere?");
  expect(refused).toContain("Correct the name in fromName, or register the provider first");
  // The deletion guard does not run with -target.
  const block = fixture.engine === Engine.PROVIDER ? "clusterplatform_capvs_cluster.prod" : `${fixture.engine}.capvs_clusters`;
  const targeted = failed(await fixture.workspace.apply({ args: [`-target=${block}`] }));
  expect(targeted).toContain("there is no capvs provider vspere on the service: did you mean vsphere?");
  named(fixture, "vsphere", "v1.40.0");
  expect(await fixture.failed()).toContain(
    "cluster prod: no template of the provider vsphere offers the declared kubernetesVersion v1.40.0, only",
  );
  expect(fixture.writes()).toEqual(sent);
  named(fixture, "vsphere");
  await fixture.converges();
  expect(fixture.writes()).toEqual(sent);
});

testInRest("a service that has lost everything is filled again by one printed command", async (fixture) => {
  fixture.declare(["prod", "stage"]);
  await fixture.applied();
  for (const name of ["prod", "stage"]) fixture.simulator.remove("clusters", "capvs", name);
  fixture.simulator.remove("providers", "capvs", "vsphere");
  const writes = fixture.writes().length;
  // The apply edits one object and removes one.
  fixture.workspace.synth((stack) => {
    fixture.platform(stack);
    cluster(stack, "prod", provider(stack), { productVersion: "2.6.0" });
  });
  const refused = await fixture.failed();
  expect(refused).toContain("on the service");
  expect(fixture.writes()).toHaveLength(writes);
  await fixture.converges(printedCommand(refused));
  expect(fixture.live()).toEqual(["prod", "vsphere"]);
});

/** The options and variables of the command in a refusal. */
function printedCommand(refused: string): RunOptions {
  const [, gone = "", options = ""] = /CLUSTER_PLATFORM_ACCEPT_GONE=(\S+)(?: terraform apply((?: -replace='[^']+')*))?/.exec(
    refused,
  )!;
  const args = [...options.matchAll(/-replace='([^']+)'/g)].map(([, address]) => `-replace=${address}`);
  return { args, env: { CLUSTER_PLATFORM_ACCEPT_GONE: gone } };
}
