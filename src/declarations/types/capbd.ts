import { z } from "zod";
import { clusterObject } from "../cluster-object";
import { providerObject } from "../provider-object";
import type { ProviderType } from "../object-type";
import * as rules from "../rules";
import { templates, templatesWire } from "../templates";

const node = {
  cpus: rules.whole("CPUs", 1),
  memory: rules.wholeNumber(1),
  diskGb: rules.whole("GB", 1),
  networkInterfaces: z
    .array(
      z.strictObject({ netType: rules.text, networkName: rules.text }, "be { netType, networkName }"),
      "be a list of network interfaces",
    )
    .optional(),
};

interface NodeSize {
  readonly cpus: number;
  readonly memory: number;
  readonly diskGb: number;
  readonly networkInterfaces?: { netType: string; networkName: string }[];
}

const nodeBody = ({ cpus, memory, diskGb, networkInterfaces }: NodeSize) => ({
  capbdNodeConfig: { cpu: cpus, memory, osDiskSizeGB: diskGb, ...(networkInterfaces && { networkInterfaces }) },
});

const nodeWire = { cpu: z.int(), memory: z.int(), osDiskSizeGB: z.int() };
const networkInterfacesWire = z.array(z.strictObject({ netType: z.string(), networkName: z.string() }));

/** Interface sections 2.5 and 2.12, row `capbd`. */
export const capbd = {
  code: "capbd",

  provider: providerObject({
    spec: {
      name: rules.name,
      accountName: rules.text,
      resourceGroupName: rules.text,
      controllerUrl: rules.httpUrl,
      ssoUrl: rules.httpUrl,
      appId: rules.textOrSecret,
      appSecret: rules.secret,
      insecureSkipVerify: rules.boolean.optional(),
      externalNetworkName: rules.text,
      vinsName: rules.text,
      haLoadBalancer: rules.boolean.optional(),
      templates,
      templateNetworkInterface: rules.text,
    },
    defaults: () => ({ insecureSkipVerify: false, haLoadBalancer: false }),
    body: (spec) => ({
      name: spec.name,
      accountName: spec.accountName,
      rgName: spec.resourceGroupName,
      connection: {
        decordUrl: spec.controllerUrl,
        ssoUrl: spec.ssoUrl,
        appId: spec.appId,
        appSecret: spec.appSecret,
        skipSSLVerification: spec.insecureSkipVerify,
      },
      extNetName: spec.externalNetworkName,
      vinsName: spec.vinsName,
      haLoadBalancer: spec.haLoadBalancer,
      templates: spec.templates,
      templateNetInterface: spec.templateNetworkInterface,
    }),
    wire: z.strictObject({
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
      templates: templatesWire,
      templateNetInterface: z.string(),
    }),
  }),

  cluster: clusterObject({
    controlPlane: node,
    worker: node,
    extra: { apiEndpoint: rules.ipAddress },
    // The interface's samples have interfaces on the control plane only, so workers hold them when declared.
    controlPlaneDefaults: () => ({ networkInterfaces: [] }),
    providerReference: "providerName",
    controlPlaneKey: "controlplaneNodeConfig",
    controlPlaneNode: nodeBody,
    workerNode: nodeBody,
    clusterFields: (spec) => ({ apiEndpoint: spec.apiEndpoint }),
    wire: {
      cluster: { apiEndpoint: rules.ipAddress },
      provider: {},
      controlPlaneNode: { capbdNodeConfig: z.strictObject({ ...nodeWire, networkInterfaces: networkInterfacesWire }) },
      workerNode: { capbdNodeConfig: z.strictObject({ ...nodeWire, networkInterfaces: networkInterfacesWire.optional() }) },
    },
  }),
} satisfies ProviderType;
