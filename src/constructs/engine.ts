/** The kinds of Terraform resources that can carry the objects of a Platform. docs/engines.md compares them. */
export enum Engine {
  /** `null_resource` of the hashicorp/null provider, with hooks. */
  NULL_RESOURCE = "null_resource",
  /** `terraform_data` with hooks. It is built into Terraform and OpenTofu, so nothing is downloaded. */
  TERRAFORM_DATA = "terraform_data",
  /** Resources of a Terraform provider that is part of this package. Other resources can use their live attributes. */
  PROVIDER = "provider",
}

export type HookEngine = Engine.NULL_RESOURCE | Engine.TERRAFORM_DATA;
