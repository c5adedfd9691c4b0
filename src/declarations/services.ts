/** Without the common prefix `product-`. Any other name that begins with `product-` is accepted, too. */
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

/** The name of a listed platform service in requests. */
export type ServiceName = `product-${(typeof BASE_SERVICES)[number] | (typeof OTHER_SERVICES)[number]}`;

const wireNames = (names: readonly string[]) => names.map((name) => `product-${name}` as ServiceName);

/** Declarations hold only the name of a preset, so a preset may grow without replacing clusters. */
export const SERVICE_PRESETS = {
  base: wireNames(BASE_SERVICES),
  all: wireNames([...BASE_SERVICES, ...OTHER_SERVICES]),
} as const;

export type ServicesSpec =
  | { readonly preset: "base" | "all" | "criticalOnly" }
  | { readonly enabled: readonly string[] }
  | { readonly disabled: readonly string[] };

/** Exactly one of the two lists, because the interface does not say which one wins if both are sent. */
export function servicesBody(
  spec: ServicesSpec,
): { enabledServices: readonly string[] } | { disabledServices: readonly string[] } {
  if ("enabled" in spec) return { enabledServices: spec.enabled };
  if ("disabled" in spec) return { disabledServices: spec.disabled };
  if (spec.preset === "criticalOnly") return { disabledServices: ["all"] };
  return { enabledServices: SERVICE_PRESETS[spec.preset] };
}
