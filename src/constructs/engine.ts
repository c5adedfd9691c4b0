/** The kinds of Terraform resources that represent the objects of a Platform. docs/engines.md compares them. */
export enum Engine {
  /** Hooks of `null_resource`, which the hashicorp/null provider has. */
  NULL_RESOURCE = "null_resource",
  /** The same hooks, of `terraform_data`. It is built into Terraform and OpenTofu, so nothing is downloaded. */
  TERRAFORM_DATA = "terraform_data",
  /** Resources of a Terraform provider that is part of this package. Other resources can use their live attributes. */
  PROVIDER = "provider",
}

export type HookEngine = Engine.NULL_RESOURCE | Engine.TERRAFORM_DATA;
