import type { Construct } from "constructs";
import { Cluster, type ClusterProps } from "../cluster";
import { Provider, type IProvider, type ProviderProps } from "../provider";
import type { Secret } from "../secret";

/** A provider of type `capsmv2`, registered here or elsewhere. */
export interface ICapsmv2Provider extends IProvider {
  readonly providerType: "capsmv2";
}

/** Credentials for a host whose credentials differ from those of the provider. */
export interface Capsmv2HostSsh {
  /** User on the host. Changing it replaces the registration, unless it is a Secret. Wire: `hosts[].credentials.SSH.userName`. */
  readonly username: string | Secret;
  /** Private key of the user, in the format of an SSH key file. Wire: `hosts[].credentials.SSH.privateKey`. */
  readonly privateKey: Secret;
}

/** A machine that can become a node of a cluster. */
export interface Capsmv2Host {
  /** IP address of the host, unique in the provider. Changing it replaces the registration. Wire: `hosts[].address`. */
  readonly address: string;
  /**
   * Labels that the selectors of clusters match. Changing them replaces the registration. Wire: `hosts[].labelsSelector`.
   * @default - none
   */
  readonly labels?: { readonly [label: string]: string };
  /**
   * Credentials for only this host. The interface shows "object or null" and no fields. This package sends the form of the
   * provider's credentials, `{ SSH: { userName, privateKey } }`. Wire: `hosts[].credentials`.
   * @default - null is sent
   */
  readonly ssh?: Capsmv2HostSsh;
}

/** Props of a {@link Capsmv2Provider}: running machines, and how the service logs in to them. */
export interface Capsmv2ProviderProps extends ProviderProps {
  /**
   * User on the hosts. The service shows it in replies. Changing it replaces the registration, unless it is a Secret. Wire:
   * `credentials.SSH.userName`.
   */
  readonly sshUsername: string | Secret;
  /**
   * Private key of the user, in the format of an SSH key file. The service hides it in replies. Wire:
   * `credentials.SSH.privateKey`.
   */
  readonly sshPrivateKey: Secret;
  /**
   * The machines, at least one. Their order does not matter. Changing them replaces the registration. The service refuses this
   * while clusters use the registration, so declare another provider for more hosts. Wire: `hosts`.
   */
  readonly hosts: Capsmv2Host[];
  /** Pool of IP addresses. Changing it replaces the registration. Wire: `IPAddressPoolName`. @default "" */
  readonly ipAddressPoolName?: string;
}

/** A registration of running machines. */
export class Capsmv2Provider extends Provider implements ICapsmv2Provider {
  /** A provider of this type that was registered elsewhere, by its name. */
  static fromName(name: string): ICapsmv2Provider {
    return { providerName: name, providerType: "capsmv2" };
  }

  declare readonly providerType: "capsmv2";

  constructor(scope: Construct, id: string, props: Capsmv2ProviderProps) {
    super(scope, id, "capsmv2", props);
  }
}

/**
 * A condition on the labels of a host. The interface shows a list of conditions, but not their fields. This package sends the
 * form of Kubernetes' label selectors.
 */
export interface Capsmv2LabelExpression {
  /** The label. Changing it replaces the cluster. Wire: `matchExpressions[].key`. */
  readonly key: string;
  /**
   * The operator, such as `In`, `NotIn`, `Exists` or `DoesNotExist`. Any text is sent. Changing it replaces the cluster. Wire:
   * `matchExpressions[].operator`.
   */
  readonly operator: string;
  /**
   * Values that the label is compared with. Changing them replaces the cluster. Wire: `matchExpressions[].values`.
   * @default - the field is not sent
   */
  readonly values?: string[];
}

/** Selects the hosts that have all labels and meet all expressions. */
export interface Capsmv2Selector {
  /** Labels that a host has. Changing them replaces the cluster. Wire: `matchLabels`. @default {} */
  readonly matchLabels?: { readonly [label: string]: string };
  /** Conditions on the labels of a host. Changing them replaces the cluster. Wire: `matchExpressions`. @default [] */
  readonly matchExpressions?: Capsmv2LabelExpression[];
}

/** Selects the hosts of a {@link Capsmv2Provider} that become nodes. Running machines have no sizes to declare. */
export interface Capsmv2NodeSelection {
  /** Selects the hosts. Wire: `controlPlaneSelector` for the control plane, `workerSelector` for workers. */
  readonly selector: Capsmv2Selector;
}

/** Props of a {@link Capsmv2Cluster}. */
export interface Capsmv2ClusterProps extends ClusterProps<ICapsmv2Provider, Capsmv2NodeSelection> {
  /** The provider that the cluster runs on. Changing it replaces the cluster. Wire: `provider.name`. */
  readonly provider: ICapsmv2Provider;
  /** IP address of the Kubernetes API. Changing it replaces the cluster. Wire: `cluster.apiEndpoint`. */
  readonly apiEndpoint: string;
  /**
   * Version of the platform services, `<major>.<minor>.<patch>`, or empty. Changing it replaces the cluster. Wire:
   * `cluster.productVersion`.
   * @default ""
   */
  readonly productVersion?: string;
}

/** A Kubernetes cluster whose nodes are hosts of a {@link Capsmv2Provider}. The service's lists call its type `productv2`. */
export class Capsmv2Cluster extends Cluster {
  declare readonly providerType: "capsmv2";

  constructor(scope: Construct, id: string, props: Capsmv2ClusterProps) {
    super(scope, id, "capsmv2", { ...props });
  }
}
