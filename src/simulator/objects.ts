import type { JsonObject, TypeCode } from "../model/provider-type";

/** A provider in the list of providers. */
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
  /** The end of a running deletion, in milliseconds since the epoch. */
  goneAt?: number;
}

/** A registered provider. */
export interface SimulatedProvider extends SimulatedLife {
  readonly kind: "providers";
  /** The posted request body. Empty after a restart, because the state file holds no bodies of providers. */
  readonly body: JsonObject;
  /** The provider's entry in the list of providers. */
  readonly config: ProviderConfig;
}

/** A cluster on the service. */
export interface SimulatedCluster extends SimulatedLife {
  readonly kind: "clusters";
  /** The name of the cluster's provider. */
  readonly provider: string;
  /** The posted request body. */
  readonly body: JsonObject;
}

/** A creation or deletion that took place, whatever the client was told. */
export interface ObjectEvent {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly action: "created" | "deleted";
  readonly kind: "providers" | "clusters";
  readonly type: TypeCode;
  readonly name: string;
}
