import type { TerraformElement, TerraformProvider, TerraformResource } from "cdktf";
import type { Construct } from "constructs";
import type { HookSettings } from "../contract/hook-protocol";
import type { ObjectRef } from "../model/object-ref";
import type { DeclaredObject } from "./declared-object";

/** What carries the objects of a Platform in Terraform. docs/engines.md compares them. */
export enum Engine {
  /** `null_resource` of the hashicorp/null provider, with hooks. */
  NULL_RESOURCE = "null_resource",
  /** `terraform_data` with hooks. It is built into Terraform and OpenTofu: nothing to download. */
  TERRAFORM_DATA = "terraform_data",
  /**
   * A Terraform provider that comes with this package, and resources of its own. Experimental: the next release may change
   * what it keeps in the state.
   */
  PROVIDER = "provider",
}

/** The engines that carry objects in resources with hooks. */
export type HookEngine = Engine.NULL_RESOURCE | Engine.TERRAFORM_DATA;

/** What every engine is told of a Platform. */
export interface PlatformResourcesProps {
  readonly migrateFrom?: HookEngine;
  /** Empty, or the Platform's name and an underscore. */
  readonly prefix: string;
  readonly settings: HookSettings;
  /** What is declared, asked for when the stack is synthesized; pure, since cdktf asks more than once. */
  readonly objects: () => readonly DeclaredObject[];
}

/** The Terraform side of a Platform, which each {@link Engine} makes in its own way. */
export interface PlatformResources {
  /** Carries an object from now on. */
  declare(object: DeclaredObject, construct: Construct): void;
  /** Address of the block that carries an object, for `depends_on`. */
  addressOf(object: ObjectRef): string;
  /** The resource that carries an object and nothing else. Undefined for engines whose objects share resources. */
  readonly resourceOf?: (object: ObjectRef) => TerraformResource;
  /** Makes a cluster wait for its provider, which another Platform of the stack carries. */
  follow(cluster: ObjectRef, provider: ObjectRef, of: PlatformResources): void;
  /** What is made when a cluster is ready, for what depends on that cluster. It is in the stack from the first call on. */
  readyResource(cluster: ObjectRef): TerraformResource;
  /** An id that another cluster gets when the cluster is created anew. It is known when that one is ready. */
  readyId(cluster: ObjectRef): string;
  /** What is made when all clusters of the Platform are ready. It is in the stack from the first call on. */
  allReady(): TerraformResource;
  /** Undefined for engines that know of no live object. */
  readonly live?: LiveAttributes;
  /** The provider block that data sources of the service are read by. Undefined for engines that know of no live object. */
  readonly provider?: TerraformProvider;
  /** Addresses of resources with several objects, of which one waits for something of the user's. */
  waitingBlocks?(): string[];
  /** All Terraform elements of the Platform; nothing else may use their ids. */
  elements(): ReadonlySet<TerraformElement>;
}

/** What the service says of objects, as tokens. */
export interface LiveAttributes {
  endpoint(cluster: ObjectRef): string;
  phase(cluster: ObjectRef): string;
  kubeVersions(provider: ObjectRef): string[];
}
