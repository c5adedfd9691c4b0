import type { TerraformStack } from "cdktf";
import type { JsonObject } from "../../src/model/provider-type";
import { Engine } from "../../src/constructs/engine";
import { Platform } from "../../src/constructs/platform";
import type { Simulator } from "../../src/simulator";
import { cluster, provider } from "./capvs";
import { synthesize } from "./synth";

type ClusterProps = Parameters<typeof cluster>[3];
type ProviderProps = Parameters<typeof provider>[2];

/** Adds a cluster with the constructs' request body, as if somebody else had created it. */
export function addCluster(simulator: Simulator, name: string, props: ClusterProps = {}): void {
  const { entries } = synthesize((stack) => cluster(platform(stack), name, provider(stack), props));
  simulator.add("clusters", "capvs", entries.capvs_clusters![name]!.body!);
}

/** Like {@link addCluster}, on another provider, which it adds. */
export function addClusterOn(simulator: Simulator, name: string, providerName: string): void {
  addProvider(simulator, providerName);
  const { entries } = synthesize((stack) => cluster(platform(stack), name, provider(stack, providerName)));
  simulator.add("clusters", "capvs", entries.capvs_clusters![name]!.body!);
}

/** Like {@link addCluster}, for a provider. */
export function addProvider(simulator: Simulator, name = "vsphere", props: ProviderProps = {}): void {
  const { entries } = synthesize((stack) => void provider(platform(stack), name, props));
  const body = entries.capvs_providers![name]!.body!;
  const connectInfo = { ...(body.connectInfo as JsonObject), user: "somebody", passwd: "something" };
  simulator.add("providers", "capvs", { ...body, connectInfo });
}

function platform(stack: TerraformStack): Platform {
  return new Platform(stack, "platform", { engine: Engine.TERRAFORM_DATA });
}
