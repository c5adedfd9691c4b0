import { Construct } from "constructs";
import { PLUGIN_READY_TYPE, pluginReadyId, pluginResourceId, pluginResourceType } from "../../contract/addresses";
import { objectId, type ObjectRef } from "../../model/object-ref";
import type { Kind, TypeCode } from "../../model/provider-type";
import type { PlatformResourcesProps } from "../synth/platform-resources";
import { PluginProvider } from "../provider-engine/plugin-provider";
import { PluginResource } from "../provider-engine/plugin-resource";
import { forgotten } from "../provider-engine/removed-support";
import { TopLevelBlocks } from "../synth/top-level-blocks";

export interface MigrationFromProviderProps extends Omit<PlatformResourcesProps, "migrateFrom"> {
  /** Expressions for the flat declarations by id, a map for each block that has objects. */
  readonly declarations: () => readonly string[];
}

/**
 * Gives the objects of the package's own Terraform provider to an engine with hooks. Terraform forgets each declared object, and
 * its create hook adopts it.
 *
 * The provider block stays for that apply, with the declarations of the code. When the provider refreshes an object, it refuses
 * the plan if the object has left the code or differs. So nothing is forgotten that a hook would not adopt. The resource that
 * waited for all objects stays too, because only its state tells the hooks which objects the state had.
 */
export class MigrationFromProvider extends Construct {
  private readonly readyAddress: string;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: MigrationFromProviderProps,
  ) {
    super(scope, id);
    const { prefix, settings, objects, elsewhere, declarations } = props;
    const handOver = () => (declarations().length > 0 ? `\${merge(${declarations().join(", ")})}` : {});
    const provider = new PluginProvider(this, "provider", settings, objects, elsewhere, handOver);
    const ready = new PluginResource(this, "ready", {
      type: PLUGIN_READY_TYPE,
      id: pluginReadyId(prefix),
      provider,
      attributes: () => ({ objects: {} }),
    });
    this.readyAddress = ready.fqn;
    new TopLevelBlocks(this, "blocks", { removed: () => this.addresses().map(forgotten) });
  }

  /** The value of the variable that allows the create hook of an instance to adopt its object. */
  allowance(type: TypeCode, kind: Kind): string {
    return `\${contains(${this.readyAddress}.handed_over, "${objectId(type, kind, "${each.key}")}") ? "1" : "0"}`;
  }

  private addresses(): string[] {
    const { prefix } = this.props;
    return this.props.objects().flatMap((object: ObjectRef) => {
      const address = `${pluginResourceType(object.type, object.kind)}.${pluginResourceId(prefix, object.name)}`;
      return object.kind === "clusters" ? [address, `${PLUGIN_READY_TYPE}.${pluginReadyId(prefix, object)}`] : [address];
    });
  }
}
