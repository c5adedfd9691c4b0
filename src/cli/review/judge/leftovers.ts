import { isPluginResourceType, PLUGIN_SOURCE } from "../../../contract/addresses";
import type { JsonObject } from "../../../model/provider-type";
import { blockOf, platformKey, platformName, storedObject } from "../../report/instance";
import { textsIn } from "../../report/json-values";
import { originOf, type Plan, type PlannedStack } from "../plan/plan";
import { platformSettings } from "../plan/platform-settings";
import { ownProviderBlocks } from "../plan/provider-blocks";
import type { ObjectFinding } from "./finding";
import type { Note } from "./note";
import { unusedOf } from "./settings-changes";

type Setting = Extract<Note, { code: "LEFTOVER" }>["setting"];

/** Settings for one apply that an earlier apply had already, and that this plan does not need. */
export function leftovers({ name: stack, plan }: PlannedStack, findings: readonly ObjectFinding[]): Note[] {
  if (!plan.complete) return [];
  const left = (platform: string, setting: Setting, names: readonly string[] = []): Note => ({
    code: "LEFTOVER",
    risk: "none",
    stack,
    platform,
    setting,
    names,
  });
  const ofHooks = platformSettings(plan).flatMap(({ platform: id, before, after }) => {
    const platform = platformName(id);
    const own = findings.filter((finding) => finding.platform === platform);
    return (["allowDeletion", "retain", "adopt"] as const).flatMap((setting) => {
      const earlier = textsIn(before?.[setting]);
      const names = unusedOf(
        setting,
        textsIn(after?.[setting]).filter((name) => earlier.includes(name)),
        own,
      );
      return names.length > 0 ? [left(platform, setting, names)] : [];
    });
  });
  return [...ofHooks, ...ofProvider(plan, findings, left), ...migrations(plan).map((platform) => left(platform, "migrateFrom"))];
}

/** A plan does not show what a provider block said before. So only names of objects that are gone are left. */
function ofProvider(
  plan: Plan,
  findings: readonly ObjectFinding[],
  left: (platform: string, setting: Setting, names: readonly string[]) => Note,
): Note[] {
  const adopting = plan.changes.filter(({ change: { before, after } }) => adopts(before) && adopts(after));
  return ownProviderBlocks(plan).flatMap(({ platform, settings }) => {
    const own = findings.filter((finding) => finding.platform === platform);
    const known = new Set(own.flatMap(({ object, name }) => [object, name]));
    const gone = (["allowDeletion", "retain"] as const).map(
      (setting) => [setting, (settings?.[setting] ?? []).filter((name) => !known.has(name))] as const,
    );
    const adopted = adopting.flatMap((change) => {
      const object = storedObject(change, change.change.after);
      return object?.byProvider && platformName(object.platform) === platform ? [object.id] : [];
    });
    return [...gone, ["adopt", unusedOf("adopt", adopted, own)] as const]
      .filter(([, names]) => names.length > 0)
      .map(([setting, names]) => left(platform, setting, names));
  });
}

/** The Platforms that keep the blocks of another engine, although the plan moves nothing from there. */
function migrations(plan: Plan): string[] {
  const leaving = new Set(
    plan.changes.flatMap((change) => {
      const from = originOf(change) ?? change;
      const block = blockOf(from);
      return block ? [`${platformKey(block.platform)} ${from.type}`] : [];
    }),
  );
  const emptied = [...plan.configuration.blocks].flatMap(({ module, type, name, provisioners }) => {
    const block = blockOf({ address: "", type, name, ...(module && { module_address: module }) });
    const commands = provisioners.map(({ settings }) => settings.command);
    return block && commands.join() === "delete" && !leaving.has(`${platformKey(block.platform)} ${type}`)
      ? [platformName(block.platform)]
      : [];
  });
  const isLeaving = plan.changes.some(({ type, change }) => isPluginResourceType(type) && change.before);
  const handedOver = isLeaving
    ? []
    : [...plan.configuration.providers.values()].flatMap(({ source, values }) =>
        source === PLUGIN_SOURCE && "hand_over" in values ? [String(values.platform ?? "")] : [],
      );
  return [...new Set([...emptied, ...handedOver])];
}

function adopts(values: unknown): boolean {
  return (values as JsonObject | undefined | null)?.adopt === true;
}
