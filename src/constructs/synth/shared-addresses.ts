import { TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { canonicalAddress } from "../../declarations/networks";
import { type DeclaredObject, problemOf } from "./declared-object";
import { isToken } from "./tokens";

/**
 * Two clusters cannot serve their API at one address. On two providers, or on two services, the address may be in two networks.
 * @param clusters of one Platform
 */
export function sharedEndpointProblems(clusters: readonly DeclaredObject[]): string[] {
  const seen = new Map<string, string>();
  return clusters.flatMap((cluster) =>
    addressesOf(cluster).flatMap(({ prop, address, canonical }) => {
      if (prop !== "apiEndpoint") return [];
      const key = `${cluster.type} ${cluster.provider} ${canonical}`;
      const first = seen.get(key);
      if (first === undefined) {
        seen.set(key, cluster.path);
        return [];
      }
      return [
        problemOf(
          cluster,
          `'apiEndpoint' must be an address of its own, but ${address} is also that of ${first}, on the same provider; ` +
            "if they are in separate networks, declare one of the clusters in another stack",
        ),
      ];
    }),
  );
}

interface Use {
  readonly cluster: DeclaredObject;
  readonly platform: Construct;
  readonly prop: string;
}

/** The first use of each address. */
const usesByStack = new WeakMap<TerraformStack, Map<string, Use>>();

/** Warnings about addresses that the cluster itself, or an earlier cluster of the stack, has too. */
export function sharedAddressWarnings(cluster: DeclaredObject, platform: Construct): string[] {
  const stack = TerraformStack.of(platform);
  const uses = usesByStack.get(stack) ?? new Map<string, Use>();
  usesByStack.set(stack, uses);
  return addressesOf(cluster).flatMap(({ prop, address, canonical }) => {
    const first = uses.get(canonical);
    if (first === undefined) {
      uses.set(canonical, { cluster, platform, prop });
      return [];
    }
    const is = `'${prop}' is ${address}, which is also the '${first.prop}' of`;
    if (first.cluster === cluster) {
      return hasExternalLoadBalancers(cluster) ? [] : `${is} this cluster: one load balancer must then serve both`;
    }
    return isRefused(first, { cluster, platform, prop })
      ? []
      : `${is} ${first.cluster.path}: the two must then be in separate networks`;
  });
}

function addressesOf({ kind, spec }: DeclaredObject) {
  if (kind !== "clusters") return [];
  return ["apiEndpoint", "ingressVip"].flatMap((prop) => {
    const address = spec[prop];
    if (typeof address !== "string" || address === "" || isToken(address)) return [];
    return [{ prop, address, canonical: canonicalAddress(address) }];
  });
}

function hasExternalLoadBalancers({ spec }: DeclaredObject): boolean {
  return spec.externalApiLoadBalancer === true && spec.externalIngressLoadBalancer === true;
}

/** See {@link sharedEndpointProblems}. */
function isRefused(one: Use, other: Use): boolean {
  return (
    one.platform === other.platform &&
    one.prop === "apiEndpoint" &&
    other.prop === "apiEndpoint" &&
    one.cluster.type === other.cluster.type &&
    one.cluster.provider === other.cluster.provider
  );
}
