import { TerraformResource } from "cdktf";
import type { Construct } from "constructs";
import { PLUGIN_NAME } from "../../contract/addresses";
import type { JsonObject } from "../../model/provider-type";
import { fixLogicalId } from "../synth/logical-id";
import type { PluginProvider } from "./plugin-provider";

export interface PluginResourceProps {
  readonly type: string;
  /** In the state. */
  readonly id: string;
  readonly provider: PluginProvider;
  readonly attributes: () => JsonObject;
}

export class PluginResource extends TerraformResource {
  constructor(
    scope: Construct,
    constructId: string,
    private readonly props: PluginResourceProps,
  ) {
    const terraformGeneratorMetadata = { providerName: PLUGIN_NAME };
    super(scope, constructId, { terraformResourceType: props.type, terraformGeneratorMetadata, provider: props.provider });
    fixLogicalId(this, props.id);
  }

  protected override synthesizeAttributes() {
    return this.props.attributes();
  }
}
