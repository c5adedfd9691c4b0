import { listedAs, type JsonObject } from "../../model/provider-type";
import { requestedCluster, wildcard } from "../bodies";
import type { SimulatedCluster } from "../objects";

/** The reply to a creation in the flat format. */
export function flatCluster({ name, type, provider, body }: SimulatedCluster): JsonObject {
  const { apiEndpoint, controlPlaneNodesCount, ingress, podSubnet, secure, serviceSubnet } = requestedCluster(body);
  return {
    id: name,
    clusterName: name,
    annotations: null,
    providerType: listedAs(type),
    providerConfigID: provider,
    apiEndpoint: apiEndpoint ?? "",
    networks: [
      { type: "PodSubnet", network: podSubnet, netmask: "" },
      { type: "ServiceSubnet", network: serviceSubnet, netmask: "" },
    ],
    ingress: wildcard(ingress),
    secure,
    phase: "",
    conditions: null,
    controlplaneNodesCount: controlPlaneNodesCount,
    workersGroups: null,
  };
}
