import * as z from "zod/mini";
import { clusterObject } from "../cluster-object";
import { providerObject } from "../provider-object";
import { providerType } from "../object-type";
import * as rules from "../rules";
import { templateBodies, templates } from "../templates";

const node = { flavor: rules.text, volumeType: rules.text, volumeSize: rules.wholeNumber(1) };

const nodeBody = ({ flavor, volumeType, volumeSize }: { flavor: string; volumeType: string; volumeSize: number }) => ({
  caposNodeConfig: { openstackFlavorName: flavor, volumeType, volumeSize },
});

export const capos = providerType({
  code: "capos",

  provider: () =>
    providerObject({
      spec: {
        name: rules.name,
        cloudName: rules.text,
        authUrl: rules.httpUrl,
        authType: z.optional(rules.text),
        projectId: rules.text,
        userDomainName: rules.text,
        projectDomainId: rules.text,
        regionName: rules.text,
        interface: z.optional(rules.text),
        identityApiVersion: z.optional(rules.text),
        insecureSkipVerify: z.optional(rules.boolean),
        externalNetworkId: rules.text,
        nodeSubnet: rules.cidr,
        managedSecurityGroups: z.optional(z.union([rules.boolean, rules.text], "be true, false or a string that is not empty")),
        sshKeyName: rules.text,
        flavors: rules.texts,
        volumeTypes: rules.texts,
        templates,
        templateNetworkInterface: rules.text,
      },
      defaults: () => ({
        authType: "password",
        interface: "public",
        identityApiVersion: "3",
        insecureSkipVerify: false,
        managedSecurityGroups: true,
      }),
      body: (spec) => ({
        name: spec.name,
        cloudName: spec.cloudName,
        cloudconfig: {
          config: {
            auth: {
              auth_url: spec.authUrl,
              project_id: spec.projectId,
              user_domain_name: spec.userDomainName,
              project_domain_id: spec.projectDomainId,
            },
            auth_type: spec.authType,
            region_name: spec.regionName,
            interface: spec.interface,
            identity_api_version: spec.identityApiVersion,
            verify: !spec.insecureSkipVerify,
          },
        },
        externalNetworkID: spec.externalNetworkId,
        nodeCIDR: spec.nodeSubnet,
        // The interface has a string here, also for true and false.
        managedSecurityGroups: String(spec.managedSecurityGroups),
        sshKeyName: spec.sshKeyName,
        flavors: spec.flavors,
        volumeTypes: spec.volumeTypes,
        templates: templateBodies(spec.templates),
        templateNetInterface: spec.templateNetworkInterface,
      }),
    }),

  cluster: () =>
    clusterObject({
      controlPlane: node,
      worker: node,
      extra: {},
      providerReference: "providerName",
      controlPlaneKey: "controlplaneNodeConfig",
      controlPlaneNode: nodeBody,
      workerNode: nodeBody,
    }),
});
