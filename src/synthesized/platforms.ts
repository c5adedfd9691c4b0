import { isPlainObject } from "../util/prop-path";
import type { JsonObject } from "../model/provider-type";
import { locate } from "../util/regular-file";
import { isTemplate, withoutEscapes } from "../terraform/template-text";
import type { ObjectValue } from "../terraform/value";
import { platformPrefix, PLUGIN_NAME } from "../contract/addresses";
import { HOOK_ENV, type HookExpectation, inflatePieces } from "../contract/hook-protocol";
import type { PlatformSettings } from "../contract/platform-settings";
import { platformSettingsIn } from "../contract/provider-settings";

interface SynthesizedPlatform {
  readonly prefix: string;
  readonly settings: PlatformSettings;
}

/** @param synthesized the parsed `cdk.tf.json` */
export function synthesizedPlatforms(synthesized: unknown): SynthesizedPlatform[] {
  const settings = [
    ...synthesizedHooks(synthesized).map((hook) => JSON.parse(settingsText(hook)) as PlatformSettings),
    ...providerSettings(synthesized),
  ];
  const byPrefix = new Map(settings.map((each) => [platformPrefix(each.platform), each]));
  return [...byPrefix].map(([prefix, each]) => ({ prefix, settings: each }));
}

/**
 * How the Platforms of a stack reach their services, each connection once. A relative path of a file becomes the path from this
 * process.
 * @param folder of the stack
 */
export function synthesizedConnections(synthesized: unknown, folder: string): PlatformSettings["connection"][] {
  const all = synthesizedPlatforms(synthesized).map(({ settings: { connection } }) => ({
    ...connection,
    ...(connection.caFile !== undefined && { caFile: locate(connection.caFile, folder) }),
  }));
  return [...new Map(all.map((each) => [JSON.stringify(each), each])).values()];
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

/** What the hook of a support resource waits for. Empty if it does not wait, or if somebody has edited the stack. */
export function expectationsIn(resource: unknown): readonly HookExpectation[] {
  const [hook] = synthesizedHooks(resource);
  try {
    const expected = inflatePieces(hook!.environment, HOOK_ENV.expected);
    return Array.isArray(expected) ? (expected as HookExpectation[]) : [];
  } catch {
    return [];
  }
}

export function settingsText({ environment }: SynthesizedHook): string {
  return environment[HOOK_ENV.settings]!;
}

function providerSettings(synthesized: unknown): PlatformSettings[] {
  const blocks = (synthesized as { provider?: JsonObject } | null)?.provider?.[PLUGIN_NAME];
  return (Array.isArray(blocks) ? blocks : []).flatMap((block) => settingsInProviderBlock(block) ?? []);
}

/** The literal settings of a block of the package's own Terraform provider. */
export function settingsInProviderBlock(block: unknown): PlatformSettings | undefined {
  if (!isPlainObject(block)) return undefined;
  const literals = Object.entries(block).filter(([, value]) => !isTemplate(JSON.stringify(value)));
  return settingsInArguments(withoutEscapes(Object.fromEntries(literals)) as ObjectValue);
}

/** The settings in the arguments of a provider block. Undefined if they cannot be read: a document may be forged. */
export function settingsInArguments(values: ObjectValue): PlatformSettings | undefined {
  try {
    return platformSettingsIn(values);
  } catch {
    return undefined;
  }
}
