import { matchingNone } from "../../../model/protection";
import { platformName, storedObject, supportInstance } from "../../report/instance";
import { textsIn } from "../../report/json-values";
import { adoptsByProvider } from "../../report/recorded";
import { type Plan, type PlannedStack } from "../plan/plan";
import { platformSettings } from "../plan/platform-settings";
import { ownProviderBlocks } from "../plan/provider-blocks";
import type { ObjectFinding } from "./finding";
import type { NoteOfStack } from "./note";
import { unusedOf } from "./settings-changes";

type Left = Pick<Extract<NoteOfStack, { because: "leftover" }>, "platform" | "setting" | "names">;

/** Settings for one apply that an earlier apply had already, and that this plan does not need. */
export function leftovers({ plan }: PlannedStack, findings: readonly ObjectFinding[]): NoteOfStack[] {
  if (!plan.complete) return [];
  const named = [...ofHooks(plan, findings), ...ofProvider(plan, findings)].filter(({ names }) => names.length > 0);
  return named.map((left) => ({ because: "leftover", risk: "none", ...left }));
}

function ofHooks(plan: Plan, findings: readonly ObjectFinding[]): Left[] {
  return platformSettings(plan).flatMap(({ platform: id, before, after }) => {
    const platform = platformName(id);
    return (["allowDeletion", "retain", "adopt"] as const).map((setting) => {
      const earlier = textsIn(before?.[setting]);
      const staying = textsIn(after?.[setting]).filter((name) => earlier.includes(name));
      return { platform, setting, names: unusedOf(setting, staying, platform, findings) };
    });
  });
}

/** A plan does not show what a provider block said before. So only names of objects that are gone are left. */
function ofProvider(plan: Plan, findings: readonly ObjectFinding[]): Left[] {
  const adopted = plan.changes.flatMap((change) => {
    const { before, after } = change.change;
    const object = adoptsByProvider(before) && adoptsByProvider(after) ? storedObject(change, after) : undefined;
    return object?.byProvider ? [object] : [];
  });
  const lettingGo = lettingGoIn(plan);
  return ownProviderBlocks(plan).flatMap(({ platform, settings }) => {
    const own = findings.filter((finding) => finding.platform === platform);
    const objects = own.map(({ object }) => object);
    const adoptedHere = adopted.filter((each) => platformName(each.platform) === platform).map(({ id }) => id);
    const retained = lettingGo.has(platform) ? [] : matchingNone(settings?.retain ?? [], objects);
    return [
      { platform, setting: "allowDeletion" as const, names: matchingNone(settings?.allowDeletion ?? [], objects) },
      { platform, setting: "retain" as const, names: retained },
      { platform, setting: "adopt" as const, names: unusedOf("adopt", adoptedHere, platform, findings) },
    ];
  });
}

/** The Platforms that may let go of what interrupted applies have created and `retain` names. */
function lettingGoIn(plan: Plan): ReadonlySet<string> {
  const platforms = plan.changes.flatMap((change) => {
    const { platform, resource, cluster } = supportInstance(change) ?? {};
    const runs = change.change.actions.some((action) => action === "create" || action === "update");
    return platform !== undefined && resource === "ready" && !cluster && runs ? [platformName(platform)] : [];
  });
  return new Set(platforms);
}
