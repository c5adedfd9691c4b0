import type { JsonObject } from "../../src/model/provider-type";
import { goldens } from "../goldens";

type Body = JsonObject & { cluster: JsonObject; provider: JsonObject };

const { provider, cluster } = goldens.capvs;

/** A valid capvs registration. */
export function providerBody(identityName = "eu", fields: JsonObject = {}): JsonObject {
  return { ...provider.minimal.body, identityName, ...fields };
}

/** A valid capvs cluster with 3 + 2 + 0 nodes. */
export function clusterBody(clusterName: string, identityName = "eu", fields: JsonObject = {}): Body {
  const body = cluster.minimal.body as Body;
  return { cluster: { ...body.cluster, clusterName, ...fields }, provider: { ...body.provider, identityName } };
}

export const PROVIDERS = "/api/v1/platform/providers";
export const CLUSTERS = "/api/v1/clusters";
export const NEW_PROVIDER = `${PROVIDERS}/capvs`;
export const NEW_CLUSTER = `${PROVIDERS}/clusters/capvs`;

export interface ClusterListReply {
  readonly items: readonly (JsonObject & { clusterName: string; phase: string; conditions: { type: string }[] | null })[];
  readonly count: number;
}
