import * as z from "zod/mini";
import * as rules from "../../declarations/rules";
import type { JsonObject } from "../../model/provider-type";
import { flatCluster } from "./flat-cluster";
import { clusterRequest, type SimulatedType } from "./simulated-type";

type Credentials = { SSH?: JsonObject } & JsonObject;
type Host = { credentials: Credentials | null } & JsonObject;

const selector = z.strictObject({
  matchLabels: z.record(z.string(), z.string()),
  // The interface does not define the fields of an expression.
  matchExpressions: z.array(z.looseObject({})),
});

export const capsmv2: SimulatedType = {
  provider: z.strictObject({
    name: z.string(),
    credentials: z.strictObject({ SSH: z.strictObject({ userName: z.string(), privateKey: z.string() }) }),
    hosts: z.array(
      z.strictObject({
        address: rules.ipAddress,
        labelsSelector: z.record(z.string(), z.string()),
        credentials: z.nullable(z.looseObject({})),
      }),
    ),
    IPAddressPoolName: z.string(),
  }),
  cluster: clusterRequest("name", "controlPlaneNodeConfig", {
    cluster: { apiEndpoint: rules.ipAddress },
    provider: {},
    controlPlaneNode: { controlPlaneSelector: selector },
    workerNode: { workerSelector: selector },
  }),
  providerCreated: ({ name, hosts, credentials, IPAddressPoolName }) => ({
    name,
    hosts: (hosts as Host[]).map((host) => ({ ...host, credentials: host.credentials && withoutKey(host.credentials) })),
    credentials: withoutKey(credentials as Credentials),
    IPAddressPoolName,
    infraProviderName: "",
  }),
  clusterCreated: (cluster) => {
    const { controlplaneNodesCount: _, ...reply } = flatCluster(cluster);
    return { ...reply, providerConfigID: "" };
  },
};

function withoutKey(credentials: Credentials): JsonObject {
  return credentials.SSH ? { ...credentials, SSH: { ...credentials.SSH, privateKey: "" } } : credentials;
}
