import { TerraformElement } from "cdktf";
import type { Construct } from "constructs";

/** Blocks `moved` and `removed`. cdktf has no element for `removed`, and its `moved` refuses another resource type. */
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
