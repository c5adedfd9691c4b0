import { isPluginResourceType } from "../../../contract/addresses";
import { baseUrlIn } from "../../../model/base-url";
import { groupedBy } from "../../report/grouped-by";
import { platformName, storedObject } from "../../report/instance";
import { protectedByState, serviceInState } from "../../report/recorded";
import { originOf, type Plan, type PlannedStack } from "../plan/plan";
import { migratedPlatforms } from "../plan/platform-settings";
import { ownProviderBlocks, type ProviderBlock } from "../plan/provider-blocks";
import type { ObjectFinding } from "./finding";
import { unusedOf, type SettingChange } from "./settings-changes";

/** A plan shows a provider block only as it will be applied. The state of the objects shows their earlier protection and URL. */
export function providerSettingsChanges(
  { name: stack, plan }: PlannedStack,
  findings: readonly ObjectFinding[],
): SettingChange[] {
  const blocks = ownProviderBlocks(plan);
  // For these Platforms, the plan shows the earlier settings.
  const migrated = new Set(migratedPlatforms(plan).map(platformName));
  return [
    ...[...groupedBy(statesIn(plan), ({ platform }) => platform)].flatMap(([platform, states]) =>
      changesOf(
        states,
        blocks.find((block) => block.platform === platform),
      ).map((change) => ({ stack, platform, ...change })),
    ),
    ...blocks
      .filter(({ platform }) => !migrated.has(platform))
      .flatMap((block) => weaknesses(block, findings).map((change) => ({ stack, platform: block.platform, ...change }))),
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
    // The state of an object that moves here from hooks does not have these values yet.
    const origin = originOf(change);
    if (!object?.byProvider || (origin && !isPluginResourceType(origin.type))) return [];
    const [was, is] = [before, after].map((values) => ({ service: serviceInState(values), held: protectedByState(values) }));
    const stays = Boolean(before && after) && actions.join() !== "forget";
    return [{ id: object.id, platform: platformName(object.platform), was: was!, is: is!, stays }];
  });
}

/** @param block the provider block of the Platform, as it will be applied */
function changesOf(states: ReturnType<typeof statesIn>, block: ProviderBlock | undefined) {
  const settings = block?.settings;
  const sorted = (all: readonly (string | undefined)[]) => [...new Set(all)].filter((each) => each !== undefined).sort();
  const from = sorted(states.map(({ was }) => was.service));
  const to = sorted([...states.map(({ is }) => is.service), baseUrlIn(settings?.connection.url)]);
  const isMoved = states.some(({ was, is }) => was.service && is.service && was.service !== is.service);
  const changed = states.filter(({ was, is, stays }) => stays && was.held !== is.held);
  const [unprotected, newlyProtected] = [true, false].map((held) =>
    sorted(changed.filter(({ was }) => was.held === held).map(({ id }) => id)),
  ) as [string[], string[]];
  const protection = {
    setting: "deletionProtection",
    after: (settings?.deletionProtection as readonly string[] | undefined) ?? null,
  };
  const changes: (Omit<SettingChange, "stack" | "platform"> | false)[] = [
    (isMoved || (from.length > 0 && to.some((url) => !from.includes(url)))) && {
      setting: "url",
      before: from,
      after: to,
      risk: "high",
    },
    unprotected.length > 0 && { ...protection, before: unprotected, risk: "high", objects: unprotected },
    newlyProtected.length > 0 && { ...protection, before: [], risk: "low", objects: newlyProtected },
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
