import * as z from "zod/mini";
import * as rules from "../../declarations/rules";
import type { JsonObject } from "../../model/provider-type";
import { requestedCluster } from "../bodies";
import { nestedCluster, servicesOf } from "./nested-cluster";
import { clusterRequest, templates, type SimulatedType } from "./simulated-type";

const nodeFields = { capcdNodeConfig: z.strictObject({ diskSize: z.string(), sizingPolicy: z.string() }) };

export const capcd: SimulatedType = {
  provider: z.strictObject({
    name: z.string(),
    connectInfo: z.strictObject({
      site: rules.httpsUrl,
      org: z.string(),
      username: z.string(),
      password: z.string(),
      refreshToken: z.string(),
      connectType: z.string(),
    }),
    ovdc: z.string(),
    network: z.string(),
    vipSubnetName: z.string(),
    catalog: z.string(),
    sizingPolicies: z.array(z.string()),
    templates: templates,
    providerType: z.string(),
  }),
  cluster: clusterRequest("identityName", "controlplaneNodeConfig", {
    cluster: { apiEndpoint: z.literal("", "be empty"), clusterConfigProfileName: z.string() },
    provider: { kubeAPIVIPSubnet: z.string(), serviceVIPSubnet: z.string(), enableCSI: z.boolean() },
    controlPlaneNode: nodeFields,
    workerNode: nodeFields,
  }),
  providerCreated: ({ connectInfo, vipSubnetName, providerType: _kind, ...provider }) => {
    const { connectType: _how, ...login } = connectInfo as JsonObject;
    return {
      ...provider,
      connectInfo: login,
      vipSubnet: vipSubnetName,
      placementPolicy: "",
      allowEditCSI: false,
      IPAddressPoolName: "",
    };
  },
  clusterCreated: (cluster) =>
    nestedCluster(cluster, {
      clusterConfigProfileName: requestedCluster(cluster.body).clusterConfigProfileName,
      disabledServices: servicesOf(cluster.body).disabled,
      ingressCert: "",
      ingressKey: "",
      cacert: "",
      cakey: "",
      acmeRootCert: "",
      ACMEURL: "",
      mgmtCluster: false,
    }),
};
