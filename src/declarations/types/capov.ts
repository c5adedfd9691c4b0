import * as z from "zod/mini";
import { clusterObject } from "../cluster-object";
import { providerObject } from "../provider-object";
import { providerType } from "../object-type";
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

const controlPlane = { ...worker, guaranteedMemoryMb: z.optional(rules.whole("MB", 0)) };

export const capov = providerType({
  code: "capov",

  provider: () =>
    providerObject({
      spec: {
        name: rules.name,
        url: rules.httpsUrl,
        username: rules.textOrSecret,
        password: rules.secret,
        tls: z.optional(
          z.strictObject(
            {
              certificates: z.optional(rules.multilineText),
              certificatesEnabled: z.optional(rules.boolean),
              insecureSkipVerify: z.optional(rules.boolean),
            },
            "be { certificates, certificatesEnabled, insecureSkipVerify }",
          ),
        ),
        datacenter: rules.text,
        computeCluster: rules.text,
        vnicProfile: rules.text,
        csiStorageDomainName: rules.text,
        templates,
        templateNetworkInterface: rules.text,
        ipAddressPoolName: z.optional(rules.optionalText),
        allowEditCsi: z.optional(rules.boolean),
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

  cluster: () =>
    clusterObject({
      controlPlane,
      worker,
      extra: { apiEndpoint: rules.ipAddress, enableCsi: z.optional(rules.boolean) },
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
});
