import * as z from "zod/mini";
import { requestedCluster, wildcard } from "../bodies";
import { nestedCluster } from "./nested-cluster";
import { clusterRequest, templates, type SimulatedType } from "./simulated-type";

const nodeFields = {
  capycNodeConfig: z.strictObject({
    cpuCores: z.int(),
    memorySize: z.string(),
    platformID: z.string(),
    volumeType: z.string(),
    volumeSize: z.string(),
  }),
};

export const capyc: SimulatedType = {
  provider: z.strictObject({
    identityName: z.string(),
    connectInfo: z.strictObject({ key: z.string(), folderId: z.string() }),
    folderID: z.string(),
    networkID: z.string(),
    subnetID: z.string(),
    zoneID: z.string(),
    allowedPlatformIDs: z.array(z.string()),
    volumeTypes: z.array(z.string()),
    loadBalancerType: z.string(),
    loadBalancerInternal: z.boolean(),
    templates: templates,
  }),
  cluster: clusterRequest("providerName", "controlplaneNodeConfig", {
    cluster: {},
    provider: {},
    controlPlaneNode: nodeFields,
    workerNode: nodeFields,
  }),
  providerCreated: (body) => ({ ...body, connectInfo: { key: "" }, templateNetInterface: "" }),
  clusterCreated: (cluster) => nestedCluster(cluster, { ingress: wildcard(requestedCluster(cluster.body).ingress) }),
};
