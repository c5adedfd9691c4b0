import type { IResolvable } from "cdktf";
import type { Construct } from "constructs";
import { Cluster, type ClusterProps, type ProductVersionProps } from "../cluster";
import { Provider, type IProvider, type ProviderProps } from "../provider";
import type { Template } from "../template";

/** A provider of type `capos`, registered here or elsewhere. */
export interface ICaposProvider extends IProvider {
  readonly providerType: "capos";
}

/**
 * Props of a {@link CaposProvider}: how the service reaches an OpenStack cloud. The interface shows no field for the user that
 * logs in. If your service needs one, merge it into the body:
 *
 * ```ts
 * bodyOverrides: { cloudconfig: { config: { auth: { username: "svc", password: Secret.fromEnv("OS_PASSWORD") } } } }
 * ```
 */
export interface CaposProviderProps extends ProviderProps {
  /** Name of the cloud in the cloud configuration. Changing it replaces the registration. Wire: `cloudName`. */
  readonly cloudName: string;
  /**
   * http or https URL of the identity service. Changing it replaces the registration. Wire: `cloudconfig.config.auth.auth_url`.
   */
  readonly authUrl: string;
  /** How the service logs in. Changing it replaces the registration. Wire: `cloudconfig.config.auth_type`. @default "password" */
  readonly authType?: string;
  /** Id of the project of the machines. Changing it replaces the registration. Wire: `cloudconfig.config.auth.project_id`. */
  readonly projectId: string;
  /** Name of the user's domain. Changing it replaces the registration. Wire: `cloudconfig.config.auth.user_domain_name`. */
  readonly userDomainName: string;
  /** Id of the project's domain. Changing it replaces the registration. Wire: `cloudconfig.config.auth.project_domain_id`. */
  readonly projectDomainId: string;
  /** Region of the cloud. Changing it replaces the registration. Wire: `cloudconfig.config.region_name`. */
  readonly regionName: string;
  /**
   * Kind of the endpoints that are used from the cloud's catalogue. Changing it replaces the registration. Wire:
   * `cloudconfig.config.interface`.
   * @default "public"
   */
  readonly interface?: string;
  /**
   * Version of the identity interface. Changing it replaces the registration. Wire: `cloudconfig.config.identity_api_version`.
   * @default "3"
   */
  readonly identityApiVersion?: string;
  /**
   * Whether any certificate of the cloud is accepted. Changing it replaces the registration. Wire: `cloudconfig.config.verify`,
   * negated.
   * @default false
   */
  readonly insecureSkipVerify?: boolean | IResolvable;
  /** Id of the external network of the cloud. Changing it replaces the registration. Wire: `externalNetworkID`. */
  readonly externalNetworkId: string;
  /** Network of the machines, in CIDR notation. Changing it replaces the registration. Wire: `nodeCIDR`. */
  readonly nodeSubnet: string;
  /**
   * Whether the service creates the security groups of the machines. Text is sent unchanged. Changing it replaces the
   * registration. Wire: `managedSecurityGroups`, a string.
   * @default true
   */
  readonly managedSecurityGroups?: boolean | string | IResolvable;
  /** Name of the SSH key that the machines trust. Changing it replaces the registration. Wire: `sshKeyName`. */
  readonly sshKeyName: string;
  /** Flavors that nodes may have. Their order does not matter. Changing them replaces the registration. Wire: `flavors`. */
  readonly flavors: string[];
  /**
   * Volume types that nodes may have. Their order does not matter. Changing them replaces the registration. Wire: `volumeTypes`.
   */
  readonly volumeTypes: string[];
  /** Machine images, at least one. Changing them replaces the registration. Wire: `templates`. */
  readonly templates: Template[];
  /** Name of the network interface inside the images. Changing it replaces the registration. Wire: `templateNetInterface`. */
  readonly templateNetworkInterface: string;
}

/** A registration of an OpenStack cloud. */
export class CaposProvider extends Provider implements ICaposProvider {
  /** A provider of this type that was registered elsewhere, by its name. */
  static fromName(name: string): ICaposProvider {
    return { providerName: name, providerType: "capos" };
  }

  declare readonly providerType: "capos";

  constructor(scope: Construct, id: string, props: CaposProviderProps) {
    super(scope, id, "capos", props);
  }
}

/** Size of a virtual machine of a {@link CaposCluster}. */
export interface CaposNodeSize {
  /** Flavor of each node. Changing it replaces the cluster. Wire: `caposNodeConfig.openstackFlavorName`. */
  readonly flavor: string;
  /**
   * Type of each node's disk (OpenStack calls it a volume). Changing it replaces the cluster. Wire: `caposNodeConfig.volumeType`.
   */
  readonly volumeType: string;
  /**
   * Size of each node's disk (OpenStack calls it a volume): a whole number, at least 1. It is sent unchanged. The interface does
   * not show its unit. Changing it replaces the cluster. Wire: `caposNodeConfig.volumeSize`.
   */
  readonly volumeSize: number;
}

/** Props of a {@link CaposCluster}. Its requests have no address of the Kubernetes API. */
export interface CaposClusterProps extends ClusterProps<ICaposProvider, CaposNodeSize>, ProductVersionProps {
  /** The provider that the cluster runs on. Changing it replaces the cluster. Wire: `provider.providerName`. */
  readonly provider: ICaposProvider;
}

/** A Kubernetes cluster whose nodes are virtual machines of a {@link CaposProvider}. */
export class CaposCluster extends Cluster {
  declare readonly providerType: "capos";

  constructor(scope: Construct, id: string, props: CaposClusterProps) {
    super(scope, id, "capos", { ...props });
  }
}
