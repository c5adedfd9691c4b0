import type { JsonObject, Kind, TypeCode } from "../model/provider-type";

/** One declared provider or cluster of a Platform. */
export interface DeclaredObject {
  readonly type: TypeCode;
  readonly kind: Kind;
  readonly name: string;
  /** Path of the construct. */
  readonly path: string;
  /** The whole declaration with the names of props. It may have tokens. */
  readonly spec: JsonObject;
  /** The checked and complete request body; undefined if the declaration has tokens. */
  readonly body?: JsonObject;
  /** The flat declaration in Terraform, without defaults and secrets. */
  readonly triggers: Record<string, unknown>;
  readonly adopt?: boolean;
  /** Name of a cluster's provider. */
  readonly provider?: string;
  /** Whether the apply waits until the cluster is ready. */
  readonly waitForReady?: boolean;
  /** Kubernetes versions in the templates of a cluster's provider, if the construct of the provider is known. */
  readonly offeredVersions?: readonly string[];
}
