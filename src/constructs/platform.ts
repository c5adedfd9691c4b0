import { TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { ClusterPlatformError, InvalidPropError } from "../api/errors";
import type { HookSettings } from "../api/hook-protocol";
import { Carrier, HookResource } from "./carrier";
import type { ManagedObject } from "./managed-object";
import { checkPlatformProps } from "./platform-rules";
import { crossConstructFindings } from "./validation";

/** How long the hooks of a Platform try and wait. A change replaces nothing. */
export interface PlatformTimeouts {
  /**
   * One attempt of one request, in seconds.
   *
   * @default 60
   */
  readonly requestSeconds?: number;
  /**
   * A create over all attempts, until the service has the object, in seconds. It covers the time in which a
   * service refuses a cluster because its provider is not ready yet.
   *
   * @default 600
   */
  readonly createSeconds?: number;
  /**
   * All clusters of the Platform together, until each is Provisioned, in seconds. When it runs out the apply fails,
   * nothing is replaced, and the next apply goes on waiting.
   *
   * @default 3600
   */
  readonly readySeconds?: number;
  /**
   * A deletion, until the object has left the service's lists, in seconds. When it runs out Terraform keeps the
   * object in its state and the next apply goes on.
   *
   * @default 1800
   */
  readonly deleteSeconds?: number;
}

/** How the hooks reach the service securely. A change replaces nothing. */
export interface PlatformTls {
  /**
   * Path of a PEM file of further certificate authorities, on the machine that applies.
   *
   * @default - the authorities of the system; `CLUSTER_PLATFORM_CA_FILE` at run time
   */
  readonly caFile?: string;
  /**
   * Accepts any certificate. Whoever is between you and the service can then read the token; every run warns.
   *
   * @default false
   */
  readonly insecureSkipVerify?: boolean;
  /**
   * Sends the token over plain HTTP to a host that is not this machine.
   *
   * @default false
   */
  readonly allowPlainHttp?: boolean;
}

/** Where the service is, and how the objects of one stack are handled. No change here replaces an object. */
export interface PlatformProps {
  /**
   * Prefix of the Terraform ids, needed by the second Platform of a stack: lower-case letters, digits and `_`.
   * State depends on it: with another name every object of the Platform is another one.
   *
   * @default - no prefix
   */
  readonly name?: string;
  /**
   * Base URL of the service, as in `https://platform.example.com`; the paths of its interface are appended. A
   * literal, since destroy hooks may not read tokens.
   *
   * @default - `CLUSTER_PLATFORM_URL` when the hooks run
   */
  readonly url?: string;
  /**
   * The Terraform resource that carries the objects.
   *
   * @default HookResource.NULL_RESOURCE
   */
  readonly hookResource?: HookResource;
  /**
   * Emits `moved` blocks from `null_resource` to `terraform_data`, so that a switch of {@link hookResource} changes
   * nothing. Needs Terraform 1.9; OpenTofu 1.6 refuses it. Remove it after every state was applied once.
   *
   * @default false
   */
  readonly movedFromNullResource?: boolean;
  /**
   * Providers and clusters that no apply may delete, neither by removal nor by replacement nor by `destroy`: true
   * for all, or names, `type/kind/name` or patterns such as `prod-*`. It is written here and not on the cluster
   * because it must outlive the cluster's construct.
   *
   * @default - none
   */
  readonly deletionProtection?: boolean | string[];
  /**
   * Exact names (or `type/kind/name`) that may be deleted although they are protected: the declaration of a
   * deletion, in the change that causes it.
   *
   * @default - none
   */
  readonly allowDeletion?: string[];
  /**
   * Exact names (or `type/kind/name`) that stay on the service when Terraform lets go of them. With `adopt` in
   * another stack, this is how an object moves there.
   *
   * @default - none
   */
  readonly retain?: string[];
  /** @default - see {@link PlatformTimeouts} */
  readonly timeouts?: PlatformTimeouts;
  /**
   * Time between two looks at the service while waiting, in seconds; one look serves all clusters.
   *
   * @default 5
   */
  readonly pollSeconds?: number;
  /** @default - certificates are verified against the authorities of the system */
  readonly tls?: PlatformTls;
}

const PLATFORMS = Symbol.for("cdktf-cluster-platform.Platforms");

/**
 * The management service, seen from one stack. It owns the Terraform blocks in which every provider and cluster is
 * one instance, keyed by its name; so constructs can be renamed, moved and removed freely, but the Platform itself
 * must stay as long as it has objects.
 */
export class Platform extends Construct {
  /**
   * The Platform that serves a scope: the nearest one made in the scope itself or in one of its ancestors, up to
   * the stack.
   *
   * @throws MISSING_PLATFORM when there is none
   * @throws AMBIGUOUS_PLATFORM when the nearest scope has several
   */
  static of(scope: Construct): Platform {
    const stack = TerraformStack.of(scope);
    for (const ancestor of scope.node.scopes.reverse()) {
      const platforms = platformsMadeIn(ancestor);
      if (platforms.length === 1) return platforms[0]!;
      if (platforms.length > 1) {
        throw new ClusterPlatformError(
          "AMBIGUOUS_PLATFORM",
          `${scope.node.path}: there are ${platforms.length} Platforms in '${ancestor.node.path}' (${platforms.map(({ node }) => node.id).join(", ")}); say which one with the prop 'platform'`,
        );
      }
      if (ancestor === stack) break;
    }
    throw new ClusterPlatformError(
      "MISSING_PLATFORM",
      `${scope.node.path}: no Platform in the stack '${stack.node.id}'; make one first, as in new Platform(this, "platform", { url: "https://platform.example.com" })`,
    );
  }

  /** Prefix of the Terraform ids; empty for the Platform without a name. */
  readonly platformName: string;
  /** @internal */
  readonly _carrier: Carrier;
  private readonly objects: ManagedObject[] = [];

  /** @throws INVALID_PROP when a prop breaks its rule */
  constructor(scope: Construct, id: string, props: PlatformProps = {}) {
    super(scope, id);
    const problems = checkPlatformProps(props);
    if (problems.length > 0) throw new InvalidPropError(this.node.path, problems.join("; "));
    platformsMadeIn(scope).push(this);

    this.platformName = props.name ?? "";
    this._carrier = new Carrier(this, "carrier", {
      hookResource: props.hookResource ?? HookResource.NULL_RESOURCE,
      movedFromNullResource: props.movedFromNullResource ?? false,
      prefix: props.name ? `${props.name}_` : "",
      settings: hookSettings(props),
      objects: () => this.objects.map((object) => object._carried),
    });
    this.node.addValidation({ validate: () => crossConstructFindings(this, this.objects) });
  }

  /** @internal */
  _register(object: ManagedObject): void {
    this.objects.push(object);
  }
}

function platformsMadeIn(scope: Construct): Platform[] {
  const holder = scope as Construct & { [PLATFORMS]?: Platform[] };
  if (!holder[PLATFORMS]) Object.defineProperty(holder, PLATFORMS, { value: [] });
  return holder[PLATFORMS]!;
}

/** What hooks need of a Platform's props, defaults filled in. */
export function hookSettings(props: PlatformProps): HookSettings {
  const { url, tls = {}, timeouts = {}, deletionProtection = [] } = props;
  return {
    ...(props.name && { platform: props.name }),
    connection: { url, ...tls, requestSeconds: timeouts.requestSeconds },
    createSeconds: timeouts.createSeconds ?? 600,
    readySeconds: timeouts.readySeconds ?? 3600,
    deleteSeconds: timeouts.deleteSeconds ?? 1800,
    pollSeconds: props.pollSeconds ?? 5,
    deletionProtection: deletionProtection === false ? [] : deletionProtection,
    allowDeletion: props.allowDeletion ?? [],
    retain: props.retain ?? [],
  };
}
