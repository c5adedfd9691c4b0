import { TerraformElement } from "cdktf";
import type { Construct } from "constructs";

/** Blocks `moved` and `removed`. For `removed` cdktf has no element, and its own moves refuse another resource type. */
export class TopLevelBlocks extends TerraformElement {
  constructor(
    scope: Construct,
    id: string,
    private readonly blocks: { readonly moved?: () => readonly Move[]; readonly removed?: () => readonly object[] },
  ) {
    super(scope, id);
  }

  override toTerraform() {
    const { moved, removed } = this.blocks;
    return { ...(moved && { moved: moved() }), ...(removed && { removed: removed() }) };
  }
}

export interface Move {
  readonly from: string;
  readonly to: string;
}
