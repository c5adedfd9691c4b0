import type { JsonObject } from "../model/provider-type";
import { isTemplate, withoutEscapes } from "../terraform/template-text";
import type { ObjectValue } from "../terraform/value";
import { platformPrefix, PLUGIN_NAME } from "../contract/addresses";
import { HOOK_ENV, type HookSettings } from "../contract/hook-protocol";
import { readSettings } from "../contract/provider-settings";

/** A Platform, or a RetiredPlatform, which declares nothing. */
export interface SynthesizedPlatform {
  readonly prefix: string;
  readonly settings: HookSettings;
}

/** @param synthesized the parsed `cdk.tf.json` */
export function synthesizedPlatforms(synthesized: unknown): SynthesizedPlatform[] {
  // A Platform that moves to the provider engine still has hooks in its old blocks, with the same settings.
  const settings = [
    ...synthesizedHooks(synthesized).map((hook) => JSON.parse(settingsText(hook)) as HookSettings),
    ...providerSettings(synthesized),
  ];
  const byPrefix = new Map(settings.map((each) => [platformPrefix(each.platform), each]));
  return [...byPrefix].map(([prefix, each]) => ({ prefix, settings: each }));
}

export interface SynthesizedHook {
  readonly interpreter: readonly string[];
  readonly command?: string;
  readonly when?: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** The hooks in any part of a synthesized stack. */
export function synthesizedHooks(part: unknown): SynthesizedHook[] {
  if (typeof part !== "object" || part === null) return [];
  if ("interpreter" in part && HOOK_ENV.settings in ((part as { environment?: object }).environment ?? {}))
    return [part as SynthesizedHook];
  return Object.values(part).flatMap(synthesizedHooks);
}

export function settingsText({ environment }: SynthesizedHook): string {
  return environment[HOOK_ENV.settings]!;
}

/** The literal settings in the blocks of the package's own Terraform provider. */
function providerSettings(synthesized: unknown): HookSettings[] {
  const blocks = (synthesized as { provider?: JsonObject } | null)?.provider?.[PLUGIN_NAME];
  return (Array.isArray(blocks) ? (blocks as JsonObject[]) : []).map((block) => {
    const literals = Object.entries(block).filter(([, value]) => !isTemplate(JSON.stringify(value)));
    const {
      times,
      workspace: _,
      platform,
      ...settings
    } = readSettings(withoutEscapes(Object.fromEntries(literals)) as ObjectValue);
    return { ...settings, ...times, ...(platform && { platform }) };
  });
}
