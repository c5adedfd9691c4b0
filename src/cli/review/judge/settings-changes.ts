import { groupedBy } from "../../report/grouped-by";
import { baseUrlIn } from "../../../model/base-url";
import { isPlainObject } from "../../../model/prop-path";
import { DEFAULT_PROTECTION } from "../../../model/protection";
import type { JsonObject } from "../../../model/provider-type";
import { platformName } from "../../report/instance";
import type { Plan, PlannedStack } from "../plan/plan";
import { migratedPlatforms, platformSettings } from "../plan/platform-settings";
import { providerBlockOfPlatform } from "../plan/provider-blocks";
import type { ObjectFinding, Risk, Verdict } from "./finding";

export interface SettingChange {
  readonly stack: string;
  /** Empty for a Platform without a name. */
  readonly platform: string;
  readonly setting: string;
  /** Empty if it was not set; null if the plan does not show it. Then the value may be unchanged. */
  readonly before: readonly string[] | null;
  /** Null if the plan does not show it. */
  readonly after: readonly string[] | null;
  readonly risk: Risk;
  /** The objects that lose or gain their protection, if the plan shows that, and not what the setting was before. */
  readonly objects?: readonly string[];
}

/**
 * A name in `allowDeletion`, `retain` or `adopt` that this plan uses is left out: the row of its object shows it. If the Platform
 * moves to the Terraform provider, its provider block has the new settings.
 */
export function settingsChanges({ name: stack, plan }: PlannedStack, findings: readonly ObjectFinding[]): SettingChange[] {
  return platformSettings(plan).flatMap(({ platform: id, before, after, isForgotten }) => {
    const planned = isForgotten ? providerBlockOfPlatform(plan, id)?.settings : after;
    if (!before || !planned) return [];
    // With the provider, `adopt` is an argument of each resource.
    const [was, is] = [byProp(before), byProp({ ...planned, ...(isForgotten && { adopt: before.adopt }) })];
    const platform = platformName(id);
    const ofPlatform = findings.filter((finding) => finding.platform === platform);
    return Object.keys({ ...was, ...is }).flatMap((setting): SettingChange[] => {
      const sides = { before: texts(was[setting]), after: texts(is[setting]) };
      const added = sides.after.filter((text) => !sides.before.includes(text));
      const removed = sides.before.filter((text) => !sides.after.includes(text));
      const unused = unusedOf(setting, added, ofPlatform);
      if (unused.length + removed.length === 0) return [];
      return [{ stack, platform, setting, ...sides, risk: riskOf(setting, unused, removed, sides.after) }];
    });
  });
}

/** Objects that stay and lose their protection without a changed setting, as in a move to another Platform. */
export function lostProtections(
  { name: stack, plan }: PlannedStack,
  findings: readonly ObjectFinding[],
  shown: readonly SettingChange[],
): SettingChange[] {
  const isShown = new Set(shown.filter(isWeakened).flatMap(({ platform, setting }) => (PROTECTS.has(setting) ? [platform] : [])));
  const after = new Map(platformSettings(plan).map((each) => [platformName(each.platform), each.after]));
  const lost = findings.filter(
    ({ platform, unprotected, declared, verdict }) => unprotected && declared && verdict !== "REPLACE" && !isShown.has(platform),
  );
  return [...groupedBy(lost, ({ platform }) => platform)].map(([platform, group]) => {
    const objects = group.map(({ object }) => object);
    return {
      stack,
      platform,
      setting: "deletionProtection",
      before: objects,
      after: texts(after.get(platform)?.deletionProtection),
      risk: "high",
      objects,
    };
  });
}

const PROTECTS: ReadonlySet<string> = new Set(["deletionProtection", "allowDeletion"]);

/** Whether a Platform moves to a provider block that does not show what it protects and retains. */
export function hidesNewSettings(plan: Plan): boolean {
  return migratedPlatforms(plan).some((platform) => {
    const block = providerBlockOfPlatform(plan, platform);
    return block !== undefined && block.settings === undefined;
  });
}

export function unusedOf(setting: string, names: readonly string[], findings: readonly ObjectFinding[]): readonly string[] {
  const users = USED_BY[setting];
  if (!users) return names;
  const used = new Set(findings.filter(({ verdict }) => users.has(verdict)).flatMap(({ object, name }) => [object, name]));
  return names.filter((name) => !used.has(name));
}

/** Whether the Platform is less safe after the change. */
export function isWeakened({ risk }: SettingChange): boolean {
  return risk === "high";
}

/** The verdicts that use a name in each setting. */
const USED_BY: Readonly<Record<string, ReadonlySet<Verdict>>> = {
  allowDeletion: new Set<Verdict>(["DESTROY", "REPLACE", "IN-USE"]),
  retain: new Set<Verdict>(["RETAIN", "ADOPT"]),
  adopt: new Set<Verdict>(["ADOPT"]),
};

function riskOf(setting: string, added: readonly string[], removed: readonly string[], after: readonly string[]): Risk {
  switch (setting) {
    case "deletionProtection":
      return removed.every((pattern) => after.some((wide) => isWithin(pattern, wide))) ? "low" : "high";
    case "allowDeletion":
    case "retain":
      return added.length > 0 ? "high" : "low";
    case "url":
      return "high";
    case "insecureSkipVerify":
    case "allowPlainHttp":
      return after.includes("true") ? "high" : "low";
    case "caFile":
      return "medium";
    default:
      return "low";
  }
}

/** Whether `wide` covers `pattern`. It is known only if `wide` is the pattern for everything or for all clusters. */
function isWithin(pattern: string, wide: string): boolean {
  if (wide === "*" || wide === "*/*/*") return true;
  return wide === ALL_CLUSTERS && pattern.split("/")[1] === "clusters";
}

const [ALL_CLUSTERS] = DEFAULT_PROTECTION;

/** One level, with the names of the connection's props. URLs of the same service are equal. */
function byProp({ connection, ...settings }: Readonly<object> & { connection?: unknown }): JsonObject {
  const all = { ...settings, ...(isPlainObject(connection) && connection) };
  const url = baseUrlIn((all as JsonObject).url);
  return url === undefined ? all : { ...all, url };
}

function texts(value: unknown): string[] {
  const all: unknown[] = Array.isArray(value) ? value : value === undefined || value === null || value === false ? [] : [value];
  return [...new Set(all.map((each) => (typeof each === "string" ? each : JSON.stringify(each))))].sort();
}
