import type { IResolvable } from "cdktf";
import type { Construct } from "constructs";
import { Cluster, type ClusterProps, type ProductVersionProps } from "../cluster";
import { Provider, type IProvider, type ProviderProps } from "../provider";
import type { Secret } from "../secret";
import type { Template } from "../template";

/** A provider of type `capvs`, registered here or elsewhere. */
export interface ICapvsProvider extends IProvider {
  readonly providerType: "capvs";
}

/** Props of a {@link CapvsProvider}: how the service reaches a vSphere installation. */
export interface CapvsProviderProps extends ProviderProps {
  /**
   * Address of the infrastructure's API (vSphere calls it a server), as `host:port`. Changing it replaces the registration. Wire:
   * `connectInfo.url`.
   */
  readonly server: string;
  /**
   * User of the service in the infrastructure. The service hides it in replies. Changing it replaces the registration, unless it is a
   * Secret. Wire: `connectInfo.user`.
   */
  readonly username: string | Secret;
  /** Password of the user. The service hides it in replies. Wire: `connectInfo.passwd`. */
  readonly password: Secret;
  /** Inventory path of the datacenter. Changing it replaces the registration. Wire: `datacenter`. */
  readonly datacenter: string;
  /** Datastore of the machines' disks. Changing it replaces the registration. Wire: `datastore`. */
  readonly datastore: string;
  /** Inventory path of the folder of the machines. Changing it replaces the registration. Wire: `folder`. */
  readonly folder: string;
  /** Inventory path of the network of the machines. Changing it replaces the registration. Wire: `network`. */
  readonly network: string;
  /** Inventory path of the resource pool. Changing it replaces the registration. Wire: `resourcePool`. */
  readonly resourcePool: string;
  /** Machine images, at least one. Changing them replaces the registration. Wire: `template[{key,value}]`. */
  readonly templates: Template[];
  /** Name of the network interface inside the images. Changing it replaces the registration. Wire: `templateNetInterface`. */
  readonly templateNetworkInterface: string;
  /** Storage policy of the disks. Changing it replaces the registration. Wire: `storagePolicyName`. @default "" */
  readonly storagePolicyName?: string;
  /**
   * How machines are cloned from images. The interface shows only `linkedClone`. Changing it replaces the registration. Wire:
   * `cloneMode`.
   * @default "linkedClone"
   */
  readonly cloneMode?: string;
  /** Pool of IP addresses for the machines. Changing it replaces the registration. Wire: `IPAddressPoolName`. @default "" */
  readonly ipAddressPoolName?: string;
  /**
   * Whether clusters may change their CSI settings. Changing it replaces the registration. Wire: `allowEditCSI`.
   * @default false
   */
  readonly allowEditCsi?: boolean | IResolvable;
}

/** A registration of a vSphere installation. */
export class CapvsProvider extends Provider implements ICapvsProvider {
  /** A provider of this type that was registered elsewhere, by its name. */
  static fromName(name: string): ICapvsProvider {
    return { providerName: name, providerType: "capvs" };
  }

  declare readonly providerType: "capvs";

  constructor(scope: Construct, id: string, props: CapvsProviderProps) {
    super(scope, id, "capvs", props);
  }
}

/** Size of a virtual machine of a {@link CapvsCluster}. */
export interface CapvsNodeSize {
  /** Disk of each node, in GiB, at least 1. Changing it replaces the cluster. Wire: `capvsNodeConfig.diskGiB`. */
  readonly diskGib: number;
  /** Memory of each node, in MiB, at least 1. Changing it replaces the cluster. Wire: `capvsNodeConfig.memoryMiB`. */
  readonly memoryMib: number;
  /** Virtual CPUs of each node, at least 1. Changing it replaces the cluster. Wire: `capvsNodeConfig.numCPUs`. */
  readonly cpus: number;
}

/** Props of a {@link CapvsCluster}. */
export interface CapvsClusterProps extends ClusterProps<ICapvsProvider, CapvsNodeSize>, ProductVersionProps {
  /** The provider that the cluster runs on. Changing it replaces the cluster. Wire: `provider.identityName`. */
  readonly provider: ICapvsProvider;
  /** IP address of the Kubernetes API. Changing it replaces the cluster. Wire: `cluster.apiEndpoint`. */
  readonly apiEndpoint: string;
  /**
   * Whether the infrastructure's CSI driver is installed. Changing it replaces the cluster. Wire: `provider.enableCSI`.
   * @default true
   */
  readonly enableCsi?: boolean | IResolvable;
}

/** A Kubernetes cluster whose nodes are virtual machines of a {@link CapvsProvider}. */
export class CapvsCluster extends Cluster {
  declare readonly providerType: "capvs";

  constructor(scope: Construct, id: string, props: CapvsClusterProps) {
    super(scope, id, "capvs", { ...props });
  }
}
