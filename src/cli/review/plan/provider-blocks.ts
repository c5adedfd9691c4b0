import { PLUGIN_NAME, PLUGIN_SOURCE, platformOfPrefix, platformPrefix } from "../../../contract/addresses";
import type { PlatformSettings } from "../../../contract/platform-settings";
import { platformSettingsIn } from "../../../contract/provider-settings";
import { oncePerObject } from "../../../util/once-per";
import type { Times } from "../../../model/time-limits";
import { settingsInArguments } from "../../../synthesized/platforms";
import type { ObjectValue } from "../../../terraform/value";
import type { PlatformId } from "../../report/instance";
import type { Plan } from "./plan";
import { type RecordedSettings, readHookSettings } from "../../report/recorded";

export interface ProviderBlock {
  /** As in `clusterplatform.eu`. */
  readonly key: string;
  readonly source: string;
  /** Empty for a Platform without a name. */
  readonly platform: string;
  /** Undefined if the plan does not show what the block protects and retains. */
  readonly settings: BlockSettings | undefined;
}

type BlockSettings = RecordedSettings & Times;

/** The provider blocks with the plugin's name or source, including those of other providers. */
export const providerBlocks = oncePerObject(({ configuration }: Plan): readonly ProviderBlock[] =>
  [...configuration.providers].flatMap(([key, { source, values, expressions }]) => {
    if (source !== PLUGIN_SOURCE && localName(key) !== PLUGIN_NAME) return [];
    const read = settingsInArguments(values as ObjectValue);
    const isShown = read !== undefined && !expressions.some((name) => DECIDING.has(name));
    return [{ key, source, platform: read?.platform ?? "", settings: isShown ? recordedIn(read) : undefined }];
  }),
);

/** Those of this package's own provider. */
export function ownProviderBlocks(plan: Plan): ProviderBlock[] {
  return providerBlocks(plan).filter(({ source }) => source === PLUGIN_SOURCE);
}

/**
 * The plan does not name the provider block of a block that has left the code. Then it is the provider block of the same
 * Platform. Without one, Terraform configures the provider with no settings.
 * @param block as in `clusterplatform_capvs_cluster.prod`
 * @returns undefined if the plan does not show it
 */
export function providerBlockOf(
  plan: Plan,
  platform: PlatformId,
  block: string,
): Pick<ProviderBlock, "source" | "settings"> | undefined {
  const configured = plan.configuration.find(platform.module, block);
  if (configured) return providerBlocks(plan).find(({ key }) => key === configured.providerKey);
  const ofPlatform = providerBlockOfPlatform(plan, platform);
  if (ofPlatform || !plan.configuration.present || platformOfPrefix(platform.prefix) !== "") return ofPlatform;
  return { source: PLUGIN_SOURCE, settings: recordedIn(platformSettingsIn({})) };
}

/** Of the Platforms with the Terraform provider. */
export function prefixesOf(plan: Plan): ReadonlySet<string> {
  return new Set(ownProviderBlocks(plan).map(({ platform }) => platformPrefix(platform)));
}

function providerBlockOfPlatform(plan: Plan, { prefix }: PlatformId): ProviderBlock | undefined {
  return ownProviderBlocks(plan).find(({ platform }) => platform === platformOfPrefix(prefix));
}

/** Arguments that decide what a provider block protects and retains. */
const DECIDING: ReadonlySet<string> = new Set(["deletion_protection", "allow_deletion", "retain"]);

/** `clusterplatform` of `clusterplatform.eu` and of `module.eu:clusterplatform`. */
function localName(key: string): string {
  return key.slice(key.lastIndexOf(":") + 1).split(".")[0]!;
}

function recordedIn({ platform: _, ...settings }: PlatformSettings): BlockSettings {
  return { ...settings, ...readHookSettings({ ...settings })! };
}
