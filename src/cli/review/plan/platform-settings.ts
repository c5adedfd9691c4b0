import { supportAddress, supportId } from "../../../contract/addresses";
import { oncePerObject } from "../../../util/once-per";
import type { JsonObject } from "../../../model/provider-type";
import { platformKey, supportInstance, type PlatformId } from "../../report/instance";
import { areSettings, type RecordedSettings, readRecordedSettings } from "../../report/recorded";
import type { Plan, ResourceChange } from "./plan";

/** Undefined on a side for which the plan shows no settings. */
interface PlannedSettings {
  readonly platform: PlatformId;
  readonly before: Readonly<JsonObject> | undefined;
  readonly after: Readonly<JsonObject> | undefined;
}

/** The resource that shows the settings of its Platform. */
const HOLDER = "protection";

export const platformSettings = oncePerObject((plan: Plan): readonly PlannedSettings[] =>
  plan.changes.flatMap((change) => {
    const { platform, resource } = supportInstance(change) ?? {};
    if (platform === undefined || resource !== HOLDER) return [];
    const [before, after] = [inputIn(change.change.before), inputIn(change.change.after)];
    return before || after ? [{ platform, before, after }] : [];
  }),
);

/** Settings by {@link platformKey}. */
export const obeyedSettings = oncePerObject((plan: Plan): ReadonlyMap<string, RecordedSettings> => {
  const found = new Map<string, RecordedSettings>();
  for (const { platform, before, after } of platformSettings(plan)) {
    const settings = obeyed(plan, platform, readRecordedSettings(before), readRecordedSettings(after));
    if (settings) found.set(platformKey(platform), settings);
  }
  return found;
});

/** The settings of the last apply, by {@link platformKey}. */
export const settingsInState = oncePerObject((plan: Plan): ReadonlyMap<string, RecordedSettings> => {
  const all = platformSettings(plan).map(
    ({ platform, before }) => [platformKey(platform), readRecordedSettings(before)] as const,
  );
  return new Map(all.filter((each): each is [string, RecordedSettings] => each[1] !== undefined));
});

/** For settings that the plan does not change, for example because of `-target`. */
export function configuredSettings({ configuration }: Plan, platform: PlatformId): RecordedSettings | undefined {
  return readRecordedSettings(configuration.find(platform.module, holderOf(platform))?.input);
}

/** Hooks obey the applied configuration. If the Platform has left the configuration, no settings apply. */
function obeyed(
  plan: Plan,
  platform: PlatformId,
  before: RecordedSettings | undefined,
  after: RecordedSettings | undefined,
): RecordedSettings | undefined {
  const planned = after ?? configuredSettings(plan, platform);
  if (planned || !before) return planned;
  const leaves = plan.configuration.present && !plan.configuration.find(platform.module, holderOf(platform));
  return leaves ? NOTHING : before;
}

function holderOf({ prefix }: PlatformId): string {
  return supportAddress(supportId(prefix, HOLDER));
}

function inputIn(values: ResourceChange["change"]["before"]): JsonObject | undefined {
  const { input } = (values ?? {}) as JsonObject;
  if (!areSettings(input)) return undefined;
  const { objects: _, ...settings } = input;
  return settings;
}

const NOTHING: RecordedSettings = { deletionProtection: [], allowDeletion: [], retain: [], adopt: new Set(), connection: {} };
