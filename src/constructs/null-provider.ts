import { NullProvider } from "@cdktf/provider-null/lib/provider";
import { TerraformProvider, type TerraformStack } from "cdktf";

const ID = "cluster-platform-null";

/** Sees to it that the stack has a configuration of the null provider, and only one, whichever is made first. */
export function bringNullProvider(stack: TerraformStack): void {
  if (!stack.node.tryFindChild(ID)) new SpareNullProvider(stack, ID);
}

/** Gives way to a configuration of the user's; one with an alias is for those resources only that ask for it. */
class SpareNullProvider extends NullProvider {
  override toTerraform() {
    const isSpare = this.cdktfStack.node
      .findAll()
      .some(
        (node) =>
          node !== this &&
          TerraformProvider.isTerraformProvider(node) &&
          node.terraformResourceType === this.terraformResourceType &&
          node.alias === undefined,
      );
    return isSpare ? {} : (super.toTerraform() as object);
  }
}
