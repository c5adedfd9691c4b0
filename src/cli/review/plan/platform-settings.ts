import { supportAddress, supportId } from "../../../contract/addresses";
import type { JsonObject } from "../../../model/provider-type";
import { platformKey, supportInstance, type PlatformId } from "../../report/instance";
import type { Plan, ResourceChange } from "./plan";

/** What a Platform says about the objects that it carries, as its hooks will obey it. */
export interface PlatformSettings {
  readonly deletionProtection: true | readonly string[];
  readonly allowDeletion: readonly string[];
  readonly retain: readonly string[];
  /** Objects, as `type/kind/name`, that are taken over where they live already. */
  readonly adopt: ReadonlySet<string>;
}

/** The resource that shows the settings of its Platform. */
const HOLDER = "protection";

/** The settings of every Platform in a plan, by {@link platformKey}: `protection` shows them. */
export function platformSettings(plan: Plan): ReadonlyMap<string, PlatformSettings> {
  const found = new Map<string, PlatformSettings>();
  for (const change of plan.changes) {
    const { platform, resource } = supportInstance(change) ?? {};
    if (platform === undefined || resource !== HOLDER) continue;
    const settings = plannedSettings(plan, platform, change);
    if (settings) found.set(platformKey(platform), settings);
  }
  return found;
}

/** The settings of a Platform whose `protection` is in no change, as when a plan has targets. */
export function configuredSettings({ configuration }: Plan, { module, prefix }: PlatformId): PlatformSettings | undefined {
  return read(configuration.find(module, supportAddress(supportId(prefix, HOLDER)))?.input);
}

/** Hooks obey the configuration that is applied; where that has no `protection` any more, there is nothing to obey. */
function plannedSettings(plan: Plan, platform: PlatformId, { name, change }: ResourceChange): PlatformSettings | undefined {
  const before = read(inputOf(change.before));
  const planned = read(inputOf(change.after)) ?? configuredSettings(plan, platform);
  if (planned || !before) return planned;
  const leaves = plan.configuration.present && !plan.configuration.find(platform.module, supportAddress(name));
  return leaves ? NOTHING : before;
}

function inputOf(values: unknown): unknown {
  return (values as JsonObject | undefined | null)?.input;
}

const NOTHING: PlatformSettings = { deletionProtection: [], allowDeletion: [], retain: [], adopt: new Set() };

function isOurs(input: unknown): input is JsonObject {
  return (
    typeof input === "object" && input !== null && Object.keys(NOTHING).every((key) => Array.isArray((input as JsonObject)[key]))
  );
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
