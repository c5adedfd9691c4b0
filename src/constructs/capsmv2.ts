import type { Construct } from "constructs";
import { Cluster, type ClusterProps } from "./cluster";
import { Provider, type IProvider, type ProviderProps } from "./provider";
import type { Secret } from "./secret";

/** A provider of type `capsmv2`, wherever it was registered. */
export interface ICapsmv2Provider extends IProvider {
  readonly providerType: "capsmv2";
}

/** How the service logs in to a host whose credentials differ from the provider's. */
export interface Capsmv2HostSsh {
  /**
   * User on the host. Changing it replaces the registration, unless it is a Secret.
   * Wire: `hosts[].credentials.SSH.userName`.
   */
  readonly username: string | Secret;
  /** The user's private key, in the form that SSH keeps it in. Wire: `hosts[].credentials.SSH.privateKey`. */
  readonly privateKey: Secret;
}

/** A machine that clusters can be made of. */
export interface Capsmv2Host {
  /** IP address of the host, unique among the provider's. Changing it replaces the registration. Wire: `hosts[].address`. */
  readonly address: string;
  /**
   * Labels by which the selectors of clusters find the host. Changing them replaces the registration.
   * Wire: `hosts[].labelsSelector`.
   *
   * @default - none
   */
  readonly labels?: { readonly [label: string]: string };
  /**
   * Credentials for this host alone. The interface shows "object or null" and no fields; it is sent in the form of
   * the provider's own, `{ SSH: { userName, privateKey } }`. Wire: `hosts[].credentials`.
   *
   * @default - null is sent
   */
  readonly ssh?: Capsmv2HostSsh;
}

/** What the service needs to turn machines that run already into clusters. */
export interface Capsmv2ProviderProps extends ProviderProps {
  /**
   * User on the hosts; the service shows it in replies. Changing it replaces the registration, unless it is a Secret.
   * Wire: `credentials.SSH.userName`.
   */
  readonly sshUsername: string | Secret;
  /**
   * The user's private key, in the form that SSH keeps it in; the service hides it in replies.
   * Wire: `credentials.SSH.privateKey`.
   */
  readonly sshPrivateKey: Secret;
  /**
   * The machines, at least one; their order does not matter. Changing them replaces the registration, which the
   * service refuses while clusters use it: further hosts go into a provider of their own. Wire: `hosts`.
   */
  readonly hosts: Capsmv2Host[];
  /**
   * Pool of IP addresses. Changing it replaces the registration. Wire: `IPAddressPoolName`.
   *
   * @default ""
   */
  readonly ipAddressPoolName?: string;
}

/** A registration of machines. */
export class Capsmv2Provider extends Provider implements ICapsmv2Provider {
  /** A provider of this type that was registered elsewhere, by its name. */
  static fromName(name: string): ICapsmv2Provider {
    return { providerName: name, providerType: "capsmv2" };
  }

  declare readonly providerType: "capsmv2";

  /** @throws INVALID_PROP, MISSING_PLATFORM, AMBIGUOUS_PLATFORM */
  constructor(scope: Construct, id: string, props: Capsmv2ProviderProps) {
    super(scope, id, "capsmv2", props);
  }
}

/**
 * A condition on the labels of a host. The interface shows that there is a list of them and not what they hold; it is
 * sent in the form that Kubernetes gives such conditions.
 */
export interface Capsmv2LabelExpression {
  /** The label. Changing it replaces the cluster. Wire: `matchExpressions[].key`. */
  readonly key: string;
  /**
   * What must hold, as in `In`, `NotIn`, `Exists`, `DoesNotExist`; any text is sent. Changing it replaces the
   * cluster. Wire: `matchExpressions[].operator`.
   */
  readonly operator: string;
  /**
   * Values that the label is held against. Changing them replaces the cluster. Wire: `matchExpressions[].values`.
   *
   * @default - the field is not sent
   */
  readonly values?: string[];
}

/** Which hosts are taken: those that have all the labels and meet all the expressions. */
export interface Capsmv2Selector {
  /**
   * Labels that a host has. Changing them replaces the cluster. Wire: `matchLabels`.
   *
   * @default {}
   */
  readonly matchLabels?: { readonly [label: string]: string };
  /**
   * Conditions that a host's labels meet. Changing them replaces the cluster. Wire: `matchExpressions`.
   *
   * @default []
   */
  readonly matchExpressions?: Capsmv2LabelExpression[];
}

/** Which hosts of a {@link Capsmv2Provider} are nodes; machines that run already have no sizes to declare. */
export interface Capsmv2NodeSelection {
  /** Which hosts are taken. Wire: `controlPlaneSelector` for the control plane, `workerSelector` for workers. */
  readonly selector: Capsmv2Selector;
}

/** What a {@link Capsmv2Cluster} is made of. */
export interface Capsmv2ClusterProps extends ClusterProps<ICapsmv2Provider, Capsmv2NodeSelection> {
  /** The provider that the cluster is on. Changing it replaces the cluster. Wire: `provider.name`. */
  readonly provider: ICapsmv2Provider;
  /** IP address of the Kubernetes API. Changing it replaces the cluster. Wire: `cluster.apiEndpoint`. */
  readonly apiEndpoint: string;
  /**
   * Version of the platform services, `<major>.<minor>.<patch>`, or empty. Changing it replaces the cluster.
   * Wire: `cluster.productVersion`.
   *
   * @default ""
   */
  readonly productVersion?: string;
}

/** A Kubernetes cluster whose nodes are hosts of a {@link Capsmv2Provider}. The service lists it as of type `productv2`. */
export class Capsmv2Cluster extends Cluster {
  declare readonly providerType: "capsmv2";

  /** @throws INVALID_PROP, MISSING_PLATFORM, AMBIGUOUS_PLATFORM */
  constructor(scope: Construct, id: string, props: Capsmv2ClusterProps) {
    super(scope, id, "capsmv2", { ...props });
  }
}
