import { App, TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { requestBody } from "../../src/declarations/declaration";
import { objectTypeOf } from "../../src/declarations/types";
import type { JsonObject } from "../../src/model/provider-type";
import { CapvsCluster, type CapvsClusterProps, CapvsProvider, type CapvsProviderProps } from "../../src/constructs/types/capvs";
import { Platform } from "../../src/constructs/platform";
import { Secret } from "../../src/constructs/secret";

/** The secrets of {@link provider}, for the environment of a run. */
export const secrets = { VSPHERE_USERNAME: "svc-clusters", VSPHERE_PASSWORD: 'pa55-"word"-of-vsphere' };

/** A valid registration. `props` are the props that matter to the test. */
export function provider(
  scope: Construct,
  name = "vsphere",
  props: Partial<CapvsProviderProps> & { id?: string } = {},
): CapvsProvider {
  const { id = `provider-${name}`, ...rest } = props;
  return new CapvsProvider(scope, id, {
    name,
    server: "vcenter.example.com:443",
    username: Secret.fromEnv("VSPHERE_USERNAME"),
    password: Secret.fromEnv("VSPHERE_PASSWORD"),
    datacenter: "/eu",
    datastore: "ssd-01",
    folder: "/eu/vm/clusters",
    network: "/eu/network/clusters",
    resourcePool: "/eu/host/pool/Resources",
    templates: [{ template: "ubuntu-k8s-1.28.3", kubernetesVersion: "v1.28.3" }],
    templateNetworkInterface: "ens192",
    ...rest,
  });
}

/** Of each node of {@link cluster}. */
export const size = { cpus: 4, memoryMib: 8192, diskGib: 60 };

/** A valid cluster. Its addresses follow from its name. */
export function cluster(
  scope: Construct,
  name: string,
  on: CapvsClusterProps["provider"],
  props: Partial<CapvsClusterProps> & { id?: string } = {},
): CapvsCluster {
  const { id = `cluster-${name}`, ...rest } = props;
  return new CapvsCluster(scope, id, {
    name,
    provider: on,
    apiEndpoint: addressOf(name),
    podSubnet: "10.244.0.0/16",
    serviceSubnet: "10.96.0.0/12",
    productVersion: "2.5.0",
    controlPlane: { count: 3, ...size },
    workers: [{ group: "default", count: 2, ...size }],
    ...rest,
  });
}

/** The request body of {@link cluster} on a provider. */
export function clusterBody(name: string, on = "vsphere"): JsonObject {
  const stack = new TerraformStack(new App(), "stack");
  const platform = new Platform(stack, "platform");
  cluster(stack, name, CapvsProvider.fromName(on));
  return requestBody(objectTypeOf("capvs", "clusters"), platform._objects[0]!.spec);
}

function addressOf(name: string): string {
  const hash = [...name].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 65_000, 7);
  return `192.168.${hash >> 8}.${hash & 255}`;
}
