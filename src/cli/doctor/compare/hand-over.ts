import { blockAddress, pluginResourceId, pluginResourceType } from "../../../contract/addresses";
import type { SynthesizedObject } from "../../../synthesized/objects";
import { segmentsOf } from "../../../declarations/trigger-keys";
import { type HandOver, refusedHandOver, takenOver } from "../../../lifecycle/hand-over";
import { isLeaving, liveUnder } from "../../../lifecycle/live";
import { idOf } from "../../../model/object-ref";
import { differencesFromState } from "../../drift/find-drift";
import { namedIn, type StateObject, supporting } from "../../drift/state-objects";
import { platformKey } from "../../report/instance";
import type { Stack, StackPlatform } from "../stack";
import { type CheckResult, wrong } from "../check-result";
import type { ComparedPlatform } from "./compared-platform";
import type { ComparedState } from "./compared-state";
import { changedTriggers } from "./stored";
import { failingRun } from "./words";

/** Objects of the Terraform provider that hooks would take over, and cannot. */
export function* handOver(compared: ComparedPlatform): Generator<CheckResult> {
  const { platform, had } = compared;
  const declared = new Map(platform.declared.map((object) => [idOf(object), object]));
  if (!handsOver(compared)) return;
  for (const object of had) {
    const refusal = object.id.byProvider && refusedHandOver(factsOf(object, declared.get(object.id.id), compared));
    if (refusal) yield wrong("state", failingRun(platform, refusal, "a plan"));
  }
}

/**
 * The declared objects that their create hooks adopt, because the state names them as the provider's.
 * @param releasedBy ids of the objects that earlier applies of a Platform have left on the service
 */
export function handedOver(
  stack: Stack,
  { all, resources }: Pick<ComparedState, "all" | "resources">,
  releasedBy: (platform: StackPlatform) => readonly string[],
): SynthesizedObject[] {
  if (!all) return [];
  const stored = all.filter(({ id }) => id.byProvider).map(({ id }) => id.id);
  const waiting = supporting(resources, "ready");
  return stack.platforms.flatMap((platform) => {
    const named = waiting
      .filter(([key]) => key === platformKey({ module: "", prefix: platform.prefix }))
      .flatMap(([, resource]) => namedIn(resource));
    const taken = takenOver(named, named.length === 0 ? [] : releasedBy(platform), stored);
    return platform.declared.filter((object) => handedOverFrom(stack, object) !== undefined && taken.includes(idOf(object)));
  });
}

export function handsOver({ stack, platform }: ComparedPlatform): boolean {
  return platform.declared.some((object) => handedOverFrom(stack, object) !== undefined);
}

function factsOf(object: StateObject, successor: SynthesizedObject | undefined, { service }: ComparedPlatform): HandOver {
  const { id } = object;
  const live = liveUnder(id, service);
  return {
    object: id,
    isDeclared: successor !== undefined,
    // An object that has moved from hooks has no service before its first update.
    isNamed: object.service !== undefined && object.isWaitedFor !== undefined,
    // `bodyOverrides` may be write-only.
    changes: successor ? changedTriggers(successor, object).filter((field) => segmentsOf(field)[0] !== "bodyOverrides") : [],
    live: !live ? "missing" : isLeaving(live) ? "leaving" : differencesFromState(object, live),
  };
}

/** The address with the provider at which the state must have an object that hooks take over. */
export function handedOverFrom({ forgotten }: Stack, { prefix, type, kind, name }: SynthesizedObject): string | undefined {
  const address = blockAddress(pluginResourceType(type, kind), pluginResourceId(prefix, name));
  return forgotten.has(address) ? address : undefined;
}
