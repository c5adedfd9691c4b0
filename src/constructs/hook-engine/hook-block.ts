import { Resource } from "@cdktf/provider-null/lib/resource";
import { TerraformResource } from "cdktf";
import type { Construct } from "constructs";
import { Engine, type HookEngine } from "../engine";
import { fixLogicalId } from "../synth/logical-id";

export const TERRAFORM_DATA = {
  terraformResourceType: "terraform_data",
  terraformGeneratorMetadata: { providerName: "terraform" },
};

export interface HookBlockProps {
  readonly engine: HookEngine;
  /** In the state. */
  readonly id: string;
  /** Terraform's expression for the instances. */
  readonly forEach: string;
  readonly dependsOn?: readonly { readonly fqn: string }[];
}

export function hookBlock(scope: Construct, constructId: string, { engine, id, forEach, dependsOn }: HookBlockProps) {
  const meta = {
    forEach: { _getForEachExpression: () => forEach } as never,
    ...(dependsOn && { dependsOn: dependsOn.map(({ fqn }) => ({ fqn })) }),
  };
  const block =
    engine === Engine.NULL_RESOURCE
      ? new Resource(scope, constructId, meta)
      : new TerraformResource(scope, constructId, { ...TERRAFORM_DATA, ...meta });
  fixLogicalId(block, id);
  return block;
}
