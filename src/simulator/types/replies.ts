import type { JsonObject } from "../../model/provider-type";
import type { SimulatedCluster } from "../objects";
import { flatCluster } from "./flat-cluster";

/** What a provider type answers to a create, where that is not what most types answer. */
export interface Replies {
  /** The answer to the registration of a provider. */
  readonly providerCreated: (body: JsonObject) => JsonObject;
  /** The answer to the creation of a cluster. */
  readonly clusterCreated: (cluster: SimulatedCluster) => JsonObject;
  /** Whether a registration takes time to become ready, and refuses clusters until then. */
  readonly hasReadiness: boolean;
}

/** A registration is answered with what was sent, a cluster with its flat form (interface sections 2.5, 2.6 and 2.10). */
export const commonReplies: Replies = {
  providerCreated: (body) => body,
  clusterCreated: flatCluster,
  hasReadiness: false,
};
