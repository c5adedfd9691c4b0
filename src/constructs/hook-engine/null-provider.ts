import { NullProvider } from "@cdktf/provider-null/lib/provider";
import { TerraformProvider, type TerraformStack } from "cdktf";

const ID = "cluster-platform-null";

/** The stack gets exactly one configuration of the null provider, in whichever order constructs are made. */
export function bringNullProvider(stack: TerraformStack): void {
  if (!stack.node.tryFindChild(ID)) new SpareNullProvider(stack, ID);
}

/** Renders nothing if the user has a configuration without an alias. One with an alias is only for resources that name it. */
class SpareNullProvider extends NullProvider {
  override toTerraform() {
    const isSpare = this.cdktfStack.node
      .findAll()
      .some(
        (node) =>
          node !== this &&
          TerraformProvider.isTerraformProvider(node) &&
          node.cdktfStack === this.cdktfStack &&
          node.terraformResourceType === this.terraformResourceType &&
          node.alias === undefined,
      );
    return isSpare ? {} : (super.toTerraform() as object);
  }
}
