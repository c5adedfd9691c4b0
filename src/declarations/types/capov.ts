import { z } from "zod";
import { clusterObject } from "../cluster-object";
import { providerObject } from "../provider-object";
import type { ProviderType } from "../object-type";
import * as rules from "../rules";
import { templateBodies, templates } from "../templates";
import { asMebibytes } from "../warnings";

const worker = {
  cpu: z.strictObject(
    { cores: rules.whole("cores", 1), sockets: rules.whole("sockets", 1), threads: rules.whole("threads", 1) },
    "be { cores, sockets, threads }",
  ),
  memoryMb: rules.whole("MB", 1),
  diskGb: rules.whole("GB", 1),
};

const controlPlane = { ...worker, guaranteedMemoryMb: rules.whole("MB", 0).optional() };

export const capov = {
  code: "capov",

  provider: providerObject({
    spec: {
      name: rules.name,
      url: rules.httpsUrl,
      username: rules.textOrSecret,
      password: rules.secret,
      tls: z
        .strictObject(
          {
            certificates: rules.multilineText.optional(),
            certificatesEnabled: rules.boolean.optional(),
            insecureSkipVerify: rules.boolean.optional(),
          },
          "be { certificates, certificatesEnabled, insecureSkipVerify }",
        )
        .optional(),
      datacenter: rules.text,
      computeCluster: rules.text,
      vnicProfile: rules.text,
      csiStorageDomainName: rules.text,
      templates,
      templateNetworkInterface: rules.text,
      ipAddressPoolName: rules.optionalText.optional(),
      allowEditCsi: rules.boolean.optional(),
    },
    defaults: () => ({
      tls: { certificates: "", certificatesEnabled: false, insecureSkipVerify: false },
      ipAddressPoolName: "",
      allowEditCsi: false,
    }),
    body: (spec) => ({
      name: spec.name,
      connection: {
        url: spec.url,
        user: spec.username,
        passwd: spec.password,
        tls: { cert: spec.tls?.certificatesEnabled, certs: spec.tls?.certificates, insecure: spec.tls?.insecureSkipVerify },
      },
      datacenter: spec.datacenter,
      cluster: spec.computeCluster,
      VNICProfile: spec.vnicProfile,
      csistorageDomainName: spec.csiStorageDomainName,
      templates: templateBodies(spec.templates),
      templateNetInterface: spec.templateNetworkInterface,
      IPAddressPoolName: spec.ipAddressPoolName,
      allowEditCSI: spec.allowEditCsi,
    }),
  }),

  cluster: clusterObject({
    controlPlane,
    worker,
    extra: { apiEndpoint: rules.ipAddress, enableCsi: rules.boolean.optional() },
    defaults: () => ({ enableCsi: true }),
    controlPlaneDefaults: (size) => ({ guaranteedMemoryMb: size.memoryMb }),
    memory: { prop: "memoryMb", mebibytes: asMebibytes },
    providerReference: "providerName",
    controlPlaneKey: "controlplaneNodeConfig",
    // The interface has the control plane of this type under the key of capvs, and only the workers under capov.
    controlPlaneNode: (size) => ({
      capvsNodeConfig: {
        cpu: size.cpu,
        memory: { sizeMB: size.memoryMb, guaranteedMB: size.guaranteedMemoryMb },
        osDiskSizeGB: size.diskGb,
      },
    }),
    workerNode: (size) => ({
      capovNodeConfig: { cpu: size.cpu, memory: { sizeMB: size.memoryMb }, osDiskSizeGB: size.diskGb },
    }),
    clusterFields: (spec) => ({ apiEndpoint: spec.apiEndpoint }),
    providerFields: (spec) => ({ enableCSI: spec.enableCsi }),
  }),
} satisfies ProviderType;
