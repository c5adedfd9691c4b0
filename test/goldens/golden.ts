import type { JsonObject, TypeCode } from "../../src/model/provider-type";
import type { SecretReference } from "../../src/model/secret-reference";

/** A declaration and its request body, both written by hand from the service's interface. */
export interface Example {
  readonly declaration: JsonObject;
  readonly body: JsonObject;
}

/** The promises for the providers or the clusters of one type. */
export interface ObjectGolden {
  /** Required props only. All other fields of the body are documented defaults. */
  readonly minimal: Example;
  /** All props, with values that differ from the defaults. */
  readonly maximal: Example;
  /** The triggers in Terraform's state for `maximal`. Deployed state depends on them: a change here replaces live objects. */
  readonly declared: Readonly<Record<string, string | number | boolean>>;
  /** For each rule: the prop, a value that breaks the rule, and the message after `'<prop>' must`. */
  readonly rejected: readonly (readonly [prop: string, value: unknown, rest: string])[];
}

export interface TypeGolden {
  readonly code: TypeCode;
  readonly provider: ObjectGolden;
  readonly cluster: ObjectGolden;
}

/** A reference to a secret. The goldens' bodies have its value, {@link valueOf}. */
export const secret = (env: string): SecretReference => ({ $secret: { env } });

export const valueOf = (env: string) => `value of ${env}`;

/** The base set of the catalogue of services (interface section 2.13). */
export const baseServices = [
  "product-cert-manager-crds",
  "product-vip-provider",
  "product-update-crds",
  "product-monitoring-crds",
  "product-local-csi",
  "product-policy-manager-crds",
  "product-vip",
  "product-node-config-crds",
  "product-services",
  "product-services-crds",
  "product-caching-dns",
  "product-cert-manager",
  "product-update",
  "product-networking",
  "product-node-config",
];

export const allServices = [
  ...baseServices,
  "product-backup",
  "product-backup-crds",
  "product-rollouts",
  "product-rollouts-crds",
  "product-descheduler",
  "product-ingress-controller",
  "product-metrics-collector",
  "product-metrics-collector-crds",
  "product-scanner",
  "product-scanner-crds",
  "product-cert-expiration",
  "product-cd",
  "product-cd-crds",
  "product-policy-manager",
  "product-snapshotter",
  "product-snapshotter-crds",
  "product-trust-manager",
  "product-trust-manager-crds",
  "product-dashboards",
  "product-log-collector",
  "product-log-collector-crds",
];
