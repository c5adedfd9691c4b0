import * as z from "zod/mini";
import * as rules from "../../declarations/rules";
import type { Replies } from "./replies";

/** The replies are set if they differ from those of most types. */
export interface SimulatedType extends Partial<Replies> {
  readonly provider: z.ZodMiniType;
  readonly cluster: z.ZodMiniType;
}

/** For all types but capvs. */
export const templates = z.array(z.strictObject({ template: z.string(), kubeVersion: rules.kubeVersion }));

const DISABLED_SERVICE_RULE = "be all, or the name of a platform service";
const disabledService = z
  .string()
  .check(z.refine((name) => name === "all" || rules.serviceName.safeParse(name).success, DISABLED_SERVICE_RULE));

/** The fields of `cluster` that every type sends. */
const cluster = {
  clusterName: z.string(),
  controlPlaneNodesCount: rules.whole("nodes", 0),
  enabledServices: z.optional(z.array(rules.serviceName)),
  disabledServices: z.optional(z.array(disabledService)),
  externalKubeAPILB: z.boolean(),
  externalingresslb: z.boolean(),
  ingress: z.string(),
  ingressvip: rules.optionalIpAddress,
  kubernetesVersion: z.nullable(rules.wantedKubeVersion),
  podSubnet: rules.cidr,
  serviceSubnet: rules.cidr,
  secure: z.boolean(),
  productVersion: rules.optionalVersion,
};

const nodeConfig = z.strictObject({
  groupName: z.string(),
  roles: z.array(z.strictObject({ name: z.string() })),
});

/**
 * @param fields the type's own fields
 */
export function clusterRequest(
  providerReference: "identityName" | "providerName" | "name",
  controlPlaneKey: "controlplaneNodeConfig" | "controlPlaneNodeConfig",
  fields: Readonly<Record<"cluster" | "provider" | "controlPlaneNode" | "workerNode", z.core.$ZodShape>>,
): z.ZodMiniType {
  return z.strictObject({
    cluster: z.strictObject({ ...cluster, ...fields.cluster }),
    provider: z.strictObject({
      [providerReference]: z.string(),
      [controlPlaneKey]: z.strictObject({ nodeConfig, ...fields.controlPlaneNode }),
      workerNodeConfigs: z.array(z.strictObject({ nodeConfig, workersCount: rules.whole("nodes", 0), ...fields.workerNode })),
      ...fields.provider,
    }),
  });
}
