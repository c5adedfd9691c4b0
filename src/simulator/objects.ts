import type { JsonObject, TypeCode } from "../model/provider-type";

/** A provider entry of the list (interface section 2.1). */
export interface ProviderConfig {
  readonly name: string;
  readonly kubeVers: readonly string[];
  readonly allowEditCSI: boolean;
  readonly IPAddressPoolName: string;
}

interface SimulatedLife {
  readonly type: TypeCode;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** When a deletion under way will be complete, in milliseconds since the epoch. */
  goneAt?: number;
}

/** A provider that the service knows. */
export interface SimulatedProvider extends SimulatedLife {
  readonly kind: "providers";
  /** The request body as it was posted; empty for one that was read from a state file, which holds no bodies of providers. */
  readonly body: JsonObject;
  /** What the list of providers shows of it. */
  readonly config: ProviderConfig;
}

/** A cluster that the service knows. */
export interface SimulatedCluster extends SimulatedLife {
  readonly kind: "clusters";
  /** The name of the provider that it was created on. */
  readonly provider: string;
  /** The request body as it was posted. */
  readonly body: JsonObject;
}

/** What really happened to an object, whatever was answered to whom. */
export interface ObjectEvent {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly action: "created" | "deleted";
  readonly kind: "providers" | "clusters";
  readonly type: TypeCode;
  readonly name: string;
}
