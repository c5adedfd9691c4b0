import type { IResolvable } from "cdktf";
import type { Construct } from "constructs";
import { Cluster, type ClusterProps, type ProductVersionProps } from "../cluster";
import { Provider, type IProvider, type ProviderProps } from "../provider";
import type { Secret } from "../secret";
import type { Template } from "../template";

/** A provider of type `capbd`, registered here or elsewhere. */
export interface ICapbdProvider extends IProvider {
  readonly providerType: "capbd";
}

/** Props of a {@link CapbdProvider}: how the service reaches an infrastructure with accounts, resource groups and single sign-on. */
export interface CapbdProviderProps extends ProviderProps {
  /** Account that the machines belong to. Changing it replaces the registration. Wire: `accountName`. */
  readonly accountName: string;
  /** Resource group of the machines. Changing it replaces the registration. Wire: `rgName`. */
  readonly resourceGroupName: string;
  /** http or https URL of the infrastructure's controller. Changing it replaces the registration. Wire: `connection.decordUrl`. */
  readonly controllerUrl: string;
  /** http or https URL of the infrastructure's single sign-on. Changing it replaces the registration. Wire: `connection.ssoUrl`. */
  readonly ssoUrl: string;
  /**
   * Id of the application that the service logs in as. The service shows it in replies. Changing it replaces the registration,
   * unless it is a Secret. Wire: `connection.appId`.
   */
  readonly appId: string | Secret;
  /** Secret of the application. The service shows it in replies. This package never shows it. Wire: `connection.appSecret`. */
  readonly appSecret: Secret;
  /**
   * Whether any certificate of the infrastructure is accepted. Changing it replaces the registration. Wire:
   * `connection.skipSSLVerification`.
   * @default false
   */
  readonly insecureSkipVerify?: boolean | IResolvable;
  /** External network of the machines. Changing it replaces the registration. Wire: `extNetName`. */
  readonly externalNetworkName: string;
  /** Virtual network segment of the machines. Changing it replaces the registration. Wire: `vinsName`. */
  readonly vinsName: string;
  /**
   * Whether load balancers are highly available. Changing it replaces the registration. Wire: `haLoadBalancer`.
   * @default false
   */
  readonly haLoadBalancer?: boolean | IResolvable;
  /** Machine images, at least one. Changing them replaces the registration. Wire: `templates`. */
  readonly templates: Template[];
  /** Name of the network interface inside the images. Changing it replaces the registration. Wire: `templateNetInterface`. */
  readonly templateNetworkInterface: string;
}

/** A registration of a `capbd` installation. */
export class CapbdProvider extends Provider implements ICapbdProvider {
  /** A provider of this type that was registered elsewhere, by its name. */
  static fromName(name: string): ICapbdProvider {
    return { providerName: name, providerType: "capbd" };
  }

  declare readonly providerType: "capbd";

  constructor(scope: Construct, id: string, props: CapbdProviderProps) {
    super(scope, id, "capbd", props);
  }
}

/** A network interface of a machine of a {@link CapbdCluster}. */
export interface CapbdNetworkInterface {
  /** Kind of the network. The interface does not show which kinds exist. Changing it replaces the cluster. Wire: `netType`. */
  readonly netType: string;
  /** Name of the network. Changing it replaces the cluster. Wire: `networkName`. */
  readonly networkName: string;
}

/** Size of a virtual machine of a {@link CapbdCluster}. */
export interface CapbdNodeSize {
  /** Virtual CPUs of each node, at least 1. Changing it replaces the cluster. Wire: `capbdNodeConfig.cpu`. */
  readonly cpus: number;
  /**
   * Memory of each node, a whole number, at least 1. It is sent unchanged. The interface does not show its unit. Changing it
   * replaces the cluster. Wire: `capbdNodeConfig.memory`.
   */
  readonly memory: number;
  /** Disk of each node, in GB, at least 1. Changing it replaces the cluster. Wire: `capbdNodeConfig.osDiskSizeGB`. */
  readonly diskGb: number;
  /**
   * Network interfaces of each node. Changing them replaces the cluster. Wire: `capbdNodeConfig.networkInterfaces`.
   * @default - an empty list for the control plane; for workers the field is not sent
   */
  readonly networkInterfaces?: CapbdNetworkInterface[];
}

/** Props of a {@link CapbdCluster}. */
export interface CapbdClusterProps extends ClusterProps<ICapbdProvider, CapbdNodeSize>, ProductVersionProps {
  /** The provider that the cluster runs on. Changing it replaces the cluster. Wire: `provider.providerName`. */
  readonly provider: ICapbdProvider;
  /** IP address of the Kubernetes API. Changing it replaces the cluster. Wire: `cluster.apiEndpoint`. */
  readonly apiEndpoint: string;
}

/** A Kubernetes cluster whose nodes are virtual machines of a {@link CapbdProvider}. */
export class CapbdCluster extends Cluster {
  declare readonly providerType: "capbd";

  constructor(scope: Construct, id: string, props: CapbdClusterProps) {
    super(scope, id, "capbd", { ...props });
  }
}
