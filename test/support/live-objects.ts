import type { TerraformStack } from "cdktf";
import { requestBody } from "../../src/declarations/declaration";
import { capvs } from "../../src/declarations/types/capvs";
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
  simulator.add("clusters", "capvs", requestBody(capvs.cluster, entries.capvs_clusters![name]!.spec));
}

/** Like {@link addCluster}, on another provider, which it adds. */
export function addClusterOn(simulator: Simulator, name: string, providerName: string): void {
  addProvider(simulator, providerName);
  const { entries } = synthesize((stack) => cluster(platform(stack), name, provider(stack, providerName)));
  simulator.add("clusters", "capvs", requestBody(capvs.cluster, entries.capvs_clusters![name]!.spec));
}

/** Like {@link addCluster}, for a provider. */
export function addProvider(simulator: Simulator, name = "vsphere", props: ProviderProps = {}): void {
  const { entries } = synthesize((stack) => void provider(platform(stack), name, props));
  const body = requestBody(capvs.provider, entries.capvs_providers![name]!.spec);
  const connectInfo = { ...(body.connectInfo as JsonObject), user: "somebody", passwd: "something" };
  simulator.add("providers", "capvs", { ...body, connectInfo });
}

function platform(stack: TerraformStack): Platform {
  return new Platform(stack, "platform", { engine: Engine.TERRAFORM_DATA });
}
