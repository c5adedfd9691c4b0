import type { JsonObject } from "../../../model/provider-type";
import { platformKey, type PlatformId } from "../../report/instance";
import type { Plan, ResourceChange } from "./plan";

/** What a Platform says about the objects that it carries, as its hooks will obey it. */
export interface PlatformSettings {
  readonly deletionProtection: true | readonly string[];
  readonly allowDeletion: readonly string[];
  readonly retain: readonly string[];
  /** Objects, as `type/kind/name`, that are taken over where they live already. */
  readonly adopt: ReadonlySet<string>;
}

/** Settings of a Platform by the names of its props, as a plan shows them: those above, and how the service is reached. */
export type ShownSettings = Readonly<JsonObject>;

/** The settings of a Platform before and after the apply; undefined where the plan shows none on that side. */
export interface PlannedSettings {
  readonly platform: PlatformId;
  readonly before: ShownSettings | undefined;
  readonly after: ShownSettings | undefined;
}

const GUARD = "guard";

/** The settings of every Platform in a plan: its guard shows them. */
export function platformSettings(plan: Plan): PlannedSettings[] {
  return plan.changes.flatMap((change) => {
    if (change.type !== "terraform_data" || !change.name.endsWith(GUARD)) return [];
    const platform = { module: change.module_address ?? "", prefix: change.name.slice(0, -GUARD.length) };
    const [before, after] = [shown(change.change.before), shown(change.change.after)];
    return before || after ? [{ platform, before, after }] : [];
  });
}

/** What the hooks of every Platform in a plan will obey, by {@link platformKey}. */
export function obeyedSettings(plan: Plan): ReadonlyMap<string, PlatformSettings> {
  const found = new Map<string, PlatformSettings>();
  for (const { platform, before, after } of platformSettings(plan)) {
    const settings = obeyed(plan, platform, read(before), read(after));
    if (settings) found.set(platformKey(platform), settings);
  }
  return found;
}

/** The settings of a Platform whose guard is in no change, as when a plan has targets. */
export function configuredSettings({ configuration }: Plan, platform: PlatformId): PlatformSettings | undefined {
  return read(configuration.find(platform.module, guardOf(platform))?.input);
}

/** Hooks obey the configuration that is applied; where that has no guard any more, there is nothing to obey. */
function obeyed(
  plan: Plan,
  platform: PlatformId,
  before: PlatformSettings | undefined,
  after: PlatformSettings | undefined,
): PlatformSettings | undefined {
  const planned = after ?? configuredSettings(plan, platform);
  if (planned || !before) return planned;
  const leaves = plan.configuration.present && !plan.configuration.find(platform.module, guardOf(platform));
  return leaves ? NOTHING : before;
}

function guardOf({ prefix }: PlatformId): string {
  return `terraform_data.${prefix}${GUARD}`;
}

/** What is shown is the input; the URL is a trigger, because another service makes everything else another thing. */
function shown(values: ResourceChange["change"]["before"]): ShownSettings | undefined {
  const { input, triggers_replace: triggers } = (values ?? {}) as JsonObject;
  if (!isOurs(input)) return undefined;
  const { connection, ...settings } = input;
  const url = isObject(triggers) ? triggers.url : undefined;
  return { ...settings, ...(isObject(connection) && connection), ...(typeof url === "string" && { url }) };
}

const NOTHING: PlatformSettings = { deletionProtection: [], allowDeletion: [], retain: [], adopt: new Set() };

function isOurs(input: unknown): input is JsonObject {
  return isObject(input) && Object.keys(NOTHING).every((key) => Array.isArray(input[key]));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function read(input: unknown): PlatformSettings | undefined {
  if (!isOurs(input)) return undefined;
  const names = (key: keyof PlatformSettings) => (input[key] as unknown[]).filter((name) => typeof name === "string");
  return {
    deletionProtection: names("deletionProtection"),
    allowDeletion: names("allowDeletion"),
    retain: names("retain"),
    adopt: new Set(names("adopt")),
  };
}
