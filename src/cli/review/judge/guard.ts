import { supportAddress } from "../../../contract/addresses";
import type { JsonObject } from "../../../model/provider-type";
import { plannedRemovals } from "../../../model/protection";
import { platformName, supportInstance } from "../../report/instance";
import type { ResourceChange } from "../plan/plan";
import type { PlanLookup } from "./plan-context";

/** That the deletion guard of a Platform will refuse an apply, before anything of the Platform is deleted. */
export interface GuardRefusal {
  /** As in a finding. */
  readonly platform: string;
  readonly because: "PROTECTED" | "RETAIN_UNKNOWN";
  /** What is protected, or what `retain` names and nothing has. */
  readonly names: readonly string[];
}

/** What the deletion guards in a plan will say: what their hook says, of what the plan shows of it. */
export function guardRefusals(changes: readonly ResourceChange[], planContext: PlanLookup): GuardRefusal[] {
  return changes.flatMap((change): GuardRefusal[] => {
    const { platform, resource } = supportInstance(change) ?? {};
    if (platform === undefined || (resource !== "deletion_guard" && resource !== "protection")) return [];
    const block = { platform, block: supportAddress(change.name) };
    const settings = planContext.settingsOf(block);
    const objects = settings && objectsOf(change, resource === "protection", planContext.destroyHookOf(block, change));
    if (!objects) return [];

    const { going, refused, unknown } = plannedRemovals(settings, objects.before, objects.after);
    const said = { platform: platformName(platform) };
    if (refused.length > 0) return [{ ...said, because: "PROTECTED", names: refused }];
    return going.length > 0 && unknown.length > 0 ? [{ ...said, because: "RETAIN_UNKNOWN", names: unknown }] : [];
  });
}

/**
 * What a deletion guard will be told, as `type/kind/name`: one hears of what leaves the code, the other of a destroy of
 * everything. Undefined where its hook will not run, or where the plan does not show what the hook hears.
 */
function objectsOf({ change, action_reason: reason }: ResourceChange, isOfDestroy: boolean, hook: string) {
  if (!change.actions.includes("delete") || reason === "replace_because_tainted") return undefined;
  if (isOfDestroy) return hook === "runs" ? { before: listed(change.before, "input"), after: [] } : undefined;
  const isReplaced = change.actions.includes("create") && hook === "runs";
  if (!isReplaced && hook !== "runs, although its block left") return undefined;
  return { before: listed(change.before, "triggers_replace"), after: listed(change.after, "triggers_replace") };
}

function listed(values: unknown, attribute: string): string[] {
  const list = (values as JsonObject | undefined | null)?.[attribute];
  return Array.isArray(list) ? list.filter((id): id is string => typeof id === "string") : [];
}
