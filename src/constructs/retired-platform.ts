import { TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { blockAddress, blockId, platformPrefix, supportAddress, supportId, type SupportResource } from "../contract/addresses";
import { InvalidPropError } from "../model/errors";
import { KINDS, TYPE_CODES } from "../model/provider-type";
import { refuseAnotherCdktf } from "./cdktf-copy";
import type { Snapshot } from "../contract/snapshot";
import { declaredFor, deleteHook, refuseHook, removedWithHook, snapshotHook } from "./destroy-hooks";
import { Engine } from "./engine";
import { HookProgram } from "./hook-program";
import { checkPlatformProps, hookSettings, type PlatformProps } from "./platform-props";
import { dropPlugin } from "./plugin-mirror";
import { PluginProvider } from "./plugin-provider";
import { TopLevelBlocks } from "./top-level-blocks";

const HOOK_ENGINES = [Engine.NULL_RESOURCE, Engine.TERRAFORM_DATA] as const;

/**
 * What takes the place of a {@link Platform} that leaves the code while it still has objects. A Platform that is just
 * dropped takes its destroy hooks along: Terraform then forgets every provider and cluster, and they live on unseen.
 * This one says that the blocks were removed and still carries their hooks, so the next apply deletes everything that
 * the Platform had, clusters first. Remove it after that apply.
 *
 * Give it the props of the Platform that it replaces: `name` and `engine` say what is in the state; with the wrong
 * `engine` the apply is refused. `deletionProtection` and `retain` hold as on a Platform, so clusters are protected here,
 * too: list those that may go in `allowDeletion`, or write `deletionProtection: false` where all of them may. What an
 * interrupted create left fails the apply and is named. Terraform takes the null plugin from the state; a provider block for it is not
 * needed.
 *
 * Needs Terraform 1.9 or OpenTofu 1.10; older ones refuse to read it and touch nothing. With them, remove the
 * constructs first, apply, and remove the empty Platform then.
 *
 * With {@link Engine.PROVIDER} it keeps the provider block, which Terraform needs for deleting. What has not moved there
 * from an engine with hooks is deleted by its hook.
 */
export class RetiredPlatform extends Construct {
  /**
   * @throws INVALID_PROP when a prop breaks its rule
   * @throws CDKTF_MISMATCH when the stack is made with another version of cdktf than this package finds
   */
  constructor(scope: Construct, id: string, props: PlatformProps = {}) {
    super(scope, id);
    refuseAnotherCdktf(this);
    const problems = checkPlatformProps(props);
    if (problems.length > 0) throw new InvalidPropError(this.node.path, problems.join("; "));

    const { engine = Engine.NULL_RESOURCE } = props;
    const prefix = platformPrefix(props.name);
    const settings = hookSettings(this, props);
    if (engine === Engine.PROVIDER) new PluginProvider(this, "provider", settings);
    else dropPlugin(TerraformStack.of(this));
    const program = new HookProgram(this, settings);
    const declared = () => declaredFor([], settings);
    const nothing = (): Snapshot => ({ objects: {} });
    const support = (resource: SupportResource) => supportAddress(supportId(prefix, resource));
    const blocks = TYPE_CODES.flatMap((type) =>
      KINDS.flatMap((kind) => {
        const id = blockId(prefix, type, kind);
        // Were one not there, what the state has on another engine than is said would be dropped without a destroy hook.
        return HOOK_ENGINES.map((each) => {
          const isOther = engine !== Engine.PROVIDER && each !== engine;
          const block = { type, kind, address: blockAddress(isOther ? engine : each, id) };
          const hook = isOther ? refuseHook(program, block) : deleteHook(program, each, block, declared);
          return removedWithHook(blockAddress(each, id), hook);
        });
      }),
    );
    const helpers = [
      removedWithHook(support("deletion_guard"), snapshotHook(program, "deletion-guard", nothing)),
      removedWithHook(support("orphan_check"), snapshotHook(program, "orphan-check", nothing)),
    ];
    new TopLevelBlocks(this, "removed", { removed: () => [...blocks, ...helpers] });
  }
}
