import * as z from "zod/mini";
import { clusterObject } from "../cluster-object";
import { providerObject } from "../provider-object";
import { providerType } from "../object-type";
import * as rules from "../rules";
import { templateBodies, templates } from "../templates";

const node = {
  cpus: rules.whole("CPUs", 1),
  memory: rules.wholeNumber(1),
  diskGb: rules.whole("GB", 1),
  networkInterfaces: z.optional(
    z.array(
      z.strictObject({ netType: rules.text, networkName: rules.text }, "be { netType, networkName }"),
      "be a list of network interfaces",
    ),
  ),
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

export const capbd = providerType({
  code: "capbd",

  provider: () =>
    providerObject({
      spec: {
        name: rules.name,
        accountName: rules.text,
        resourceGroupName: rules.text,
        controllerUrl: rules.httpUrl,
        ssoUrl: rules.httpUrl,
        appId: rules.textOrSecret,
        appSecret: rules.secret,
        insecureSkipVerify: z.optional(rules.boolean),
        externalNetworkName: rules.text,
        vinsName: rules.text,
        haLoadBalancer: z.optional(rules.boolean),
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
        templates: templateBodies(spec.templates),
        templateNetInterface: spec.templateNetworkInterface,
      }),
    }),

  cluster: () =>
    clusterObject({
      controlPlane: node,
      worker: node,
      extra: { apiEndpoint: rules.ipAddress },
      // The interface's samples have network interfaces only on the control plane, so workers get them only if declared.
      controlPlaneDefaults: () => ({ networkInterfaces: [] }),
      providerReference: "providerName",
      controlPlaneKey: "controlplaneNodeConfig",
      controlPlaneNode: nodeBody,
      workerNode: nodeBody,
      clusterFields: (spec) => ({ apiEndpoint: spec.apiEndpoint }),
    }),
});
