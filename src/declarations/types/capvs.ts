import * as z from "zod/mini";
import { clusterObject } from "../cluster-object";
import { providerObject } from "../provider-object";
import { providerType } from "../object-type";
import * as rules from "../rules";
import { templates } from "../templates";
import { asMebibytes } from "../warnings";

const node = { diskGib: rules.whole("GiB", 1), memoryMib: rules.whole("MiB", 1), cpus: rules.whole("CPUs", 1) };

const nodeBody = (size: { diskGib: number; memoryMib: number; cpus: number }) => ({
  capvsNodeConfig: { diskGiB: size.diskGib, memoryMiB: size.memoryMib, numCPUs: size.cpus },
});

export const capvs = providerType({
  code: "capvs",

  provider: () =>
    providerObject({
      spec: {
        name: rules.name,
        server: rules.hostPort,
        username: rules.textOrSecret,
        password: rules.secret,
        datacenter: rules.text,
        datastore: rules.text,
        folder: rules.text,
        network: rules.text,
        resourcePool: rules.text,
        templates,
        templateNetworkInterface: rules.text,
        storagePolicyName: z.optional(rules.optionalText),
        cloneMode: z.optional(rules.text),
        ipAddressPoolName: z.optional(rules.optionalText),
        allowEditCsi: z.optional(rules.boolean),
      },
      defaults: () => ({ storagePolicyName: "", cloneMode: "linkedClone", ipAddressPoolName: "", allowEditCsi: false }),
      nameField: "identityName",
      body: (spec) => ({
        identityName: spec.name,
        connectInfo: { url: spec.server, user: spec.username, passwd: spec.password },
        datacenter: spec.datacenter,
        datastore: spec.datastore,
        folder: spec.folder,
        network: spec.network,
        resourcePool: spec.resourcePool,
        storagePolicyName: spec.storagePolicyName,
        cloneMode: spec.cloneMode,
        template: spec.templates.map(({ template, kubernetesVersion }) => ({ key: template, value: kubernetesVersion })),
        templateNetInterface: spec.templateNetworkInterface,
        IPAddressPoolName: spec.ipAddressPoolName,
        allowEditCSI: spec.allowEditCsi,
      }),
    }),

  cluster: () =>
    clusterObject({
      controlPlane: node,
      worker: node,
      extra: { apiEndpoint: rules.ipAddress, enableCsi: z.optional(rules.boolean) },
      defaults: () => ({ enableCsi: true }),
      memory: { prop: "memoryMib", mebibytes: asMebibytes },
      providerReference: "identityName",
      controlPlaneKey: "controlplaneNodeConfig",
      controlPlaneNode: nodeBody,
      workerNode: nodeBody,
      clusterFields: (spec) => ({ apiEndpoint: spec.apiEndpoint }),
      providerFields: (spec) => ({ enableCSI: spec.enableCsi }),
    }),
});
