import { groupedBy } from "../../report/grouped-by";
import { baseUrlIn } from "../../../model/base-url";
import { isPlainObject } from "../../../util/prop-path";
import { DEFAULT_PROTECTION } from "../../../model/protection";
import type { JsonObject } from "../../../model/provider-type";
import { platformName, storedObject } from "../../report/instance";
import { protectedByState, serviceInState } from "../../report/recorded";
import { type Plan, type PlannedStack } from "../plan/plan";
import { platformSettings } from "../plan/platform-settings";
import { ownProviderBlocks, type ProviderBlock } from "../plan/provider-blocks";
import { hasReason, isDeleted, isLetGo, type ObjectFinding } from "./finding";
import { type Risk } from "../../report/finding";

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

type ChangeInStack = Omit<SettingChange, "stack">;

/** Changed settings that no row of an object shows. */
export function settingsChanges({ name: stack, plan }: PlannedStack, findings: readonly ObjectFinding[]): SettingChange[] {
  const shown = [...ofHooks(plan, findings), ...ofProvider(plan, findings)];
  return [...shown, ...lostProtections(plan, findings, shown)].map((change) => ({ stack, ...change }));
}

/** A name in `allowDeletion`, `retain` or `adopt` that this plan uses is left out: the row of its object shows it. */
function ofHooks(plan: Plan, findings: readonly ObjectFinding[]): ChangeInStack[] {
  return platformSettings(plan).flatMap(({ platform: id, before, after }) => {
    if (!before || !after) return [];
    const [was, is] = [byProp(before), byProp(after)];
    const platform = platformName(id);
    return Object.keys({ ...was, ...is }).flatMap((setting): ChangeInStack[] => {
      const sides = { before: texts(was[setting]), after: texts(is[setting]) };
      const added = sides.after.filter((text) => !sides.before.includes(text));
      const removed = sides.before.filter((text) => !sides.after.includes(text));
      const unused = unusedOf(setting, added, platform, findings);
      if (unused.length + removed.length === 0) return [];
      return [{ platform, setting, ...sides, risk: riskOf(setting, unused, removed, sides.after) }];
    });
  });
}

/** A plan shows a provider block only as it will be applied. The state of the objects shows their earlier protection and URL. */
function ofProvider(plan: Plan, findings: readonly ObjectFinding[]): ChangeInStack[] {
  const blocks = ownProviderBlocks(plan);
  return [
    ...[...groupedBy(statesIn(plan), ({ platform }) => platform)].flatMap(([platform, states]) =>
      shownByStates(platform, states, blocks.find((block) => block.platform === platform)?.settings),
    ),
    ...blocks.flatMap((block) => weaknesses(block, findings)),
  ];
}

/** What the state has of each object before and after the apply. */
function statesIn(plan: Plan) {
  const drift = new Map(plan.drift.map((change) => [change.address, change]));
  const planned = new Set(plan.changes.map(({ address }) => address));
  // In a refresh-only plan, all changes are drift.
  return [...plan.changes, ...plan.drift.filter(({ address }) => !planned.has(address))].flatMap((change) => {
    const { actions, after } = change.change;
    const before = drift.get(change.address)?.change.before ?? change.change.before;
    const object = change.mode === "data" ? undefined : storedObject(change, after ?? before);
    if (!object?.byProvider) return [];
    const [was, is] = [before, after].map((values) => ({ service: serviceInState(values), held: protectedByState(values) }));
    const stays = Boolean(before && after) && actions.join() !== "forget";
    return [{ id: object.id, platform: platformName(object.platform), was: was!, is: is!, stays }];
  });
}

