import type { JsonObject, Kind, TypeCode } from "../model/provider-type";

/** One declared provider or cluster, as its Platform, and what checks and carries it, know it. */
export interface DeclaredObject {
  readonly type: TypeCode;
  readonly kind: Kind;
  readonly name: string;
  /** Path of its construct. */
  readonly path: string;
  /** The whole declaration, in this package's vocabulary; it may hold tokens. */
  readonly spec: JsonObject;
  /** The request body, where the declaration holds no tokens: then synth has checked and completed it. */
  readonly body?: JsonObject;
  /** The declaration as Terraform keeps it: flat, without defaults and secrets. */
  readonly triggers: Record<string, unknown>;
  readonly adopt?: boolean;
  /** Of a cluster: the name of its provider. */
  readonly provider?: string;
  /** Of a cluster: whether the apply waits until it is ready. */
  readonly waitForReady?: boolean;
  /** Of a cluster: the Kubernetes versions that its provider's templates offer, where the provider's construct is known. */
  readonly offeredVersions?: readonly string[];
}
