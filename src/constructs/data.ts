import { type IResolvable, TerraformDataSource, TerraformStack, Token } from "cdktf";
import type { Construct } from "constructs";
import { PLUGIN_DATA_TYPES, PLUGIN_NAME } from "../contract/addresses";
import { renderValue } from "../declarations/rules";
import { isName, NAME_RULE } from "../model/object-name";
import { TYPE_CODES, type TypeCode } from "../model/provider-type";
import { type Dependency, dependOn, dependsOnProblems, waitForDependencies } from "./synth/dependencies";
import { providerRule } from "./synth/platform-resources";
import { Platform } from "./platform";
import { refuseTokenInPath, unsendable } from "./synth/plain-values";
import { refuse } from "./synth/refusal";
import { escapeLiterals, isToken } from "./synth/tokens";

/** Props of all data constructs. */
export interface DataProps {
  /** The Platform whose service is read. @default - `Platform.of(this)` */
  readonly platform?: Platform;
  /**
   * Constructs whose changes Terraform applies before it reads the service, such as `[platform]`. Without changes of these,
   * Terraform reads the service during the plan.
   * @default - none
   */
  readonly dependsOn?: Dependency[];
}

/** An object or a list of the service that Terraform reads and never changes. */
abstract class Data extends TerraformDataSource {
  protected constructor(
    scope: Construct,
    id: string,
    terraformResourceType: string,
    props: DataProps,
    private readonly given: Readonly<Record<string, unknown>> = {},
  ) {
    const { platform: chosen, dependsOn } = props ?? {};
    const [platform, unusable] = Platform._for(scope, chosen);
    const { provider } = platform._resources;
    super(scope, id, {
      terraformResourceType,
      terraformGeneratorMetadata: { providerName: PLUGIN_NAME },
      provider: provider ?? Platform._standIn(TerraformStack.of(scope))._resources.provider,
    });
    refuseTokenInPath(this);
    const needs = provider === undefined ? [providerRule("data of the service needs", platform.node.path)] : [];
    const foreign = unsendable(given);
    if (foreign.length > 0) this.given = {};
    const problems = [...unusable, ...needs, ...foreign, ...dependsOnProblems(dependsOn, this.node.scopes)];
    refuse(this, problems);
    if (problems.length === 0) dependOn(this, dependsOn);
    waitForDependencies(this, () => [this]);
  }

  /** @internal */
  protected override synthesizeAttributes() {
    return escapeLiterals(this.given) as Record<string, unknown>;
  }
}

/** {@link Engine.PROVIDER} only. All clusters of the service, including those that others created. */
export class DataClusters extends Data {
  constructor(scope: Construct, id: string, props: DataProps = {}) {
    super(scope, id, PLUGIN_DATA_TYPES.clusters, props);
  }

  /** The names of the clusters, sorted, as a token. */
  get names(): string[] {
    return this.getListAttribute("names");
  }

  /**
   * A map by name, as a token. Each cluster has the attributes of {@link DataCluster} under Terraform's names, such as
   * `provider_name`. Use it with `Fn.lookupNested` and iterators.
   */
  get clusters(): { [name: string]: unknown } {
    return this.getAnyMapAttribute("clusters");
  }
}

/** {@link Engine.PROVIDER} only. All registered providers of the service, including those that others registered. */
export class DataProviders extends Data {
  constructor(scope: Construct, id: string, props: DataProps = {}) {
    super(scope, id, PLUGIN_DATA_TYPES.providers, props);
  }

  /** The names of the providers, sorted and without repetitions, as a token. Providers of two types may have the same name. */
  get names(): string[] {
    return this.getListAttribute("names");
  }

  /**
   * A map by type and name, such as `capvs/vsphere-eu`, as a token. Each provider has the attributes of {@link DataProvider}
   * under Terraform's names, such as `kubernetes_versions`.
   */
  get providers(): { [typeAndName: string]: unknown } {
    return this.getAnyMapAttribute("providers");
  }
}

