import { TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { blockAddress, blockId, platformPrefix, supportAddress, supportId, type SupportResource } from "../contract/addresses";
import { KINDS, TYPE_CODES } from "../model/provider-type";
import { refuseAnotherCdktf } from "./synth/cdktf-copy";
import type { Snapshot } from "../contract/snapshot";
import { deleteHook, refuseHook, removedWithHook, snapshotHook } from "./hook-engine/destroy-hooks";
import { Engine } from "./engine";
import { type PlatformResourcesProps } from "./synth/platform-resources";
import { HookProgram } from "./hook-engine/hook-program";
import { Platform } from "./platform";
import { checkPlatformProps, platformSettings, type PlatformProps } from "./platform-props";
import { dropPlugin } from "./provider-engine/plugin-mirror";
import { PluginProvider } from "./provider-engine/plugin-provider";
import { refuse, refuseAtSynth } from "./synth/refusal";
import { TopLevelBlocks } from "./synth/top-level-blocks";

const RETIRED = Symbol.for("cdktf-cluster-platform.RetiredPlatform");
const HOOK_ENGINES = [Engine.NULL_RESOURCE, Engine.TERRAFORM_DATA] as const;

/**
 * Replaces a {@link Platform} that leaves the code while it still has objects. It keeps the destroy hooks, so the next apply
 * deletes all objects of the Platform, clusters first. Remove it after that apply. Without it, Terraform would forget every
 * provider and cluster, and they would stay on the service.
 *
 * Give it the props of the Platform that it replaces. `name` and `engine` must be those in the state. With another `engine` the
 * apply is refused, but {@link Engine.PROVIDER} deletes objects with hooks, too. `deletionProtection` and `retain` work as on a Platform, so clusters are protected here, too: list those that
 * may be deleted in `allowDeletion`, or write `deletionProtection: false` to allow all. If an interrupted create has left an
 * object, the apply fails and names it. No provider block for the null provider is needed, because Terraform takes it from the
 * state.
 *
 * Needs Terraform 1.9 or OpenTofu 1.10; older versions refuse to read it and change nothing. With an older version, remove the
 * constructs, apply, and then remove the empty Platform.
 *
 * With Engine.PROVIDER it keeps the provider block. Without the block, plans refuse to delete the objects. Objects that have not moved
 * from an engine with hooks are deleted by their hooks. The state keeps the protection of each object, so `deletionProtection: false`
 * does not lift it here. List the objects in `allowDeletion`.
 */
export class RetiredPlatform extends Construct {
  private readonly [RETIRED] = true;
  /** @internal */
  readonly _name: string | undefined;
  /** @internal */
  readonly _url: string | undefined;

  /**
   * @throws CDKTF_MISMATCH if the stack comes from another version of cdktf than the one that this package loads
   */
  constructor(scope: Construct, id: string, props: PlatformProps = {}) {
    super(scope, id);
    refuseAnotherCdktf(this);
    const problems = checkPlatformProps(props);
    refuse(this, problems);
    if (problems.length > 0) return;

    this._name = props.name;
    this._url = props.url;
    Platform._retire(this);
    const { engine = Engine.NULL_RESOURCE } = props;
    const prefix = platformPrefix(props.name);
    const settings = platformSettings(this, props);
    const elsewhere = () => Platform._objectsBeside(this, props.url);
    retireBlocks(this, { engine, prefix, settings, elsewhere });
    refuseAtSynth(this, () => this.repeatedName());
  }

  /** Terraform would find the blocks of both, and its error would name neither construct. */
  private repeatedName(): string[] {
    const platform = Platform._named(this._name, this);
    if (platform) {
      return [
        `${this.node.path}: 'name' must not be that of a Platform, but ${platform.node.path} has it: remove this RetiredPlatform, or the Platform`,
      ];
    }
    const first = TerraformStack.of(this)
      .node.findAll()
      .find((node) => isRetired(node) && node._name === this._name);
    if (first === undefined || first === this) return [];
    return [
      `${this.node.path}: 'name' must be unique, but the RetiredPlatform ${first.node.path} has it too: remove one of them, ` +
        "or give each the name of the Platform that it replaces",
    ];
  }
}

/** The blocks of a Platform that has left the code. */
export function retireBlocks(
  scope: Construct,
  {
    engine,
    prefix,
    settings,
    elsewhere,
  }: { readonly engine: Engine } & Pick<PlatformResourcesProps, "prefix" | "settings" | "elsewhere">,
): void {
  if (engine === Engine.PROVIDER) new PluginProvider(scope, "provider", settings, () => [], elsewhere);
  else dropPlugin(TerraformStack.of(scope));
  const program = new HookProgram(scope, settings);
  const declarations = { settings, objects: () => [], elsewhere };
  const nothing = (): Snapshot => ({ objects: {} });
  const support = (resource: SupportResource) => supportAddress(supportId(prefix, resource));
  const blocks = TYPE_CODES.flatMap((type) =>
    KINDS.flatMap((kind) => {
      const id = blockId(prefix, type, kind);
      // Blocks for both engines, because Terraform would drop the instances of a missing block without a destroy hook.
      return HOOK_ENGINES.map((each) => {
        const isOther = engine !== Engine.PROVIDER && each !== engine;
        const block = { type, kind, address: blockAddress(isOther ? engine : each, id) };
        const hook = isOther ? refuseHook(program, block) : deleteHook(program, each, block, declarations);
        return removedWithHook(blockAddress(each, id), hook);
      });
    }),
  );
  const helpers = [
    removedWithHook(support("deletion_guard"), snapshotHook(program, "deletion-guard", nothing, elsewhere)),
    removedWithHook(support("orphan_check"), snapshotHook(program, "orphan-check", nothing, elsewhere)),
  ];
  new TopLevelBlocks(scope, "removed", { removed: () => [...blocks, ...helpers] });
}

function isRetired(node: object): node is RetiredPlatform {
  return RETIRED in node;
}
