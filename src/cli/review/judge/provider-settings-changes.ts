import { isPluginResourceType } from "../../../contract/addresses";
import { baseUrlIn } from "../../../model/base-url";
import { platformName, storedObject } from "../../report/instance";
import { originOf, type PlannedStack } from "../plan/plan";
import { migratedPlatforms } from "../plan/platform-settings";
import { ownProviderBlocks, type ProviderBlock } from "../plan/provider-blocks";
import type { ObjectFinding } from "./finding";
import { unusedOf, type SettingChange } from "./settings-changes";
import { protectedByState, serviceInState } from "./plan-context";

interface PlatformFacts {
  readonly from: Set<string>;
  readonly to: Set<string>;
  isMoved: boolean;
  readonly unprotected: Set<string>;
  readonly newlyProtected: Set<string>;
}

/** A plan shows a provider block only as it will be applied. The state of the objects shows their earlier protection and URL. */
export function providerSettingsChanges(
  { name: stack, plan }: PlannedStack,
  findings: readonly ObjectFinding[],
): SettingChange[] {
  const blocks = ownProviderBlocks(plan);
  const drift = new Map(plan.drift.map((change) => [change.address, change]));
  const facts = new Map<string, PlatformFacts>();
  const planned = new Set(plan.changes.map(({ address }) => address));
  // In a refresh-only plan, all changes are drift.
  for (const change of [...plan.changes, ...plan.drift.filter(({ address }) => !planned.has(address))]) {
    const { actions, after } = change.change;
    const before = drift.get(change.address)?.change.before ?? change.change.before;
    const object = change.mode === "data" ? undefined : storedObject(change, after ?? before);
    // The state of an object that moves here from hooks does not have these values yet.
    const origin = originOf(change);
    if (!object?.byProvider || (origin && !isPluginResourceType(origin.type))) continue;
    const platform = platformName(object.platform);
    if (!facts.has(platform)) facts.set(platform, nothing());
    const fact = facts.get(platform)!;
    const [was, is] = [serviceInState(before), serviceInState(after)];
    if (was !== undefined) fact.from.add(was);
    if (is !== undefined) fact.to.add(is);
    if (was !== undefined && is !== undefined && was !== is) fact.isMoved = true;
    if (!before || !after || actions.join() === "forget") continue;
    if (protectedByState(before) && !protectedByState(after)) fact.unprotected.add(object.id);
    if (!protectedByState(before) && protectedByState(after)) fact.newlyProtected.add(object.id);
  }
  for (const { platform, settings } of blocks) {
    const url = baseUrlIn(settings?.connection.url);
    if (url !== undefined) facts.get(platform)?.to.add(url);
  }
  const patternsOf = (name: string) =>
    blocks.find(({ platform }) => platform === name)?.settings?.deletionProtection as readonly string[] | undefined;
  // For these Platforms, the plan shows the earlier settings.
  const migrated = new Set(migratedPlatforms(plan).map(platformName));
  return [
    ...[...facts].flatMap(([platform, fact]) =>
      changesOf(fact, patternsOf(platform)).map((change) => ({ stack, platform, ...change })),
    ),
    ...blocks
      .filter(({ platform }) => !migrated.has(platform))
      .flatMap((block) => weaknesses(block, findings).map((change) => ({ stack, platform: block.platform, ...change }))),
  ];
}

/** @param patterns what the Platform protects; undefined if the plan does not show it */
function changesOf({ from, to, isMoved, unprotected, newlyProtected }: PlatformFacts, patterns: readonly string[] | undefined) {
  const sorted = (set: ReadonlySet<string>) => [...set].sort();
  const isElsewhere = isMoved || (from.size > 0 && [...to].some((url) => !from.has(url)));
  const protection = { setting: "deletionProtection", after: patterns ?? null };
  const changes: (Omit<SettingChange, "stack" | "platform"> | false)[] = [
    isElsewhere && { setting: "url", before: sorted(from), after: sorted(to), risk: "high" },
    unprotected.size > 0 && { ...protection, before: sorted(unprotected), risk: "high", objects: sorted(unprotected) },
    newlyProtected.size > 0 && { ...protection, before: [], risk: "low", objects: sorted(newlyProtected) },
  ];
  return changes.filter((change) => change !== false);
}

/** Weak settings. The plan does not show whether they are new. */
function weaknesses({ platform, settings }: ProviderBlock, all: readonly ObjectFinding[]) {
  if (!settings) return [];
  const findings = all.filter((finding) => finding.engine === "provider" && finding.platform === platform);
  // The name of an object that is gone has no effect.
  const declared = new Set(findings.filter((finding) => finding.declared).flatMap(({ object, name }) => [object, name]));
  const unused = (setting: "allowDeletion" | "retain") =>
    unusedOf(setting, settings[setting], findings).filter((name) => declared.has(name));
  const { insecureSkipVerify, allowPlainHttp } = settings.connection;
  return Object.entries({
    allowDeletion: unused("allowDeletion"),
    retain: unused("retain"),
    insecureSkipVerify: insecureSkipVerify ? ["true"] : [],
    allowPlainHttp: allowPlainHttp ? ["true"] : [],
  })
    .filter(([, after]) => after.length > 0)
    .map(([setting, after]) => ({ setting, before: null, after, risk: "high" as const }));
}

function nothing(): PlatformFacts {
  return { from: new Set(), to: new Set(), isMoved: false, unprotected: new Set(), newlyProtected: new Set() };
}
