import type { JsonObject } from "../model/provider-type";

/** The functions here read bodies that have passed their schema. */

export function providerNameOf(providerBody: JsonObject): string {
  return String(providerBody.identityName ?? providerBody.name);
}

export function clusterNameOf(clusterBody: JsonObject): string {
  return String(requestedCluster(clusterBody).clusterName);
}

/** The field's name differs by type. */
export function providerReferenceOf(clusterBody: JsonObject): string {
  const { identityName, providerName, name } = requestedProvider(clusterBody);
  return String(identityName ?? providerName ?? name);
}

/** The fields of `cluster` that all types have. */
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

/** The fields of `provider` that all types have. */
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

/** Replies show a domain as a wildcard. */
export function wildcard(ingress: string): string {
  return ingress === "" || ingress.startsWith("*.") ? ingress : `*.${ingress}`;
}
