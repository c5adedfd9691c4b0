import { type TerraformResource, TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { blockAddress, blockId, instanceAddress, parseBlockAddress, passageAddress } from "../../contract/addresses";
import type { HookBlock } from "../../contract/hook-protocol";
import type { ObjectRef } from "../../model/object-ref";
import { TYPE_CODES, type Kind, type TypeCode } from "../../model/provider-type";
import { deleteHook, removedWithHook } from "./destroy-hooks";
import { Engine, type HookEngine } from "../engine";
import { type PlatformResourcesProps } from "../synth/platform-resources";
import { hookBlock, NO_INSTANCES } from "./hook-block";
import { HookProgram } from "./hook-program";
import { bringNullProvider } from "./null-provider";
import { type Move, TopLevelBlocks } from "../synth/top-level-blocks";

export interface MigrationProps extends Omit<PlatformResourcesProps, "migrateFrom"> {
  readonly from: HookEngine;
  readonly to: (object: ObjectRef) => string;
  /**
   * Whether each instance passes a resource of its own. When the first instance leaves a block for another resource type,
   * Terraform changes the provider of the block, and `terraform_data` then refuses the other instances of the block.
   */
  readonly throughPassages: boolean;
}

/**
 * Moves each declared instance of the blocks of an engine with hooks to a new address. The blocks stay, without instances, so that
 * the destroy hook still runs for an object that leaves the code in the same change.
 *
 * Whole blocks cannot move. A failed apply leaves blocks without instances in the state, and Terraform moves no block to the
 * address of another one. It would drop all instances from the state instead, without their hooks. An instance can move unless
 * the state has another instance at its new address. Then its destroy hook refuses.
 */
export class MigrationFromHooks extends Construct {
  private readonly program: HookProgram;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: MigrationProps,
  ) {
    super(scope, id);
    if (props.from === Engine.NULL_RESOURCE) bringNullProvider(TerraformStack.of(this));
    this.program = new HookProgram(this, props.settings);
    for (const type of TYPE_CODES) {
      const providers = this.emptied(type, "providers", []);
      this.emptied(type, "clusters", [providers]);
    }
    new TopLevelBlocks(this, "blocks", { moved: () => this.moves(), removed: () => this.passages() });
  }

  private emptied(type: TypeCode, kind: Kind, dependsOn: readonly TerraformResource[]): TerraformResource {
    const { from: engine, objects } = this.props;
    const context = this.blockOf({ type, kind });
    const { id } = parseBlockAddress(context.address)!;
    const block = hookBlock(this, id, { engine, id, forEach: NO_INSTANCES, dependsOn });
    const moves = () => {
      const moving = objects().filter((object) => object.type === type && object.kind === kind);
      return Object.fromEntries(moving.map((object) => [object.name, this.move(object)]));
    };
    block.provisioners = [deleteHook(this.program, engine, context, { ...this.props, moves })];
    return block;
  }

  private blockOf({ type, kind }: Pick<ObjectRef, "type" | "kind">): HookBlock {
    const { from, prefix } = this.props;
    return { type, kind, address: blockAddress(from, blockId(prefix, type, kind)) };
  }

  private move(object: ObjectRef): Move {
    return { from: instanceAddress(this.blockOf(object).address, object.name), to: this.props.to(object) };
  }

  private passage(object: ObjectRef): string {
    return passageAddress(this.blockOf(object).address, object.name);
  }

  private moves(): readonly Move[] {
    const moves = this.props.objects().map((object) => ({ ...this.move(object), passage: this.passage(object) }));
    if (!this.props.throughPassages) return moves.map(({ from, to }) => ({ from, to }));
    return moves.flatMap(({ from, passage, to }) => [
      { from, to: passage },
      { from: passage, to },
    ]);
  }

  /** An instance that cannot reach its new address stays in its passage. Its destroy hook refuses there, too. */
  private passages(): readonly object[] {
    const { settings, from: engine, objects, throughPassages } = this.props;
    if (!throughPassages) return [];
    const nothing = { settings, objects: () => [], elsewhere: () => [] };
    return objects().map((object) => {
      const from = this.passage(object);
      // A passage has no key.
      const moves = () => ({ "": { ...this.move(object), from } });
      return removedWithHook(from, deleteHook(this.program, engine, this.blockOf(object), { ...nothing, moves }));
    });
  }
}
