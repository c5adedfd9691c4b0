import type { TerraformElement, TerraformProvider, TerraformResource } from "cdktf";
import type { Construct } from "constructs";
import type { PlatformSettings } from "../../contract/platform-settings";
import type { ObjectRef } from "../../model/object-ref";
import type { DeclaredObject } from "./declared-object";

export interface PlatformResourcesProps {
  /** Empty, or the Platform's name and an underscore. */
  readonly prefix: string;
  readonly settings: PlatformSettings;
  /** Called at synth, and more than once, so it must have no side effects. */
  readonly objects: () => readonly DeclaredObject[];
}

/** The Terraform resources of a Platform. Each {@link Engine} has its own implementation. */
export interface PlatformResources {
  declare(object: DeclaredObject, construct: Construct): void;
  /** Address of the block that carries the object, for `depends_on`. */
  addressOf(object: ObjectRef): string;
  /** The resource that carries only this object. Undefined for engines whose objects share resources. */
  readonly resourceOf?: (object: ObjectRef) => TerraformResource;
  /** The resource that Terraform creates when the cluster is ready. Others depend on it. The first call adds it to the stack. */
  readyResource(cluster: ObjectRef): TerraformResource;
  /** Changes when the object is created again. That of a cluster is known when the new cluster is ready. */
  uid(object: ObjectRef): string;
  /** The resource that waits until all clusters of the Platform are ready. The first call adds it to the stack. */
  allReady(): TerraformResource;
  /** Undefined for engines that do not read live objects. */
  readonly live?: LiveAttributes;
  /** The provider block of data sources. Undefined for engines that do not read live objects. */
  readonly provider?: TerraformProvider;
  /** Addresses of shared resources whose objects have user-defined dependencies, or tokens that may refer to anything. */
  waitingBlocks?(): string[];
  /** No other element may use the ids of these elements. */
  elements(): ReadonlySet<TerraformElement>;
}

export interface LiveAttributes {
  endpoint(cluster: ObjectRef): string;
  phase(cluster: ObjectRef): string;
  kubernetesVersions(provider: ObjectRef): string[];
}

/**
 * Says that something needs {@link Engine.PROVIDER}.
 *
 * @param what the beginning of the sentence, as in "addOverride needs"
 * @param platform path of the Platform
 */
export function providerRule(what: string, platform: string, reason = "hooks cannot return values to Terraform"): string {
  return `${what} engine: Engine.PROVIDER on the Platform ${platform}; ${reason}`;
}
