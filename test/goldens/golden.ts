import type { JsonObject, TypeCode } from "../../src/model/provider-type";
import type { SecretReference } from "../../src/model/secret-reference";

/** A declaration and the request body that it must give, both written by hand from the service's interface. */
export interface Example {
  readonly declaration: JsonObject;
  readonly body: JsonObject;
}

/** What one kind of object of one provider type promises. */
export interface ObjectGolden {
  /** Only what must be said: every other field of the body is a documented default. */
  readonly minimal: Example;
  /** Everything that can be said, each value another than the default. */
  readonly maximal: Example;
  /** What Terraform keeps of `maximal`. State depends on it: a change here replaces objects that live. */
  readonly declared: Readonly<Record<string, string | number | boolean>>;
  /** Per rule: where, a value that breaks it, and what the message says after `'<prop>' must`. */
  readonly rejected: readonly (readonly [prop: string, value: unknown, rest: string])[];
}

export interface TypeGolden {
  readonly code: TypeCode;
  readonly provider: ObjectGolden;
  readonly cluster: ObjectGolden;
}

/** A reference to a secret; in the bodies of the goldens it stands resolved, by {@link valueOf}. */
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

/** The whole catalogue. */
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
