import type { TerraformStack } from "cdktf";
import type { JsonObject } from "../../../src/api/provider-type";
import { HookResource } from "../../../src/constructs/carrier";
import { Platform } from "../../../src/constructs/platform";
import type { Simulator } from "../../../src/simulator";
import { cluster, provider } from "../../support/capvs";
import { synthesize } from "../../support/synth";

type ClusterProps = Parameters<typeof cluster>[3];
type ProviderProps = Parameters<typeof provider>[2];

/** Adds a cluster to the service as if somebody else had created it, as the constructs would have sent it. */
export function addCluster(simulator: Simulator, name: string, props: ClusterProps = {}): void {
  const { locals } = synthesize((stack) => cluster(platform(stack), name, provider(stack), props));
  simulator.add("clusters", "capvs", (locals.capvs_clusters as unknown as Record<string, { body: JsonObject }>)[name]!.body);
}

/** The same for a provider. */
export function addProvider(simulator: Simulator, name = "vsphere", props: ProviderProps = {}): void {
  const { locals } = synthesize((stack) => void provider(platform(stack), name, props));
  const { body } = (locals.capvs_providers as unknown as Record<string, { body: JsonObject }>)[name]!;
  const connectInfo = { ...(body.connectInfo as JsonObject), user: "somebody", passwd: "something" };
  simulator.add("providers", "capvs", { ...body, connectInfo });
}

function platform(stack: TerraformStack): Platform {
  return new Platform(stack, "platform", { hookResource: HookResource.TERRAFORM_DATA });
}
