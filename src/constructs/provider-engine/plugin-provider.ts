import { TerraformProvider, TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { PLUGIN_NAME, PLUGIN_SOURCE } from "../../contract/addresses";
import type { DeclaredElsewhere } from "../../contract/declared-elsewhere";
import type { PlatformSettings } from "../../contract/platform-settings";
import { idOf, type ObjectRef } from "../../model/object-ref";
import { bringPlugin, pluginVersion } from "./plugin-mirror";
import { escapeLiterals } from "../synth/tokens";

/** It has an alias if the Platform has a name. */
export class PluginProvider extends TerraformProvider {
  constructor(
    scope: Construct,
    id: string,
    private readonly settings: PlatformSettings,
    private readonly objects: () => readonly ObjectRef[],
    /** What the stack's other Platforms declare, perhaps on the same service. */
    private readonly elsewhere: () => readonly DeclaredElsewhere<ObjectRef>[],
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

  protected override synthesizeAttributes() {
    const { platform, connection, pollSeconds, deletionProtection, allowDeletion, retain, ...times } = this.settings;
    const literals = {
      platform,
      url: connection.url,
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
    const declared = this.objects().map(idOf);
    // A Platform without objects may delete some.
    const elsewhere = this.elsewhere()
      .map(({ platform = "", url, objects }) => ({ platform, url, objects: objects.map(idOf).sort() }))
      .sort((one, other) => (one.platform < other.platform ? -1 : 1));
    return {
      workspace: "${terraform.workspace}",
      declared,
      ...(elsewhere.length > 0 && { declared_elsewhere: elsewhere }),
      ...(escapeLiterals(literals) as object),
    };
  }
}
