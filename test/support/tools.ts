import { HookResource } from "../../src/constructs/carrier";

/** Terraform or OpenTofu, as found on this machine. */
export const terraform = process.env.CLUSTER_PLATFORM_TEST_TERRAFORM!;

const nullResource = process.env.CLUSTER_PLATFORM_TEST_NULL !== "none";
if (!nullResource)
  console.error(
    "NOT RUN: everything on null_resource, because the hashicorp/null plugin can be had neither from the registry nor from Go",
  );

/** The carriers that can be applied on this machine. */
export const carriers = nullResource ? [HookResource.TERRAFORM_DATA, HookResource.NULL_RESOURCE] : [HookResource.TERRAFORM_DATA];

/** OpenTofu, where it can be had besides. */
export const openTofu = process.env.CLUSTER_PLATFORM_TEST_TOFU || undefined;
