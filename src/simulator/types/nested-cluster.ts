import type { JsonObject } from "../../model/provider-type";
import { SERVICE_PRESETS } from "../../declarations/services";
import { requestedCluster, requestedProvider } from "../bodies";
import type { SimulatedCluster } from "../objects";

/** The reply to a creation in the nested format. `fields` are those of the type. */
export function nestedCluster({ body }: SimulatedCluster, fields: JsonObject): JsonObject {
  const requested = requestedCluster(body);
  const provider = requestedProvider(body);
  return {
    cluster: {
      clusterName: requested.clusterName,
      apiEndpoint: requested.apiEndpoint ?? "",
      ingress: requested.ingress,
      ingressvip: requested.ingressvip,
      externalingresslb: requested.externalingresslb,
      secure: requested.secure,
      externalKubeAPILB: requested.externalKubeAPILB,
      controlPlaneNodesCount: requested.controlPlaneNodesCount,
      podSubnet: requested.podSubnet,
      serviceSubnet: requested.serviceSubnet,
      productVersion: requested.productVersion,
      enabledServices: servicesOf(body).enabled,
      ...fields,
    },
    provider: {
      ...provider,
      workerNodeConfigs: provider.workerNodeConfigs.map((worker) => ({ ...worker, workersScale: null })),
    },
    CreatedByUser: "simulator",
  };
}

/** The interface does not say which services are critical, so `all` disables every known one. */
export function servicesOf(body: JsonObject): { enabled: readonly string[]; disabled: readonly string[] } {
  const { enabledServices, disabledServices = [] } = requestedCluster(body);
  const known: readonly string[] = SERVICE_PRESETS.all;
  const enabled =
    enabledServices ?? (disabledServices.includes("all") ? [] : known.filter((name) => !disabledServices.includes(name)));
  return { enabled, disabled: known.filter((name) => !enabled.includes(name)) };
}