/** @param settings of the provider block, as it will be applied */
function shownByStates(
  platform: string,
  states: ReturnType<typeof statesIn>,
  settings: ProviderBlock["settings"],
): ChangeInStack[] {
  const sorted = (all: readonly (string | undefined)[]) => [...new Set(all)].filter((each) => each !== undefined).sort();
  const before = sorted(states.map(({ was }) => was.service));
  const after = sorted([...states.map(({ is }) => is.service), baseUrlIn(settings?.connection.url)]);
  const isMoved =
    states.some(({ was, is }) => was.service && is.service && was.service !== is.service) ||
    (before.length > 0 && after.some((url) => !before.includes(url)));
  const protections = [true, false].flatMap((wasHeld): ChangeInStack[] => {
    const changed = states.filter(({ was, is, stays }) => stays && was.held === wasHeld && is.held !== wasHeld);
    const objects = sorted(changed.map(({ id }) => id));
    const sides = {
      before: wasHeld ? objects : [],
      after: (settings?.deletionProtection as readonly string[] | undefined) ?? null,
    };
    const risk = wasHeld ? "high" : "low";
    return objects.length > 0 ? [{ platform, setting: "deletionProtection", ...sides, risk, objects }] : [];
  });
  return [...(isMoved ? [{ platform, setting: "url", before, after, risk: "high" as const }] : []), ...protections];
}

/** Weak settings. The plan does not show whether they are new. */
function weaknesses({ platform, settings }: ProviderBlock, all: readonly ObjectFinding[]): ChangeInStack[] {
  if (!settings) return [];
  const findings = all.filter((finding) => finding.engine === "provider" && finding.platform === platform);
  // The name of an object that is gone has no effect.
  const declared = new Set(findings.filter((finding) => finding.declared).flatMap(({ object, name }) => [object, name]));
  const unused = (setting: "allowDeletion" | "retain") =>
    unusedOf(setting, settings[setting], platform, findings).filter((name) => declared.has(name));
  const { insecureSkipVerify, allowPlainHttp } = settings.connection;
  return Object.entries({
    allowDeletion: unused("allowDeletion"),
    retain: unused("retain"),
    insecureSkipVerify: insecureSkipVerify ? ["true"] : [],
    allowPlainHttp: allowPlainHttp ? ["true"] : [],
  })
    .filter(([, after]) => after.length > 0)
    .map(([setting, after]) => ({ platform, setting, before: null, after, risk: "high" }));
}

/** Objects that stay and lose their protection without a changed setting, as when their Platform gets another name. */
function lostProtections(plan: Plan, findings: readonly ObjectFinding[], shown: readonly ChangeInStack[]): ChangeInStack[] {
  const isShown = new Set(shown.filter(isWeakened).flatMap(({ platform, setting }) => (PROTECTS.has(setting) ? [platform] : [])));
  const settings = new Map(platformSettings(plan).map((each) => [platformName(each.platform), each.after]));
  const lost = findings.filter(
    ({ platform, unprotected, declared, verdict }) => unprotected && declared && verdict !== "REPLACE" && !isShown.has(platform),
  );
  return [...groupedBy(lost, ({ platform }) => platform)].map(([platform, group]) => {
    const objects = group.map(({ object }) => object);
    const after = texts(settings.get(platform)?.deletionProtection);
    return { platform, setting: "deletionProtection", before: objects, after, risk: "high", objects };
  });
}

const PROTECTS: ReadonlySet<string> = new Set(["deletionProtection", "allowDeletion"]);

/** The names in a setting of a Platform that none of its objects needs in this plan. */
export function unusedOf(
  setting: string,
  names: readonly string[],
  platform: string,
  findings: readonly ObjectFinding[],
): readonly string[] {
  const users = USED_BY[setting];
  if (!users) return names;
  const using = findings.filter((finding) => finding.platform === platform && users(finding));
  const used = new Set(using.flatMap(({ object, name }) => [object, name]));
  return names.filter((name) => !used.has(name));
}

/** Whether the Platform is less safe after the change. */
export function isWeakened({ risk }: Pick<SettingChange, "risk">): boolean {
  return risk === "high";
}

const isAdopted = ({ verdict }: ObjectFinding) => verdict === "ADOPT";

/** Whether what happens to an object uses its name in each setting. */
const USED_BY: Readonly<Record<string, (finding: ObjectFinding) => boolean>> = {
  allowDeletion: (finding) => isDeleted(finding) || (finding.refused && hasReason(finding, "in use")),
  retain: (finding) => isLetGo(finding) || isAdopted(finding),
  adopt: isAdopted,
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
