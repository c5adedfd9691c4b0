import { isDeepStrictEqual } from "node:util";
import { supportAddress, supportId } from "../../../contract/addresses";
import { type DeletionFacts, type DeletionOutcome, decidePermission } from "../../../decision/deletion";
import type { SynthesizedObject } from "../../../synthesized/objects";
import { liveUnder } from "../../../lifecycle/live";
import { idOf } from "../../../model/object-ref";
import type { StateObject } from "../../drift/state-objects";
import type { InstanceId } from "../../report/instance";
import { type LiveServices, serviceOf } from "../service";
import type { Stack, StackPlatform } from "../stack";
import type { State } from "../state";
import { snapshotOf } from "./compared-platform";
import { comparedState, type ComparedState } from "./compared-state";
import { changedTriggers, hasTokens, isForgotten, platformOf } from "./stored";

/** Whether an object of the state stays on the service if it leaves the code: its Platform retains it, or forgets it. */
export function isKept(stack: Stack, object: StateObject): boolean {
  const platform = platformOf(stack, object);
  return isForgotten(stack, object) || (platform !== undefined && deletionOf(platform, object).happens === "RETAIN");
}

/** What an apply does with an object of the state that it deletes. See {@link decidePermission}. */
export function deletionOf(
  { settings }: Pick<StackPlatform, "settings">,
  { id, protected: isProtected }: Pick<StateObject, "protected"> & { readonly id: Pick<InstanceId, "id" | "byProvider"> },
  rest: Partial<DeletionFacts> = {},
): DeletionOutcome {
  return decidePermission(settings, id.id, rest, id.byProvider && isProtected);
}

/** Whether an apply replaces the object if a token, whose value is not known, has another value. */
export function mayBeReplaced(platform: StackPlatform, object: SynthesizedObject, stored: StateObject): boolean {
  return hasTokens(object) && deletionOf(platform, stored, { transition: "replace" }).happens === "REPLACE";
}

/** With hooks: whether an apply certainly creates, replaces or deletes something of a Platform, gives it other objects, or waits again. */
export function isChanging(
  stack: Stack,
  platform: StackPlatform,
  { hadBy, resources, storedFor }: Pick<ComparedState, "hadBy" | "resources" | "storedFor">,
): boolean {
  const { declared } = platform;
  if (isReadinessRestored(stack, platform, resources)) return true;
  const ids = new Set(declared.map(idOf));
  const recorded = snapshotOf(resources, stack, platform, "orphan_check");
  if (hadBy(platform)?.some((object) => object.tainted || !ids.has(object.id.id))) return true;
  // A `moved` block gives the object to another Platform, or takes it from one.
  if (recorded && !isDeepStrictEqual(ids, new Set(Object.keys(recorded.objects)))) return true;
  return declared.some((object) => {
    const stored = storedFor(object);
    return !stored || changedTriggers(object, stored).length > 0;
  });
}

/** Whether the apply before has failed while it waited, or before. The next one then looks at all objects. */
function isReadinessRestored({ synthesized }: Stack, { prefix }: StackPlatform, resources: ComparedState["resources"]): boolean {
  const { resource } = (synthesized ?? {}) as { readonly resource?: Readonly<Record<string, object>> };
  const stored = new Set(resources.filter(({ tainted, deposed }) => !tainted && !deposed).map(({ address }) => address));
  return (["readiness", "ready"] as const)
    .map((which) => supportId(prefix, which))
    .some((id) => id in (resource?.terraform_data ?? {}) && !stored.has(supportAddress(id)));
}

/**
 * Whether an apply may create an object, as far as the state and the service show it. It replaces an object also on request
 * (`-replace`), which only the plan shows.
 */
export function mayBeCreated(stack: Stack, state: State, services: LiveServices): (object: SynthesizedObject) => boolean {
  if ("problem" in state) return () => true;
  const { storedFor } = comparedState(stack, state);
  return (object) => {
    const stored = storedFor(object);
    const platform = stack.platforms.find(({ prefix }) => prefix === object.prefix);
    // An import creates nothing.
    if (!stored || !platform) return object.address === undefined || !stack.imported.has(object.address);
    const service = serviceOf(platform, services);
    if (stored.tainted || (service && !liveUnder(object, service))) return true;
    return (!stored.isImported && changedTriggers(object, stored).length > 0) || mayBeReplaced(platform, object, stored);
  };
}
