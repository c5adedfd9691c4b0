import { TerraformStack, type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";
import type { TypeCode } from "../model/provider-type";
import { PROVIDER_RULE } from "../declarations/cluster-object";
import { renderValue } from "../declarations/rules";
import { ManagedObject, type ManagedObjectProps } from "./managed-object";
import { Provider, type IProvider } from "./provider";
import type { Services } from "./services";
import type { Template } from "./template";
import { refuse } from "./synth/refusal";
import { holdsToken } from "./synth/tokens";

/** Control plane of a cluster. The size of its nodes depends on the provider type. */
export interface ControlPlaneProps {
  /** Number of nodes, at least 1. Changing it replaces the cluster. Wire: `cluster.controlPlaneNodesCount`. */
  readonly count: number;
  /** Name of the node group. Changing it replaces the cluster. Wire: `nodeConfig.groupName`. @default "control-plane" */
  readonly group?: string;
  /**
   * Node roles. Short names (`control-plane`) get the prefix `node-role.kubernetes.io/`. Full labels are sent unchanged. Changing
   * it replaces the cluster. Wire: `nodeConfig.roles[].name`.
   * @default ["control-plane"]
   */
  readonly roles?: string[];
}

/** A group of worker nodes. The size of its nodes depends on the provider type. */
export interface WorkerGroupProps {
  /** Name of the group, unique in the cluster. Changing it replaces the cluster. Wire: `nodeConfig.groupName`. */
  readonly group: string;
  /** Number of nodes, 0 or more. Changing it replaces the cluster. Wire: `workersCount`. */
  readonly count: number;
  /**
   * Node roles. Short names (`workers`, `infra`) get the prefix `node-role.kubernetes.io/`. Full labels are sent unchanged.
   * Changing it replaces the cluster. Wire: `nodeConfig.roles[].name`.
   * @default - ["infra"] for the group `infra`, ["workers"] for every other group
   */
  readonly roles?: string[];
}

/** Props that the clusters of every provider type have. */
export interface ClusterProps<
  ProviderOfType extends IProvider,
  ControlPlaneSize,
  WorkerSize = ControlPlaneSize,
> extends ManagedObjectProps {
  /**
   * Name of the cluster, unique on the service. It must be known at synth. It is the key in Terraform's state: another name is
   * another cluster. Wire: `cluster.clusterName`.
   */
  readonly name: string;
  /** The provider that the cluster runs on. Changing it replaces the cluster. Wire: the type's reference field. */
  readonly provider: ProviderOfType;
  /** The control plane nodes. */
  readonly controlPlane: ControlPlaneProps & ControlPlaneSize;
  /** The groups of worker nodes. */
  readonly workers: (WorkerGroupProps & WorkerSize)[];
  /** Network of the pods, in CIDR notation. Changing it replaces the cluster. Wire: `cluster.podSubnet`. */
  readonly podSubnet: string;
  /**
   * Network of the services, in CIDR notation. It must not overlap `podSubnet`. Changing it replaces the cluster. Wire:
   * `cluster.serviceSubnet`.
   */
  readonly serviceSubnet: string;
  /**
   * Platform services that run on the cluster. Changing it replaces the cluster. Wire: `cluster.enabledServices` or
   * `cluster.disabledServices`, never both.
   * @default Services.base()
   */
  readonly services?: Services;
  /**
   * Kubernetes version, with or without a leading `v`. A template of the provider must have it. Changing it replaces the cluster.
   * Wire: `cluster.kubernetesVersion`.
   * @default - null is sent, and the service chooses
   */
  readonly kubernetesVersion?: string;
  /** Domain of the cluster's ingress. Changing it replaces the cluster. Wire: `cluster.ingress`. @default "" */
  readonly ingress?: string;
  /** Address of the cluster's ingress. Changing it replaces the cluster. Wire: `cluster.ingressvip`. @default "" */
  readonly ingressVip?: string;
  /**
   * Whether a load balancer outside the cluster serves the Kubernetes API. Changing it replaces the cluster. Wire:
   * `cluster.externalKubeAPILB`.
   * @default false
   */
  readonly externalApiLoadBalancer?: boolean | IResolvable;
  /**
   * Whether a load balancer outside the cluster serves its ingress. Changing it replaces the cluster. Wire:
   * `cluster.externalingresslb`.
   * @default false
   */
  readonly externalIngressLoadBalancer?: boolean | IResolvable;
  /**
   * Sent unchanged. The service's interface does not show its effect. Changing it replaces the cluster. Wire: `cluster.secure`.
   * @default true
   */
  readonly secure?: boolean | IResolvable;
  /** Whether the apply waits until the cluster is Provisioned. Changing it replaces nothing. @default true */
  readonly waitForReady?: boolean;
}

/** The version of the platform services. All types except capsmv2 need it. */
export interface ProductVersionProps {
  /**
   * Version of the platform services, `<major>.<minor>.<patch>`. Changing it replaces the cluster. Wire:
   * `cluster.productVersion`.
   */
  readonly productVersion: string;
}

/**
 * A Kubernetes cluster. The service has no update: if a field changes, the apply deletes the cluster with everything on it and
 * creates it again.
 */
export abstract class Cluster extends ManagedObject implements ITerraformDependable {
  readonly clusterName: string;

  protected constructor(
    scope: Construct,
    id: string,
    type: TypeCode,
    props: ClusterProps<IProvider, object> & { readonly [prop: string]: unknown },
  ) {
    const { waitForReady = true, provider, ...common } = props ?? {};
    super(
      scope,
      id,
      type,
      "clusters",
      { ...common, provider: nameOf(provider) },
      {
        provider: provider?.providerName,
        byName: !(provider instanceof Construct),
        waitForReady: waitForReady !== false,
        offeredVersions: offeredBy(provider),
      },
      providerProblem(type, provider),
    );
    if (typeof waitForReady !== "boolean")
      refuse(this, [`'waitForReady' must be true or false, got ${renderValue(waitForReady)}`]);
    this.clusterName = this._declared.name;
    if (provider instanceof Construct) this.follow(provider);
  }

  /**
   * Address for `dependsOn` of other resources, which Terraform creates after the cluster is ready. The first read adds the
   * resource that waits for the cluster to the stack.
   */
  override get fqn(): string {
    return this.platform._resources.readyResource(this._declared).fqn;
  }

  /**
   * {@link Engine.PROVIDER} only. Live address of the Kubernetes API, a token that is known when the cluster is ready. The prop
   * `apiEndpoint` has the declared address.
   */
  get endpoint(): string {
    return this._live("endpoint").endpoint(this._declared);
  }

  /** {@link Engine.PROVIDER} only. Live phase, such as `Provisioned`, a token that is known when the cluster is ready. */
  get phase(): string {
    return this._live("phase").phase(this._declared);
  }

  /** A provider of the same Platform is always created first. */
  private follow(provider: Construct): void {
    const [here, there] = [TerraformStack.of(this), TerraformStack.of(provider)];
    if (here !== there) here.addDependency(there);
    else if (provider instanceof Provider && provider.platform !== this.platform) {
      const [own, other] = [this.platform.node.path, provider.platform.node.path];
      refuse(this, [
        `'provider' must be on the Platform of the cluster, ${own}, got ${provider.providerName}, which is on ${other} and so on another service`,
      ]);
    }
  }
}

/** A missing provider is reported with the other props. */
function providerProblem(type: TypeCode, provider: IProvider | null | undefined): string | undefined {
  if (provider === undefined || provider === null || provider.providerType === type) return undefined;
  return provider.providerType === undefined
    ? `'provider' must ${PROVIDER_RULE}, got ${renderValue(provider)}`
    : `'provider' must be a provider of type ${type}, got ${provider.providerName}, which is of type ${provider.providerType}`;
}

/** Any other value than a provider breaks a rule of the declaration. */
function nameOf(provider: unknown): unknown {
  return typeof provider === "object" ? (provider as IProvider | null)?.providerName : provider;
}

/** Undefined if the provider's construct is not known, or if the versions are tokens. */
function offeredBy(provider: IProvider): string[] | undefined {
  const templates = provider instanceof Provider ? provider._declared.spec.templates : undefined;
  if (!Array.isArray(templates) || holdsToken(templates)) return undefined;
  return (templates as Template[]).map(({ kubernetesVersion }) => kubernetesVersion);
}
