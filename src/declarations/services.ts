/**
 * The platform services that the service's interface names (section 2.13), without their common prefix.
 * The service may know more: any name that begins with `product-` is accepted.
 */
const BASE_SERVICES = [
  "cert-manager-crds",
  "vip-provider",
  "update-crds",
  "monitoring-crds",
  "local-csi",
  "policy-manager-crds",
  "vip",
  "node-config-crds",
  "services",
  "services-crds",
  "caching-dns",
  "cert-manager",
  "update",
  "networking",
  "node-config",
] as const;

const OTHER_SERVICES = [
  "backup",
  "backup-crds",
  "rollouts",
  "rollouts-crds",
  "descheduler",
  "ingress-controller",
  "metrics-collector",
  "metrics-collector-crds",
  "scanner",
  "scanner-crds",
  "cert-expiration",
  "cd",
  "cd-crds",
  "policy-manager",
  "snapshotter",
  "snapshotter-crds",
  "trust-manager",
  "trust-manager-crds",
  "dashboards",
  "log-collector",
  "log-collector-crds",
] as const;

/** A platform service of the catalogue, as the wire names it. */
export type ServiceName = `product-${(typeof BASE_SERVICES)[number] | (typeof OTHER_SERVICES)[number]}`;

const wireNames = (names: readonly string[]) => names.map((name) => `product-${name}` as ServiceName);

/** What the presets stand for. A preset may grow with a release: declarations hold its name, so nothing is replaced. */
export const SERVICE_PRESETS = {
  base: wireNames(BASE_SERVICES),
  all: wireNames([...BASE_SERVICES, ...OTHER_SERVICES]),
} as const;

/** The choice of services of a cluster, as it travels in a declaration. */
export type ServicesSpec =
  | { readonly preset: "base" | "all" | "criticalOnly" }
  | { readonly enabled: readonly string[] }
  | { readonly disabled: readonly string[] };

/** Exactly one of the two lists; which would win if both were sent the interface does not say. */
export function servicesBody(
  spec: ServicesSpec,
): { enabledServices: readonly string[] } | { disabledServices: readonly string[] } {
  if ("enabled" in spec) return { enabledServices: spec.enabled };
  if ("disabled" in spec) return { disabledServices: spec.disabled };
  if (spec.preset === "criticalOnly") return { disabledServices: ["all"] };
  return { enabledServices: SERVICE_PRESETS[spec.preset] };
}
