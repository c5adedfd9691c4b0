import { TerraformResource } from "cdktf";
import type { Construct } from "constructs";
import { Engine, type HookEngine } from "../engine";
import { fixLogicalId } from "../synth/logical-id";
import { NULL_PROVIDER } from "./null-provider";

export const TERRAFORM_DATA = {
  terraformResourceType: "terraform_data",
  terraformGeneratorMetadata: { providerName: "terraform" },
};

const NULL_RESOURCE = { terraformResourceType: "null_resource", terraformGeneratorMetadata: NULL_PROVIDER };

export interface HookBlockProps {
  readonly engine: HookEngine;
  /** In the state. */
  readonly id: string;
  /** Terraform's expression for the instances. */
  readonly forEach: string;
  readonly dependsOn?: readonly { readonly fqn: string }[];
}

export function hookBlock(scope: Construct, constructId: string, { engine, id, forEach, dependsOn }: HookBlockProps) {
  const block = new TerraformResource(scope, constructId, {
    ...(engine === Engine.NULL_RESOURCE ? NULL_RESOURCE : TERRAFORM_DATA),
    forEach: { _getForEachExpression: () => forEach } as never,
    ...(dependsOn && { dependsOn: dependsOn.map(({ fqn }) => ({ fqn })) }),
  });
  fixLogicalId(block, id);
  return block;
}
