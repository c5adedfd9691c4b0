import * as z from "zod/mini";
import { isPlainObject } from "../util/prop-path";
import type { JsonObject } from "../model/provider-type";
import { overlap } from "./networks";
import type { ObjectType } from "./object-type";
import { isName, NAME_RULE } from "../model/object-name";
import * as rules from "./rules";
import { servicesBody, type ServicesSpec } from "./services";
import { keyedList, structureOf } from "./structure";
import { addressesInside, doubtfulServices, evenControlPlane, hostBits, littleMemory, type MemoryField } from "./warnings";

const ROLE_RULE = "be a node role: workers, infra, control-plane or a full label such as example.com/gpu";
const role = z
  .string(ROLE_RULE)
  .check(z.regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(\/[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)?$/, ROLE_RULE));
const roles = z.array(role, "be a list of node roles").check(z.minLength(1, "hold at least one node role"));

const servicesRule = "be a choice of services, as from Services.base() or Services.only(...)";
const services = z.union(
  [
    z.strictObject({ preset: z.enum(["base", "all", "criticalOnly"]) }),
    z.strictObject({ enabled: z.array(rules.serviceName) }),
    z.strictObject({ disabled: z.array(rules.serviceName) }),
  ],
  servicesRule,
);

export const PROVIDER_RULE = "be the construct of a provider, or a provider by fromName(name)";

const common = {
  name: rules.name,
  provider: z.string(PROVIDER_RULE).check(z.refine(isName, NAME_RULE)),
  podSubnet: rules.cidr,
  serviceSubnet: rules.cidr,
  productVersion: rules.version,
  kubernetesVersion: z.optional(rules.wantedKubeVersion),
  services: z.optional(services),
  ingress: z.optional(rules.optionalText),
  ingressVip: z.optional(rules.optionalIpAddress),
  externalApiLoadBalancer: z.optional(rules.boolean),
  externalIngressLoadBalancer: z.optional(rules.boolean),
  secure: z.optional(rules.boolean),
  bodyOverrides: z.optional(rules.jsonObject),
};

const group = rules.name;

const objectOf = <Shape extends z.core.$ZodShape>(shape: Shape) => z.strictObject(shape, "be an object");

type Shape = z.core.$ZodShape;
type Of<S extends Shape> = z.infer<z.ZodMiniObject<S>>;
type ControlPlaneSpec = { count: number; group: string; roles: string[] } & JsonObject;
type WorkerSpec = { group: string; count: number; roles: string[] } & JsonObject;

interface ClusterTraits<ControlPlane extends Shape, Worker extends Shape, Extra extends Shape> {
  /** Sizes (or selectors) of nodes, as props. */
  readonly controlPlane: ControlPlane;
  readonly worker: Worker;
  /** Props that only this type has, or that have another rule than in the other types. */
  readonly extra: Extra;
  readonly defaults?: (spec: JsonObject) => JsonObject;
  /** Set if the unit is known. */
  readonly memory?: MemoryField;
  readonly controlPlaneDefaults?: (size: Of<ControlPlane>) => JsonObject;
  readonly workerDefaults?: (size: Of<Worker>) => JsonObject;
  /** The field of the request's `provider` object that holds the name of the registered provider. */
  readonly providerReference: "identityName" | "providerName" | "name";
  readonly controlPlaneKey: "controlplaneNodeConfig" | "controlPlaneNodeConfig";
  readonly controlPlaneNode: (size: Of<ControlPlane>) => JsonObject;
  readonly workerNode: (size: Of<Worker>) => JsonObject;
  readonly clusterFields?: (spec: Of<Extra>) => JsonObject;
  readonly providerFields?: (spec: Of<Extra>) => JsonObject;
}

