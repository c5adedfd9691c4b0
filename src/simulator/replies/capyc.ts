import { requestedCluster, wildcard } from "../bodies";
import { nestedCluster } from "./nested-cluster";
import type { Replies } from "./replies";

/** Interface sections 2.8 and 2.14. */
export const capyc: Partial<Replies> = {
  providerCreated: (body) => ({ ...body, connectInfo: { key: "" }, templateNetInterface: "" }),
  clusterCreated: (cluster) => nestedCluster(cluster, { ingress: wildcard(requestedCluster(cluster.body).ingress) }),
};
