import { TerraformElement, type TerraformResource } from "cdktf";
import { Construct } from "constructs";
import { PLUGIN_READY_TYPE, pluginReadyId, pluginResourceId, pluginResourceType } from "../../contract/addresses";
import { idOf, type ObjectRef } from "../../model/object-ref";
import { isProtectedInState } from "../../model/protection";
import type { JsonObject } from "../../model/provider-type";
import { CONSTRUCT_FOR_EACH, type DeclaredObject } from "../synth/declared-object";
import { waitForDependencies } from "../synth/dependencies";
import { fixArguments } from "../synth/fixed-arguments";
import type { LiveAttributes, PlatformResources, PlatformResourcesProps } from "../synth/platform-resources";
import { PluginProvider } from "./plugin-provider";
import { PluginResource } from "./plugin-resource";
import { refuse } from "../synth/refusal";
import { argumentsOf, undecodableKeys } from "./terraform-arguments";
import { literalArguments } from "../synth/tokens";

const ONE = `the name of an object must be known at synth. ${CONSTRUCT_FOR_EACH}`;
const PROTECTION = "it comes from the Platform. Write deletionProtection there";
const MOVE = "another construct would need the same name. Write moveFromId on the construct that the object moves to";
const BESIDE = "only the provider acts on the object. Write a resource that waits for it";
/** Arguments that come from elsewhere, and methods, each with the reason. */
const NOT_SET = {
  count: ONE,
  for_each: ONE,
  provider: "it is that of the object's Platform. Choose another one with the prop 'platform'",
  name: ONE,
  provider_name: "the cluster waits for its provider by it. Write the prop 'provider'",
  deletion_protection: PROTECTION,
  adopt: "it is a prop of the construct",
  provisioner: BESIDE,
  connection: BESIDE,
  moveTo: MOVE,
  moveToId: MOVE,
};

/** @param argument a property of a resource of cdktf, an argument of Terraform, or a method */
function reasonOf(argument: string): string {
  return (NOT_SET as Readonly<Record<string, string>>)[argument === "provisioners" ? "provisioner" : argument] ?? ONE;
}

/**
 * A Platform as resources of the package's own Terraform provider: a block per object, and a block that waits until all clusters
 * are ready. Deployed state depends on the ids of blocks. Never change them.
 */
export class ProviderResources extends Construct implements PlatformResources {
  readonly provider: PluginProvider;
  private readonly blocks = new Map<string, TerraformResource>();

  constructor(
    scope: Construct,
    id: string,
    private readonly props: PlatformResourcesProps,
  ) {
    super(scope, id);
    this.provider = new PluginProvider(this, "provider", props.settings, props.objects);
  }

  /** The block is a child of the object's construct, so that Aspects and overrides find it there. */
  declare(object: DeclaredObject, construct: Construct): void {
    const [place] = undecodableKeys(argumentsOf(object));
    if (place !== undefined) {
      const problem = `'${place}' must not have the key __proto__, which the library of the provider's protocol refuses`;
      refuse(construct, [`${problem}; use another name, or an engine of hooks`]);
    }
    const block = this.block(construct, "Resource", {
      type: pluginResourceType(object.type, object.kind),
      id: pluginResourceId(this.props.prefix, object.name),
      attributes: () => this.attributesOf(object),
    });
    waitForDependencies(block, () => [construct, this]);
    const refuseChange = (argument: string) =>
      refuse(construct, [`'${argument}' must not be set on the resource of an object, because ${reasonOf(argument)}`]);
    fixArguments(block, refuseChange, { names: Object.keys(NOT_SET) });
    this.blocks.set(idOf(object), block);
    this.allReady();
  }

  readonly resourceOf = (object: ObjectRef) => this.blocks.get(idOf(object))!;

  addressOf({ type, kind, name }: ObjectRef): string {
    return `${pluginResourceType(type, kind)}.${pluginResourceId(this.props.prefix, name)}`;
  }

  readyResource(cluster: ObjectRef): TerraformResource {
    const id = pluginReadyId(this.props.prefix, cluster);
    return this.ready(
      id,
      () => [cluster],
      () => [cluster],
    );
  }

  allReady(): TerraformResource {
    const waitedFor = () => this.props.objects().filter(({ waitForReady }) => waitForReady);
    return this.ready(pluginReadyId(this.props.prefix), this.props.objects, waitedFor);
  }

  uid(object: ObjectRef): string {
    return object.kind === "clusters" ? this.ofReady(object, "objects") : this.resourceOf(object).getStringAttribute("uid");
  }

  readonly live: LiveAttributes = {
    endpoint: (cluster) => this.ofReady(cluster, "endpoints"),
    phase: (cluster) => this.ofReady(cluster, "phases"),
    kubernetesVersions: (provider) => this.resourceOf(provider).getListAttribute("kubernetes_versions"),
  };

  elements(): ReadonlySet<TerraformElement> {
    const own = this.node.findAll().filter((node): node is TerraformElement => TerraformElement.isTerraformElement(node));
    return new Set([...own, ...this.blocks.values()]);
  }

  private attributesOf(object: DeclaredObject): JsonObject {
    const { settings } = this.props;
    const declared = argumentsOf(object);
    return {
      ...declared,
      ...(object.kind === "clusters" && { provider_name: this.providerReference(object) ?? declared.provider_name }),
      ...(isProtectedInState(settings, idOf(object)) && { deletion_protection: true }),
      ...(object.adopt && { adopt: true }),
      declared_at: literalArguments(object.path),
    };
  }

  /** A reference to the cluster's provider, for the order of creation. Undefined if this engine does not carry the provider. */
  private providerReference({ type, provider }: DeclaredObject): string | undefined {
    const ref: ObjectRef = { type, kind: "providers", name: provider! };
    return this.blocks.has(idOf(ref)) ? `\${${this.addressOf(ref)}.name}` : undefined;
  }

  private ready(id: string, objects: () => readonly ObjectRef[], waitedFor: () => readonly ObjectRef[]): TerraformResource {
    const existing = this.node.tryFindChild(id) as TerraformResource | undefined;
    if (existing) return existing;
    const ready = this.block(this, id, {
      type: PLUGIN_READY_TYPE,
      id,
      attributes: () => ({
        objects: Object.fromEntries(objects().map((object) => [idOf(object), `\${${this.addressOf(object)}.uid}`])),
        wait_for: waitedFor().map(idOf).sort(),
      }),
    });
    // An Aspect of the stack is for resources that keep something, and this one only waits.
    fixArguments(ready, () => {});
    Object.defineProperty(ready, "dependsOn", { get: () => undefined, set: () => {} });
    return ready;
  }

  private ofReady(cluster: ObjectRef, map: "objects" | "endpoints" | "phases"): string {
    return this.readyResource(cluster).getStringAttribute(`${map}["${idOf(cluster)}"]`);
  }

  private block(
    scope: Construct,
    constructId: string,
    { type, id, attributes }: { readonly type: string; readonly id: string; readonly attributes: () => JsonObject },
  ): TerraformResource {
    return new PluginResource(scope, constructId, { type, id, provider: this.provider, attributes });
  }
}
