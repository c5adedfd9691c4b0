import type { JsonObject } from "../model/provider-type";

/** What the service reads from request bodies that have passed their schema, whatever the type. */

export function providerNameOf(providerBody: JsonObject): string {
  return String(providerBody.identityName ?? providerBody.name);
}

export function clusterNameOf(clusterBody: JsonObject): string {
  return String(requestedCluster(clusterBody).clusterName);
}

/** The name of the registered provider that a cluster refers to: each type has another field for it. */
export function providerReferenceOf(clusterBody: JsonObject): string {
  const { identityName, providerName, name } = requestedProvider(clusterBody);
  return String(identityName ?? providerName ?? name);
}

/** The `cluster` object of a cluster's request, as far as all types agree (interface section 2.11). */
export interface RequestedCluster extends JsonObject {
  readonly clusterName: string;
  readonly apiEndpoint?: string;
  readonly controlPlaneNodesCount: number;
  readonly enabledServices?: readonly string[];
  readonly disabledServices?: readonly string[];
  readonly ingress: string;
  readonly podSubnet: string;
  readonly serviceSubnet: string;
  readonly secure: boolean;
}

export function requestedCluster(clusterBody: JsonObject): RequestedCluster {
  return clusterBody.cluster as RequestedCluster;
}

/** The `provider` object of a cluster's request, as far as all types agree (interface section 2.12). */
export interface RequestedProvider extends JsonObject {
  readonly workerNodeConfigs: readonly ({ nodeConfig: { groupName: string }; workersCount: number } & JsonObject)[];
}

export function requestedProvider(clusterBody: JsonObject): RequestedProvider {
  return clusterBody.provider as RequestedProvider;
}

export function nodeCountOf(clusterBody: JsonObject): number {
  const workers = requestedProvider(clusterBody).workerNodeConfigs;
  return requestedCluster(clusterBody).controlPlaneNodesCount + workers.reduce((sum, { workersCount }) => sum + workersCount, 0);
}

/** A domain as replies show it: as a wildcard. */
export function wildcard(ingress: string): string {
  return ingress === "" || ingress.startsWith("*.") ? ingress : `*.${ingress}`;
}
