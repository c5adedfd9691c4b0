import { DEFAULT_PROTECTION } from "../../../model/protection";
import { platformName } from "../../report/instance";
import type { Plan } from "../plan/plan";
import { platformSettings, type ShownSettings } from "../plan/platform-settings";
import type { ObjectFinding, Risk, Verdict } from "./finding";

/** A setting of a Platform that a plan changes, and that says more than the rows of its objects do. */
export interface SettingChange {
  readonly stack: string;
  /** As in a finding. */
  readonly platform: string;
  /** As the prop of the Platform is called. */
  readonly setting: string;
  /** Empty where it was not set. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly risk: Risk;
}

/**
 * What a plan changes of the settings of its Platforms. A name in `allowDeletion`, `retain` or `adopt` that this very plan
 * makes use of belongs to the row of its object.
 */
export function settingsChanges(stack: string, plan: Plan, findings: readonly ObjectFinding[]): SettingChange[] {
  return platformSettings(plan).flatMap(({ platform: id, before, after }) => {
    if (!before || !after) return [];
    const platform = platformName(id);
    const used = (verdicts: ReadonlySet<Verdict>) => {
      const objects = findings.filter((finding) => finding.platform === platform && verdicts.has(finding.verdict));
      return new Set(objects.flatMap(({ object, name }) => [object, name]));
    };
    return settingsOf(before, after).flatMap((setting): SettingChange[] => {
      const sides = { before: texts(before[setting]), after: texts(after[setting]) };
      const added = sides.after.filter((text) => !sides.before.includes(text));
      const removed = sides.before.filter((text) => !sides.after.includes(text));
      const users = USED_BY[setting];
      const unused = users ? added.filter((name) => !used(users).has(name)) : added;
      if (unused.length + removed.length === 0) return [];
      return [{ stack, platform, setting, ...sides, risk: riskOf(setting, unused, removed, sides.after) }];
    });
  });
}

/** Whether the Platform is less safe afterwards. */
export function isWeakened({ risk }: SettingChange): boolean {
  return risk === "high";
}

/** What makes use of a name in one of these settings. */
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

/** Whether one pattern protects what another one does; only of those that protect everything, or all clusters. */
function isWithin(pattern: string, wide: string): boolean {
  if (wide === "*" || wide === "*/*/*") return true;
  return wide === ALL_CLUSTERS && pattern.split("/")[1] === "clusters";
}

const [ALL_CLUSTERS] = DEFAULT_PROTECTION;

function settingsOf(before: ShownSettings, after: ShownSettings): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])];
}

function texts(value: unknown): string[] {
  const all: unknown[] = Array.isArray(value) ? value : value === undefined || value === null || value === false ? [] : [value];
  return [...new Set(all.map((each) => (typeof each === "string" ? each : JSON.stringify(each))))].sort();
}
