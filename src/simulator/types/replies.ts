import type { JsonObject } from "../../model/provider-type";
import type { SimulatedCluster } from "../objects";
import { flatCluster } from "./flat-cluster";

/** The replies of a provider type to creations. */
export interface Replies {
  /** The reply to the registration of a provider. */
  readonly providerCreated: (body: JsonObject) => JsonObject;
  /** The reply to the creation of a cluster. */
  readonly clusterCreated: (cluster: SimulatedCluster) => JsonObject;
  /** Whether a new provider refuses clusters until it is ready. */
  readonly hasReadiness: boolean;
}

/**
 * The replies of most types: the sent body for a provider, and the flat format for a cluster (interface sections 2.5, 2.6 and
 * 2.10).
 */
export const commonReplies: Replies = {
  providerCreated: (body) => body,
  clusterCreated: flatCluster,
  hasReadiness: false,
};
