import type { IResolvable } from "cdktf";
import type { Construct } from "constructs";
import { Cluster, type ClusterProps, type ProductVersionProps } from "../cluster";
import { Provider, type IProvider, type ProviderProps } from "../provider";
import type { Secret } from "../secret";
import type { Template } from "../template";

/** A provider of type `capyc`, registered here or elsewhere. */
export interface ICapycProvider extends IProvider {
  readonly providerType: "capyc";
}

/** Props of a {@link CapycProvider}: how the service reaches a cloud with folders and zones. */
export interface CapycProviderProps extends ProviderProps {
  /**
   * Key of a service account: the whole JSON document from the cloud, in a variable or a file. It is sent unchanged, as a string.
   * The service hides it in replies. Wire: `connectInfo.key`.
   */
  readonly serviceAccountKey: Secret;
  /** Id of the folder of the machines. Changing it replaces the registration. Wire: `folderID`. */
  readonly folderId: string;
  /**
   * Id of the folder that the service logs in to. Changing it replaces the registration. Wire: `connectInfo.folderId`.
   * @default - the same as `folderId`
   */
  readonly connectFolderId?: string;
  /** Id of the network of the machines. Changing it replaces the registration. Wire: `networkID`. */
  readonly networkId: string;
  /** Id of the subnet of the machines. Changing it replaces the registration. Wire: `subnetID`. */
  readonly subnetId: string;
  /** Id of the zone of the machines. Changing it replaces the registration. Wire: `zoneID`. */
  readonly zoneId: string;
  /**
   * Platforms that nodes may have. Their order does not matter. Changing them replaces the registration. Wire:
   * `allowedPlatformIDs`.
   */
  readonly allowedPlatformIds: string[];
  /**
   * Disk types that nodes may have. Their order does not matter. Changing them replaces the registration. Wire: `volumeTypes`.
   */
  readonly diskTypes: string[];
  /**
   * Kind of the load balancers. The interface shows only `ALB`. Changing it replaces the registration. Wire: `loadBalancerType`.
   * @default "ALB"
   */
  readonly loadBalancerType?: string;
  /**
   * Whether load balancers have internal addresses only. Changing it replaces the registration. Wire: `loadBalancerInternal`.
   * @default false
   */
  readonly loadBalancerInternal?: boolean | IResolvable;
  /** Machine images, at least one. Changing them replaces the registration. Wire: `templates`. */
  readonly templates: Template[];
}

/** A registration of a `capyc` cloud. */
export class CapycProvider extends Provider implements ICapycProvider {
  /** A provider of this type that was registered elsewhere, by its name. */
  static fromName(name: string): ICapycProvider {
    return { providerName: name, providerType: "capyc" };
  }

  declare readonly providerType: "capyc";

  constructor(scope: Construct, id: string, props: CapycProviderProps) {
    super(scope, id, "capyc", props);
  }
}

/** Size of a virtual machine of a {@link CapycCluster}. */
export interface CapycNodeSize {
  /** Virtual CPUs of each node, at least 1. Changing it replaces the cluster. Wire: `capycNodeConfig.cpuCores`. */
  readonly cpus: number;
  /**
   * Memory of each node: a number and a unit, such as `8Gi`. The interface does not show which units exist. Changing it replaces
   * the cluster. Wire: `capycNodeConfig.memorySize`.
   */
  readonly memorySize: string;
  /**
   * Platform of each node. It must be one of the provider's `allowedPlatformIds`. Changing it replaces the cluster. Wire:
   * `capycNodeConfig.platformID`.
   */
  readonly platformId: string;
  /**
   * Type of each node's disk. It must be one of the provider's `diskTypes`. Changing it replaces the cluster. Wire:
   * `capycNodeConfig.volumeType`.
   */
  readonly diskType: string;
  /**
   * Size of each node's disk: a number and a unit, such as `60Gi`. The interface does not show which units exist. Changing it
   * replaces the cluster. Wire: `capycNodeConfig.volumeSize`.
   */
  readonly diskSize: string;
}

/** Props of a {@link CapycCluster}. Its requests have no address of the Kubernetes API. */
export interface CapycClusterProps extends ClusterProps<ICapycProvider, CapycNodeSize>, ProductVersionProps {
  /** The provider that the cluster runs on. Changing it replaces the cluster. Wire: `provider.providerName`. */
  readonly provider: ICapycProvider;
  /**
   * Domain of the cluster's ingress. The interface's requests for this type have one. The service's replies have the wildcard of
   * the domain. Changing it replaces the cluster. Wire: `cluster.ingress`.
   * @default ""
   */
  readonly ingress?: string;
}

/** A Kubernetes cluster whose nodes are virtual machines of a {@link CapycProvider}. */
export class CapycCluster extends Cluster {
  declare readonly providerType: "capyc";

  constructor(scope: Construct, id: string, props: CapycClusterProps) {
    super(scope, id, "capyc", { ...props });
  }
}
