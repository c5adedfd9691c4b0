import { TerraformProvider, TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { PLUGIN_NAME, PLUGIN_SOURCE } from "../../contract/addresses";
import type { PlatformSettings } from "../../contract/platform-settings";
import { idOf, type ObjectRef } from "../../model/object-ref";
import { bringPlugin, pluginVersion } from "./plugin-mirror";
import { refuse } from "../synth/refusal";
import { escapeLiterals } from "../synth/tokens";

/** It has an alias if the Platform has a name. */
export class PluginProvider extends TerraformProvider {
  constructor(
    scope: Construct,
    id: string,
    private readonly settings: PlatformSettings,
    private readonly objects: () => readonly ObjectRef[],
  ) {
    const version = pluginVersion(scope);
    super(scope, id, {
      terraformResourceType: PLUGIN_NAME,
      terraformGeneratorMetadata: { providerName: PLUGIN_NAME, providerVersion: version },
      terraformProviderSource: PLUGIN_SOURCE,
    });
    bringPlugin(TerraformStack.of(this));
  }

  override get alias(): string | undefined {
    return this.settings.platform;
  }

  override set alias(_: string | undefined) {
    this.refuseChange("alias");
  }

  override addOverride(path: string): void {
    this.refuseChange(String(path).split(".")[0]!);
  }

  private refuseChange(argument: string): void {
    refuse(this, [
      `'${argument}' must not be set on the provider block of a Platform, which takes all arguments from the Platform. ` +
        "Skip it in the Aspect: if (node.node.scopes.some((scope) => Platform.isPlatform(scope))) return",
    ]);
  }

  protected override synthesizeAttributes() {
    const { platform, connection, pollSeconds, deletionProtection, allowDeletion, retain, ...times } = this.settings;
    const literals = {
      platform,
      url: connection.url,
      other_urls: connection.otherUrls,
      ca_file: connection.caFile,
      insecure_skip_verify: connection.insecureSkipVerify,
      allow_plain_http: connection.allowPlainHttp,
      poll_seconds: pollSeconds,
      timeouts: {
        request_seconds: connection.requestSeconds,
        create_seconds: times.createSeconds,
        ready_seconds: times.readySeconds,
        delete_seconds: times.deleteSeconds,
      },
      deletion_protection: deletionProtection === true ? ["*"] : deletionProtection,
      allow_deletion: allowDeletion,
      retain,
    };
    const declared = this.objects().map(idOf).sort();
    return {
      workspace: "${terraform.workspace}",
      declared,
      ...(escapeLiterals(literals) as object),
    };
  }
}
