import { TerraformProvider, type TerraformStack } from "cdktf";

/** A stack may also have the bindings `@cdktf/provider-null`. These require the same version, and one replaces the other. */
export const NULL_PROVIDER = { providerName: "null", providerVersion: "3.2.4" };

const ID = "cluster-platform-null";

/** The stack gets exactly one configuration of the null provider, in whichever order constructs are made. */
export function bringNullProvider(stack: TerraformStack): void {
  if (!stack.node.tryFindChild(ID)) new SpareNullProvider(stack);
}

/** Renders nothing if the user has a configuration without an alias. One with an alias is only for resources that name it. */
class SpareNullProvider extends TerraformProvider {
  constructor(stack: TerraformStack) {
    super(stack, ID, {
      terraformResourceType: "null",
      terraformGeneratorMetadata: NULL_PROVIDER,
      terraformProviderSource: "null",
    });
  }

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