/** Props of a {@link DataCluster}. */
export interface DataClusterProps extends DataProps {
  /** Name of the cluster. It must be on the service when Terraform reads it. The name may be a token. */
  readonly name: string;
}

/** {@link Engine.PROVIDER} only. A cluster of the service, possibly created by others. All attributes are tokens. */
export class DataCluster extends Data {
  constructor(scope: Construct, id: string, props: DataClusterProps) {
    const { name, ...rest } = props ?? {};
    super(scope, id, PLUGIN_DATA_TYPES.cluster, rest, { name });
    const problem = nameProblem(name);
    if (problem !== undefined) refuse(this, [problem]);
  }

  /** Code of the provider type, such as `capvs`. */
  get providerType(): string {
    return this.getStringAttribute("type");
  }

  /** Name of the cluster's provider. */
  get providerName(): string {
    return this.getStringAttribute("provider_name");
  }

  /** Phase, such as `Provisioned`. */
  get phase(): string {
    return this.getStringAttribute("phase");
  }

  /** Address of the Kubernetes API, with or without a port; empty while it is not known. */
  get endpoint(): string {
    return this.getStringAttribute("endpoint");
  }

  /** Pattern of the host names of the ingress; may be empty. */
  get ingress(): string {
    return this.getStringAttribute("ingress");
  }

  /** Network of the pods, in CIDR notation; null if the service does not show it. */
  get podSubnet(): string {
    return this.getStringAttribute("pod_subnet");
  }

  /** Network of the services, in CIDR notation; null if the service does not show it. */
  get serviceSubnet(): string {
    return this.getStringAttribute("service_subnet");
  }

  /** The declared value of `secure`; null if the service does not show it. */
  get secure(): IResolvable {
    return this.getBooleanAttribute("secure");
  }

  /** Number of control plane nodes; null if the service does not show it. */
  get controlPlaneCount(): number {
    return this.getNumberAttribute("control_plane_count");
  }

  /** Number of nodes by worker group; null if the service does not show it. */
  get workers(): { [group: string]: number } {
    return this.getNumberMapAttribute("workers");
  }
}

/** Props of a {@link DataProvider}. */
export interface DataProviderProps extends DataProps {
  /** Code of the provider type, such as `capvs`. */
  readonly type: TypeCode;
  /** Name of the registration. It must be on the service when Terraform reads it. The name may be a token. */
  readonly name: string;
}

/** {@link Engine.PROVIDER} only. A registered provider, possibly registered by others. All attributes are tokens. */
export class DataProvider extends Data {
  constructor(scope: Construct, id: string, props: DataProviderProps) {
    const { type, name, ...rest } = props ?? {};
    super(scope, id, PLUGIN_DATA_TYPES.provider, rest, { type, name });
    const isType = isToken(type) || TYPE_CODES.includes(type);
    const problems = [
      isType ? undefined : `'type' must be one of ${TYPE_CODES.join(", ")}, got ${renderValue(type)}`,
      nameProblem(name),
    ];
    refuse(
      this,
      problems.filter((problem) => problem !== undefined),
    );
  }

  /** Kubernetes versions that clusters on the provider can have, sorted as text. */
  get kubernetesVersions(): string[] {
    return this.getListAttribute("kubernetes_versions");
  }

  /** Whether clusters may change their CSI settings; null if the service does not show it. */
  get allowEditCsi(): IResolvable {
    return this.getBooleanAttribute("allow_edit_csi");
  }

  /** Name of the pool of IP addresses; null if the service shows none. */
  get ipAddressPoolName(): string {
    return this.getStringAttribute("ip_address_pool_name");
  }

  /** Number of free addresses in the pool; null if the service does not show it. */
  get ipAddressPoolAvailable(): number {
    return this.getNumberAttribute("ip_address_pool_available");
  }
}

function nameProblem(name: unknown): string | undefined {
  if (Token.isUnresolved(name) || (typeof name === "string" && isName(name))) return undefined;
  return `'name' must ${NAME_RULE}, got ${renderValue(name, /[^\x20-\x7e]/gu)}`;
}
