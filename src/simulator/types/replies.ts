import type { JsonObject } from "../../model/provider-type";
import type { SimulatedCluster } from "../objects";
import { flatCluster } from "./flat-cluster";

export interface Replies {
  readonly providerCreated: (body: JsonObject) => JsonObject;
  readonly clusterCreated: (cluster: SimulatedCluster) => JsonObject;
  /** Whether clusters are refused for a while after the registration of their provider. */
  readonly isReadyLater: boolean;
}

/**
 * Most types reply with the sent body for a provider, and with the flat format for a cluster.
 */
export const commonReplies: Replies = {
  providerCreated: (body) => body,
  clusterCreated: flatCluster,
  isReadyLater: false,
};
