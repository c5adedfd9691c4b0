import { supportAddress } from "../../../contract/addresses";
import { asSnapshot, changeBetween, type Snapshot } from "../../../contract/snapshot";
import { decideDeletion, isRefusal, permissionOf, type RefusedBecause } from "../../../decision/deletion";
import type { JsonObject } from "../../../model/provider-type";
import { allowDeletionLine, plannedRemovals } from "../../../model/protection";
import { platformKey, platformName, supportInstance } from "../../report/instance";
import type { ResourceChange } from "../plan/plan";
import type { PlanLookup } from "./plan-context";
import type { DestroyHook } from "./verdict";

export interface GuardRefusal {
  /** Empty for a Platform without a name. */
  readonly platform: string;
  /** The rows of the objects say what another Platform declares. */
  readonly because: "PROTECTED" | "RETAIN_UNKNOWN" | "DECLARED_ELSEWHERE";
  /** The objects, or the names in `retain` that match nothing. */
  readonly names: readonly string[];
  /** The Platform's setting that allows the deletion, as in `allowDeletion: ["prod"]`. */
  readonly allowedBy?: string;
}

/**
 * The refusals of the deletion guards, by the rules of the guard's hook.
 * @param migrated the objects of a Platform, by its key, that the Terraform provider carries after the apply. The guard of a
 * Platform that moves to the provider is deleted, and its hook is told that these objects stay
 */
export function guardRefusals(
  changes: readonly ResourceChange[],
  planContext: PlanLookup,
  migrated: (platform: string) => readonly string[],
): GuardRefusal[] {
  return changes.flatMap((change): GuardRefusal[] => {
    const { platform, resource } = supportInstance(change) ?? {};
    if (platform === undefined || resource !== "deletion_guard") return [];
    const block = { platform, block: supportAddress(change.name) };
    const settings = planContext.settingsOf(block);
    if (!settings || !runsHook(change, planContext.destroyHookOf(block, change))) return [];

    const declared = { objects: Object.fromEntries(migrated(platformKey(platform)).map((id) => [id, ""])) };
    const coming = change.change.after ? snapshotIn(change.change.after) : declared;
    const { before, after, replaced } = changeBetween(snapshotIn(change.change.before), coming);
    const { going, unknown } = plannedRemovals(settings, before, after, replaced);
    // In a destroy of everything, the hook looks for names in the code, whose objects a plan does not show.
    const isDestroy = change.change.actions.join() === "delete" && change.action_reason === undefined;
    const reasons = new Map(
      going.map((id) => {
        const outcome = decideDeletion({
          transition: replaced.includes(id) ? "replace" : "remove",
          ...permissionOf(settings, id),
          isAdopted: true,
          isDeclaredElsewhere: planContext.declaredElsewhere({ ...block, id }, undefined)?.isCertain ?? false,
          hasUnknownRetained: unknown.length > 0 && !isDestroy,
          isSaidGone: false,
          live: "own",
          isUsed: false,
        });
        return [id, isRefusal(outcome) ? outcome.because : undefined] as const;
      }),
    );
    const refusedAs = (because: RefusedBecause) => going.filter((id) => reasons.get(id) === because);
    const said = { platform: platformName(platform) };
    const refused = refusedAs("protected");
    if (refused.length > 0) {
      const known = [...new Set([...before, ...after])];
      const allowedBy = isDestroy ? "deletionProtection: false" : allowDeletionLine(settings, refused, known);
      return [{ ...said, because: "PROTECTED", names: refused, allowedBy }];
    }
    if (refusedAs("retain matches nothing").length > 0) return [{ ...said, because: "RETAIN_UNKNOWN", names: unknown }];
    const elsewhere = refusedAs("declared elsewhere");
    return elsewhere.length > 0 ? [{ ...said, because: "DECLARED_ELSEWHERE", names: elsewhere }] : [];
  });
}

function runsHook({ change, action_reason: reason }: ResourceChange, hook: DestroyHook): boolean {
  if (!change.actions.includes("delete") || reason === "replace_because_tainted") return false;
  return hook === "runs" || hook === "runs, although its block left";
}

function snapshotIn(values: unknown): Snapshot {
  return asSnapshot((values as JsonObject | undefined | null)?.triggers_replace) ?? { objects: {} };
}