export function clusterObject<ControlPlane extends Shape, Worker extends Shape, Extra extends Shape>(
  traits: ClusterTraits<ControlPlane, Worker, Extra>,
) {
  const spec = objectOf({
    ...common,
    controlPlane: objectOf({
      count: rules.whole("nodes", 1),
      group: z.optional(group),
      roles: z.optional(roles),
      ...traits.controlPlane,
    }),
    workers: keyedList(
      "workers",
      "group",
      z.array(
        objectOf({ group, count: rules.whole("nodes", 0), roles: z.optional(roles), ...traits.worker }),
        "be a list of worker groups",
      ),
    ),
    ...traits.extra,
  }).check(
    z.refine(haveNetworksApart, {
      path: ["podSubnet"],
      error: ({ input }) => `not overlap 'serviceSubnet' (${(input as JsonObject).serviceSubnet as string})`,
      // Checked even if another prop breaks its rule.
      when: () => true,
    }),
  );

  return {
    spec,
    structure: structureOf(spec),
    defaults: (declared: JsonObject) => ({
      services: { preset: "base" },
      ingress: "",
      ingressVip: "",
      externalApiLoadBalancer: false,
      externalIngressLoadBalancer: false,
      secure: true,
      controlPlane: {
        group: "control-plane",
        roles: ["control-plane"],
        ...traits.controlPlaneDefaults?.(declared.controlPlane as Of<ControlPlane>),
      },
      workers: (declared.workers as WorkerSpec[]).map((worker) => ({
        roles: [worker.group === "infra" ? "infra" : "workers"],
        ...traits.workerDefaults?.(worker as Of<Worker> & WorkerSpec),
      })),
      ...traits.defaults?.(declared),
    }),
    body: (full: JsonObject) => {
      const { count, group, roles, ...size } = full.controlPlane as ControlPlaneSpec;
      return {
        cluster: {
          clusterName: full.name,
          controlPlaneNodesCount: count,
          ...servicesBody(full.services as Parameters<typeof servicesBody>[0]),
          externalKubeAPILB: full.externalApiLoadBalancer,
          externalingresslb: full.externalIngressLoadBalancer,
          ingress: full.ingress,
          ingressvip: full.ingressVip,
          kubernetesVersion: full.kubernetesVersion ?? null,
          podSubnet: full.podSubnet,
          serviceSubnet: full.serviceSubnet,
          secure: full.secure,
          productVersion: full.productVersion,
          ...traits.clusterFields?.(full as Of<Extra>),
        },
        provider: {
          [traits.providerReference]: full.provider,
          [traits.controlPlaneKey]: {
            nodeConfig: nodeConfig(group, roles),
            ...traits.controlPlaneNode(size as Of<ControlPlane>),
          },
          workerNodeConfigs: (full.workers as WorkerSpec[]).map(({ group, count, roles, ...size }) => ({
            nodeConfig: nodeConfig(group, roles),
            workersCount: count,
            ...traits.workerNode(size as Of<Worker>),
          })),
          ...traits.providerFields?.(full as Of<Extra>),
        },
      };
    },
    identity: [
      { field: "cluster.clusterName", prop: "name" },
      { field: `provider.${traits.providerReference}`, prop: "provider" },
    ],
    services: true,
    warnings: (declared) => [
      ...hostBits(spec, declared),
      ...addressesInside(declared),
      ...evenControlPlane(declared.controlPlane as ControlPlaneSpec),
      ...doubtfulServices(declared.services as ServicesSpec | undefined),
      ...littleMemoryOfNodes(traits.memory, declared),
    ],
  } satisfies ObjectType as ObjectType<typeof spec>;
}

function littleMemoryOfNodes(memory: MemoryField | undefined, { controlPlane, workers }: JsonObject): string[] {
  if (!memory) return [];
  return [
    ...littleMemory(memory, controlPlane as JsonObject, "controlPlane"),
    ...(workers as (JsonObject | undefined)[]).flatMap((worker, index) => littleMemory(memory, worker, `workers[${index}]`)),
  ];
}

/** True if one of the networks is not known. */
function haveNetworksApart(spec: unknown): boolean {
  const networks = isPlainObject(spec) ? [spec.podSubnet, spec.serviceSubnet] : [];
  const [pods, services] = networks.filter((network) => rules.cidr.safeParse(network).success) as string[];
  return pods === undefined || services === undefined || !overlap(pods, services);
}

function nodeConfig(groupName: string, roles: readonly string[]) {
  return { groupName, roles: roles.map((role) => ({ name: role.includes("/") ? role : `node-role.kubernetes.io/${role}` })) };
}
