import type { JsonObject } from "../../model/provider-type";
import { requestedCluster } from "../bodies";
import { nestedCluster, servicesOf } from "./nested-cluster";
import type { Replies } from "./replies";

/** Interface sections 2.9 and 2.14. */
export const capcd: Partial<Replies> = {
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
