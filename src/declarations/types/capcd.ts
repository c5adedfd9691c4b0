import * as z from "zod/mini";
import { clusterObject } from "../cluster-object";
import { providerObject } from "../provider-object";
import { providerType } from "../object-type";
import * as rules from "../rules";
import { templateBodies, templates } from "../templates";

const node = { diskSize: rules.quantity, sizingPolicy: rules.text };

const nodeBody = ({ diskSize, sizingPolicy }: { diskSize: string; sizingPolicy: string }) => ({
  capcdNodeConfig: { diskSize, sizingPolicy },
});

export const capcd = providerType({
  code: "capcd",

  provider: () =>
    providerObject({
      spec: {
        name: rules.name,
        url: rules.httpsUrl,
        org: rules.text,
        username: rules.textOrSecret,
        password: rules.secret,
        refreshToken: z.optional(rules.secret),
        connectType: z.optional(rules.text),
        ovdc: rules.text,
        network: rules.text,
        vipSubnetName: z.optional(rules.optionalText),
        catalog: rules.text,
        sizingPolicies: rules.texts,
        templates,
      },
      defaults: () => ({ refreshToken: "", connectType: "login", vipSubnetName: "" }),
      body: (spec) => ({
        name: spec.name,
        connectInfo: {
          site: spec.url,
          org: spec.org,
          username: spec.username,
          password: spec.password,
          refreshToken: spec.refreshToken,
          connectType: spec.connectType,
        },
        ovdc: spec.ovdc,
        network: spec.network,
        vipSubnetName: spec.vipSubnetName,
        catalog: spec.catalog,
        sizingPolicies: spec.sizingPolicies,
        templates: templateBodies(spec.templates),
        providerType: "capcd",
      }),
    }),

  cluster: () =>
    clusterObject({
      controlPlane: node,
      worker: node,
      extra: {
        clusterConfigProfileName: z.optional(rules.optionalText),
        apiVipSubnet: rules.text,
        serviceVipSubnet: z.optional(rules.optionalText),
        enableCsi: z.optional(rules.boolean),
      },
      defaults: () => ({ clusterConfigProfileName: "", serviceVipSubnet: "", enableCsi: true }),
      providerReference: "identityName",
      controlPlaneKey: "controlplaneNodeConfig",
      controlPlaneNode: nodeBody,
      workerNode: nodeBody,
      // The interface shows the field for this type, always empty.
      clusterFields: (spec) => ({ apiEndpoint: "", clusterConfigProfileName: spec.clusterConfigProfileName }),
      providerFields: (spec) => ({
        kubeAPIVIPSubnet: spec.apiVipSubnet,
        serviceVIPSubnet: spec.serviceVipSubnet,
        enableCSI: spec.enableCsi,
      }),
    }),
});
