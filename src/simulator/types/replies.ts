import type { JsonObject } from "../../model/provider-type";
import type { SimulatedCluster } from "../objects";
import { flatCluster } from "./flat-cluster";

export interface Replies {
  readonly providerCreated: (body: JsonObject) => JsonObject;
  readonly clusterCreated: (cluster: SimulatedCluster) => JsonObject;
  readonly hasReadiness: boolean;
}

/**
 * Most types reply with the sent body for a provider, and with the flat format for a cluster (interface sections 2.5, 2.6, 2.10).
 */
export const commonReplies: Replies = {
  providerCreated: (body) => body,
  clusterCreated: flatCluster,
  hasReadiness: false,
};
