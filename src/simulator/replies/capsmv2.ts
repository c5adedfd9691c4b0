import type { JsonObject } from "../../model/provider-type";
import { flatCluster } from "./flat-cluster";
import type { Replies } from "./replies";

type Credentials = { SSH?: JsonObject } & JsonObject;
type Host = { credentials: Credentials | null } & JsonObject;

/** Interface section 2.7. Of the fields that some create replies of clusters lack or leave empty, this type's do. */
export const capsmv2: Partial<Replies> = {
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
