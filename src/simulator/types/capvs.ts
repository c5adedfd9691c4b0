import { createHash } from "node:crypto";
import * as z from "zod/mini";
import * as rules from "../../declarations/rules";
import type { JsonObject } from "../../model/provider-type";
import { clusterRequest, type SimulatedType } from "./simulated-type";

const nodeFields = { capvsNodeConfig: z.strictObject({ diskGiB: z.int(), memoryMiB: z.int(), numCPUs: z.int() }) };

export const capvs: SimulatedType = {
  provider: z.strictObject({
    identityName: z.string(),
    connectInfo: z.strictObject({ url: rules.hostPort, user: z.string(), passwd: z.string() }),
    datacenter: z.string(),
    datastore: z.string(),
    folder: z.string(),
    network: z.string(),
    resourcePool: z.string(),
    storagePolicyName: z.string(),
    cloneMode: z.string(),
    template: z.array(z.strictObject({ key: z.string(), value: z.string() })),
    templateNetInterface: z.string(),
    IPAddressPoolName: z.string(),
    allowEditCSI: z.boolean(),
  }),
  cluster: clusterRequest("identityName", "controlplaneNodeConfig", {
    cluster: { apiEndpoint: rules.ipAddress },
    provider: { enableCSI: z.boolean() },
    controlPlaneNode: nodeFields,
    workerNode: nodeFields,
  }),
  isReadyLater: true,
  providerCreated: ({ identityName, connectInfo, ...provider }) => {
    const { url } = connectInfo as { url: string };
    return {
      identityName,
      provider: { managerAddress: url, user: "", passwd: "", thumbprint: thumbprint(url), ...provider } satisfies JsonObject,
      ready: false,
    };
  },
};

/** Stands for the certificate thumbprint of a real platform. The same address always gets the same one. */
function thumbprint(address: string): string {
  const hex = createHash("sha1").update(address).digest("hex").toUpperCase();
  return hex.match(/../g)!.join(":");
}
