import * as z from "zod/mini";
import * as rules from "../../declarations/rules";
import type { JsonObject } from "../../model/provider-type";
import { clusterRequest, templates, type SimulatedType } from "./simulated-type";

const cpu = z.strictObject({ cores: z.int(), sockets: z.int(), threads: z.int() });

export const capov: SimulatedType = {
  provider: z.strictObject({
    name: z.string(),
    connection: z.strictObject({
      url: rules.httpsUrl,
      user: z.string(),
      passwd: z.string(),
      tls: z.strictObject({ cert: z.boolean(), certs: z.string(), insecure: z.boolean() }),
    }),
    datacenter: z.string(),
    cluster: z.string(),
    VNICProfile: z.string(),
    csistorageDomainName: z.string(),
    templates: templates,
    templateNetInterface: z.string(),
    IPAddressPoolName: z.string(),
    allowEditCSI: z.boolean(),
  }),
  cluster: clusterRequest("providerName", "controlplaneNodeConfig", {
    cluster: { apiEndpoint: rules.ipAddress },
    provider: { enableCSI: z.boolean() },
    controlPlaneNode: {
      capvsNodeConfig: z.strictObject({
        cpu: cpu,
        memory: z.strictObject({ sizeMB: z.int(), guaranteedMB: z.int() }),
        osDiskSizeGB: z.int(),
      }),
    },
    workerNode: {
      capovNodeConfig: z.strictObject({
        cpu: cpu,
        memory: z.strictObject({ sizeMB: z.int() }),
        osDiskSizeGB: z.int(),
      }),
    },
  }),
  providerCreated: ({ connection, ...provider }) => {
    const { tls, ...login } = connection as { tls: JsonObject };
    const { certs: _, ...tlsReply } = tls;
    return { ...provider, VMType: "server", connection: { ...login, tls: tlsReply }, infraProviderName: "" };
  },
};
