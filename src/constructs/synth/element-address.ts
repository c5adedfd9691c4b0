import { type TerraformElement, TerraformResource } from "cdktf";

/** As in Terraform's expressions. Undefined if the element is neither a resource nor a local. */
export function addressOf(element: TerraformElement): string | undefined {
  if (TerraformResource.isTerraformResource(element)) return `${element.terraformResourceType}.${element.friendlyUniqueId}`;
  // `instanceof` is false for a local from another copy of cdktf.
  return "asAnyMap" in element ? `local.${element.friendlyUniqueId}` : undefined;
}
