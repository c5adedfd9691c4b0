import type { IResolvable } from "cdktf";
import type { Construct } from "constructs";
import { Cluster, type ClusterProps, type ProductVersionProps } from "../cluster";
import { Provider, type IProvider, type ProviderProps } from "../provider";
import type { Secret } from "../secret";
import type { Template } from "../template";

/** A provider of type `capov`, registered here or elsewhere. */
export interface ICapovProvider extends IProvider {
  readonly providerType: "capov";
}

/** How the service verifies the infrastructure's API. */
export interface CapovTls {
  /**
   * Sent unchanged. The interface does not show its effect. Changing it replaces the registration. Wire: `connection.tls.cert`.
   * @default false
   */
  readonly certificatesEnabled?: boolean | IResolvable;
  /**
   * Certificates as text, which may have several lines. Changing it replaces the registration. Wire: `connection.tls.certs`.
   * @default ""
   */
  readonly certificates?: string;
  /**
   * Whether any certificate of the infrastructure is accepted. Changing it replaces the registration. Wire: `connection.tls.insecure`.
   * @default false
   */
  readonly insecureSkipVerify?: boolean | IResolvable;
}

/** Props of a {@link CapovProvider}: how the service reaches an oVirt installation. */
export interface CapovProviderProps extends ProviderProps {
  /** https URL of the infrastructure's API. Changing it replaces the registration. Wire: `connection.url`. */
  readonly url: string;
  /**
   * User of the service in the infrastructure. The service shows it in replies. Changing it replaces the registration, unless it is a
   * Secret. Wire: `connection.user`.
   */
  readonly username: string | Secret;
  /** Password of the user. The service shows it in replies. This package never shows it. Wire: `connection.passwd`. */
  readonly password: Secret;
  /** Verification of the infrastructure's API. Wire: `connection.tls`. @default - the defaults of its fields */
  readonly tls?: CapovTls;
  /** Data center of the machines. Changing it replaces the registration. Wire: `datacenter`. */
  readonly datacenter: string;
  /** The infrastructure's cluster of hosts, on which the machines run. Changing it replaces the registration. Wire: `cluster`. */
  readonly computeCluster: string;
  /** vNIC profile of the machines' network interfaces. Changing it replaces the registration. Wire: `VNICProfile`. */
  readonly vnicProfile: string;
  /** Storage domain of the CSI driver's volumes. Changing it replaces the registration. Wire: `csistorageDomainName`. */
  readonly csiStorageDomainName: string;
  /** Machine images, at least one. Changing them replaces the registration. Wire: `templates`. */
  readonly templates: Template[];
  /** Name of the network interface inside the images. Changing it replaces the registration. Wire: `templateNetInterface`. */
  readonly templateNetworkInterface: string;
  /** Pool of IP addresses for the machines. Changing it replaces the registration. Wire: `IPAddressPoolName`. @default "" */
  readonly ipAddressPoolName?: string;
  /**
   * Whether clusters may change their CSI settings. Changing it replaces the registration. Wire: `allowEditCSI`.
   * @default false
   */
  readonly allowEditCsi?: boolean | IResolvable;
}

/** A registration of an oVirt installation. */
export class CapovProvider extends Provider implements ICapovProvider {
  /** A provider of this type that was registered elsewhere, by its name. */
  static fromName(name: string): ICapovProvider {
    return { providerName: name, providerType: "capov" };
  }

  declare readonly providerType: "capov";

  constructor(scope: Construct, id: string, props: CapovProviderProps) {
    super(scope, id, "capov", props);
  }
}

/** Processor topology of a machine: it has cores × sockets × threads virtual CPUs. */
export interface CapovCpu {
  /** Cores per socket, at least 1. Changing it replaces the cluster. Wire: `cpu.cores`. */
  readonly cores: number;
  /** Sockets, at least 1. Changing it replaces the cluster. Wire: `cpu.sockets`. */
  readonly sockets: number;
  /** Threads per core, at least 1. Changing it replaces the cluster. Wire: `cpu.threads`. */
  readonly threads: number;
}

/**
 * Size of a virtual machine of a {@link CapovCluster}. On the wire, sizes of workers are under `capovNodeConfig`, and sizes of
 * the control plane are under `capvsNodeConfig`.
 */
export interface CapovNodeSize {
  /** Processors of each node. */
  readonly cpu: CapovCpu;
  /** Memory of each node, in MB, at least 1. Changing it replaces the cluster. Wire: `memory.sizeMB`. */
  readonly memoryMb: number;
  /** Disk of each node, in GB, at least 1. Changing it replaces the cluster. Wire: `osDiskSizeGB`. */
  readonly diskGb: number;
}

/** Size of a control plane machine of a {@link CapovCluster}. */
export interface CapovControlPlaneSize extends CapovNodeSize {
  /**
   * Memory that the infrastructure reserves for each control plane node, in MB, 0 or more. Changing it replaces the cluster. Wire:
   * `memory.guaranteedMB`.
   * @default - the same as `memoryMb`
   */
  readonly guaranteedMemoryMb?: number;
}

/** Props of a {@link CapovCluster}. */
export interface CapovClusterProps
  extends ClusterProps<ICapovProvider, CapovControlPlaneSize, CapovNodeSize>, ProductVersionProps {
  /** The provider that the cluster runs on. Changing it replaces the cluster. Wire: `provider.providerName`. */
  readonly provider: ICapovProvider;
  /** IP address of the Kubernetes API. Changing it replaces the cluster. Wire: `cluster.apiEndpoint`. */
  readonly apiEndpoint: string;
  /**
   * Whether the infrastructure's CSI driver is installed. Changing it replaces the cluster. Wire: `provider.enableCSI`.
   * @default true
   */
  readonly enableCsi?: boolean | IResolvable;
}

/** A Kubernetes cluster whose nodes are virtual machines of a {@link CapovProvider}. */
export class CapovCluster extends Cluster {
  declare readonly providerType: "capov";

  constructor(scope: Construct, id: string, props: CapovClusterProps) {
    super(scope, id, "capov", { ...props });
  }
}
