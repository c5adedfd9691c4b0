import * as z from "zod/mini";
import { clusterObject } from "../cluster-object";
import { providerObject } from "../provider-object";
import { providerType } from "../object-type";
import * as rules from "../rules";
import { templateBodies, templates } from "../templates";
import { quantityAsMebibytes } from "../quantity";

const node = {
  cpus: rules.whole("CPUs", 1),
  memorySize: rules.quantity,
  platformId: rules.text,
  diskType: rules.text,
  diskSize: rules.quantity,
};

interface NodeSize {
  readonly cpus: number;
  readonly memorySize: string;
  readonly platformId: string;
  readonly diskType: string;
  readonly diskSize: string;
}

const nodeBody = ({ cpus, memorySize, platformId, diskType, diskSize }: NodeSize) => ({
  capycNodeConfig: { cpuCores: cpus, memorySize, platformID: platformId, volumeType: diskType, volumeSize: diskSize },
});

export const capyc = providerType({
  code: "capyc",

  provider: () =>
    providerObject({
      spec: {
        name: rules.name,
        serviceAccountKey: rules.secret,
        folderId: rules.text,
        connectFolderId: z.optional(rules.text),
        networkId: rules.text,
        subnetId: rules.text,
        zoneId: rules.text,
        allowedPlatformIds: rules.texts,
        diskTypes: rules.texts,
        loadBalancerType: z.optional(rules.text),
        loadBalancerInternal: z.optional(rules.boolean),
        templates,
      },
      defaults: (declared) => ({
        connectFolderId: declared.folderId,
        loadBalancerType: "ALB",
        loadBalancerInternal: false,
      }),
      nameField: "identityName",
      body: (spec) => ({
        identityName: spec.name,
        connectInfo: { key: spec.serviceAccountKey, folderId: spec.connectFolderId },
        folderID: spec.folderId,
        networkID: spec.networkId,
        subnetID: spec.subnetId,
        zoneID: spec.zoneId,
        allowedPlatformIDs: spec.allowedPlatformIds,
        volumeTypes: spec.diskTypes,
        loadBalancerType: spec.loadBalancerType,
        loadBalancerInternal: spec.loadBalancerInternal,
        templates: templateBodies(spec.templates),
      }),
    }),

  cluster: () =>
    clusterObject({
      controlPlane: node,
      worker: node,
      extra: {},
      memory: { prop: "memorySize", mebibytes: quantityAsMebibytes },
      providerReference: "providerName",
      controlPlaneKey: "controlplaneNodeConfig",
      controlPlaneNode: nodeBody,
      workerNode: nodeBody,
    }),
});
