import { Resource } from "@cdktf/provider-null/lib/resource";
import { TerraformResource, TerraformStack } from "cdktf";
import { Construct } from "constructs";
import {
  blockAddress,
  blockId,
  clusterSupportId,
  instanceAddress,
  SUPPORT_RESOURCES,
  supportAddress,
  supportId,
} from "../contract/addresses";
import type { ObjectRef } from "../model/object-ref";
import { TYPE_CODES, type Kind, type TypeCode } from "../model/provider-type";
import { deleteHook, removedWithHook, snapshotHook, snapshotOf } from "./destroy-hooks";
import { Engine, type HookEngine, type PlatformResourcesProps } from "./engine";
import { HookProgram } from "./hook-program";
import { TERRAFORM_DATA } from "./hook-resources";
import { fixLogicalId } from "./logical-id";
import { bringNullProvider } from "./null-provider";
import { TopLevelBlocks } from "./top-level-blocks";

export interface MigrationProps extends Omit<PlatformResourcesProps, "migrateFrom"> {
  readonly from: HookEngine;
  readonly to: (object: ObjectRef) => string;
}

/**
 * Moves each instance of a block with hooks to its own resource. The blocks stay, without instances, so that the destroy hook
 * still runs for an object that leaves the code in the same change. The deletion guard is destroyed first, and its hook refuses
 * the whole change if it deletes anything protected. The other support resources are forgotten.
 */
export class MigrationFromHooks extends Construct {
  constructor(
    scope: Construct,
    id: string,
    private readonly props: MigrationProps,
  ) {
    super(scope, id);
    if (props.from === Engine.NULL_RESOURCE) bringNullProvider(TerraformStack.of(this));
    const program = new HookProgram(this, props.settings);
    for (const type of TYPE_CODES) {
      const providers = this.emptied(program, type, "providers", []);
      this.emptied(program, type, "clusters", [providers]);
    }
    new TopLevelBlocks(this, "blocks", {
      moved: () => this.moves(),
      removed: () => [this.deletionGuard(program), ...this.helpers().map(forgotten)],
    });
  }

  private emptied(program: HookProgram, type: TypeCode, kind: Kind, dependsOn: TerraformResource[]): TerraformResource {
    const { from } = this.props;
    const id = blockId(this.props.prefix, type, kind);
    const meta = { forEach: { _getForEachExpression: () => "${{}}" } as never, dependsOn };
    const block =
      from === Engine.NULL_RESOURCE
        ? new Resource(this, id, meta)
        : new TerraformResource(this, id, { ...TERRAFORM_DATA, ...meta });
    fixLogicalId(block, id);
    const hookBlock = { type, kind, address: blockAddress(from, id) };
    block.provisioners = [deleteHook(program, from, hookBlock, this.props)];
    return block;
  }

  private moves() {
    const { from, to, prefix, objects } = this.props;
    return objects().map((object) => {
      const block = blockAddress(from, blockId(prefix, object.type, object.kind));
      return { from: instanceAddress(block, object.name), to: to(object) };
    });
  }

  private deletionGuard(program: HookProgram) {
    const { prefix, objects, settings } = this.props;
    const snapshot = () => snapshotOf(objects(), settings, () => "");
    return removedWithHook(
      supportAddress(supportId(prefix, "deletion_guard")),
      snapshotHook(program, "deletion-guard", snapshot),
    );
  }

  private helpers(): string[] {
    const { prefix, objects } = this.props;
    const ofClusters = objects()
      .filter(({ kind }) => kind === "clusters")
      .flatMap(({ type, name }) => [
        clusterSupportId(prefix, type, "ready", name),
        clusterSupportId(prefix, type, "readiness", name),
      ]);
    const ofPlatform = SUPPORT_RESOURCES.filter((resource) => resource !== "deletion_guard").map((resource) =>
      supportId(prefix, resource),
    );
    return [...ofPlatform, ...ofClusters].map(supportAddress);
  }
}

function forgotten(from: string) {
  return { from, lifecycle: [{ destroy: false }] };
}
