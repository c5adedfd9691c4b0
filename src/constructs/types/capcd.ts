import type { IResolvable } from "cdktf";
import type { Construct } from "constructs";
import { Cluster, type ClusterProps, type ProductVersionProps } from "../cluster";
import { Provider, type IProvider, type ProviderProps } from "../provider";
import type { Secret } from "../secret";
import type { Template } from "../template";

/** A provider of type `capcd`, registered here or elsewhere. */
export interface ICapcdProvider extends IProvider {
  readonly providerType: "capcd";
}

/** Props of a {@link CapcdProvider}: how the service reaches a Cloud Director site. */
export interface CapcdProviderProps extends ProviderProps {
  /** https URL of the site. Changing it replaces the registration. Wire: `connectInfo.site`. */
  readonly url: string;
  /** Organization on the site. Changing it replaces the registration. Wire: `connectInfo.org`. */
  readonly org: string;
  /**
   * User of the service on the site. The service shows it in replies. Changing it replaces the registration, unless it is a
   * Secret. Wire: `connectInfo.username`.
   */
  readonly username: string | Secret;
  /** Password of the user. The service shows it in replies. This package never shows it. Wire: `connectInfo.password`. */
  readonly password: Secret;
  /**
   * Token to log in with. The service shows it in replies. This package never shows it. Wire: `connectInfo.refreshToken`.
   * @default ""
   */
  readonly refreshToken?: Secret;
  /**
   * How the service logs in. The interface shows only `login`. Changing it replaces the registration. Wire:
   * `connectInfo.connectType`.
   * @default "login"
   */
  readonly connectType?: string;
  /** Virtual data center of the organization. Changing it replaces the registration. Wire: `ovdc`. */
  readonly ovdc: string;
  /** Network of the machines. Changing it replaces the registration. Wire: `network`. */
  readonly network: string;
  /** Subnet of virtual addresses. Changing it replaces the registration. Wire: `vipSubnetName`. @default "" */
  readonly vipSubnetName?: string;
  /** Catalog of the machine images. Changing it replaces the registration. Wire: `catalog`. */
  readonly catalog: string;
  /**
   * Sizing policies that nodes may have. Their order does not matter. Changing them replaces the registration. Wire:
   * `sizingPolicies`.
   */
  readonly sizingPolicies: string[];
  /** Machine images, at least one. Changing them replaces the registration. Wire: `templates`. */
  readonly templates: Template[];
}

/** A registration of a Cloud Director site. */
export class CapcdProvider extends Provider implements ICapcdProvider {
  /** A provider of this type that was registered elsewhere, by its name. */
  static fromName(name: string): ICapcdProvider {
    return { providerName: name, providerType: "capcd" };
  }

  declare readonly providerType: "capcd";

  constructor(scope: Construct, id: string, props: CapcdProviderProps) {
    super(scope, id, "capcd", props);
  }
}

/** Size of a virtual machine of a {@link CapcdCluster}. */
export interface CapcdNodeSize {
  /**
   * Disk of each node: a number and a unit, such as `60Gi`. The interface does not show which units exist. Changing it replaces
   * the cluster. Wire: `capcdNodeConfig.diskSize`.
   */
  readonly diskSize: string;
  /**
   * Sizing policy of each node. It must be one of the provider's `sizingPolicies`. Changing it replaces the cluster. Wire:
   * `capcdNodeConfig.sizingPolicy`.
   */
  readonly sizingPolicy: string;
}

/** Props of a {@link CapcdCluster}. Its requests leave the address of the Kubernetes API empty. */
export interface CapcdClusterProps extends ClusterProps<ICapcdProvider, CapcdNodeSize>, ProductVersionProps {
  /** The provider that the cluster runs on. Changing it replaces the cluster. Wire: `provider.identityName`. */
  readonly provider: ICapcdProvider;
  /** Subnet of the Kubernetes API's address. Changing it replaces the cluster. Wire: `provider.kubeAPIVIPSubnet`. */
  readonly apiVipSubnet: string;
  /** Subnet of the addresses of services. Changing it replaces the cluster. Wire: `provider.serviceVIPSubnet`. @default "" */
  readonly serviceVipSubnet?: string;
  /**
   * Configuration profile of the cluster. Changing it replaces the cluster. Wire: `cluster.clusterConfigProfileName`.
   * @default ""
   */
  readonly clusterConfigProfileName?: string;
  /**
   * Whether the infrastructure's CSI driver is installed. Changing it replaces the cluster. Wire: `provider.enableCSI`.
   * @default true
   */
  readonly enableCsi?: boolean | IResolvable;
  /**
   * Domain of the cluster's ingress. The interface's requests for this type have one. Changing it replaces the cluster.
   * Wire: `cluster.ingress`.
   * @default ""
   */
  readonly ingress?: string;
}

/** A Kubernetes cluster whose nodes are virtual machines of a {@link CapcdProvider}. */
export class CapcdCluster extends Cluster {
  declare readonly providerType: "capcd";

  constructor(scope: Construct, id: string, props: CapcdClusterProps) {
    super(scope, id, "capcd", { ...props });
  }
}
