import * as z from "zod/mini";
import * as rules from "../../declarations/rules";
import { clusterRequest, templates, type SimulatedType } from "./simulated-type";

const nodeFields = { cpu: z.int(), memory: z.int(), osDiskSizeGB: z.int() };

const networkInterfaces = z.array(z.strictObject({ netType: z.string(), networkName: z.string() }));

export const capbd: SimulatedType = {
  provider: z.strictObject({
    name: z.string(),
    accountName: z.string(),
    rgName: z.string(),
    connection: z.strictObject({
      decordUrl: rules.httpUrl,
      ssoUrl: rules.httpUrl,
      appId: z.string(),
      appSecret: z.string(),
      skipSSLVerification: z.boolean(),
    }),
    extNetName: z.string(),
    vinsName: z.string(),
    haLoadBalancer: z.boolean(),
    templates: templates,
    templateNetInterface: z.string(),
  }),
  cluster: clusterRequest("providerName", "controlplaneNodeConfig", {
    cluster: { apiEndpoint: rules.ipAddress },
    provider: {},
    controlPlaneNode: { capbdNodeConfig: z.strictObject({ ...nodeFields, networkInterfaces: networkInterfaces }) },
    workerNode: { capbdNodeConfig: z.strictObject({ ...nodeFields, networkInterfaces: z.optional(networkInterfaces) }) },
  }),
};
