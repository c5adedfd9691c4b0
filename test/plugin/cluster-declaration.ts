import type { JsonObject } from "../../src/model/provider-type";

export const size = { cpus: 4, memoryMib: 8192, diskGib: 60 };

/** A valid declaration of a capvs cluster. */
export function clusterDeclaration(name: string): JsonObject {
  return {
    name,
    provider: "vsphere",
    apiEndpoint: "192.168.0.1",
    podSubnet: "10.244.0.0/16",
    serviceSubnet: "10.96.0.0/12",
    productVersion: "2.5.0",
    controlPlane: { count: 3, ...size },
    workers: [{ group: "default", count: 2, ...size }],
  };
}
