import { idOf } from "../../../model/object-ref";
import type { SynthesizedObject } from "../../../synthesized/objects";
import type { StateObject } from "../../drift/state-objects";
import { groupedBy } from "../../report/grouped-by";
import { amongPlatforms } from "../../report/instance";
import type { Stack } from "../stack";
import type { State } from "../state";
import { idleInstances, type IdleInstance } from "./idle-instances";
import { destination, isMoved, isOwned, isReleased } from "./stored";

/** A stack and its state, as an apply begins with them. */
export interface ComparedState {
  /** Only with those moves that Terraform carries out. */
  readonly stack: Stack;
  readonly idle: readonly IdleInstance[];
  /** The objects of the state, each with its Platform. Undefined if the state is not known. */
  readonly all: readonly StateObject[] | undefined;
  /**
   * The object of the state that a declared object continues: on the same Platform, at the target of a `moved` block, or in a
   * Terraform module, whose code is not checked.
   */
  storedFor(this: void, object: SynthesizedObject): StateObject | undefined;
}

export function comparedState(synthesized: Stack, state: State): ComparedState {
  if ("problem" in state) return { stack: synthesized, idle: [], all: undefined, storedFor: () => undefined };
  const idle = idleInstances(synthesized, state.resources);
  const ignored = new Set(idle.map(({ address }) => address));
  const stack = withoutBlockedMoves(synthesized, new Set(state.resources.map(({ address }) => address)));
  const prefixes = new Set(stack.platforms.map(({ prefix }) => prefix));
  const all = state.objects
    .filter(({ address }) => !ignored.has(address))
    .map((object) => ({ ...object, id: amongPlatforms(object.id, prefixes) }));
  const byId = groupedBy(all, ({ id }) => id.id);
  const storedFor = (object: SynthesizedObject) => {
    const found = byId
      .get(idOf(object))
      ?.filter((each) => each.id.platform.module !== "" || each.id.platform.prefix === object.prefix || isMoved(stack, each));
    // A create that failed leaves a tainted instance, also in the block of another engine. A run with -target may leave two.
    return found?.find((each) => isOwned(each) && !isReleased(stack, each)) ?? found?.find(isOwned) ?? found?.[0];
  };
  return { stack, idle, all, storedFor };
}

/** Terraform moves no instance to an address that the state has already. */
function withoutBlockedMoves(stack: Stack, taken: ReadonlySet<string>): Stack {
  const isBlocked = (from: string) => taken.has(from) && taken.has(destination(stack.moved, from));
  return { ...stack, moved: new Map([...stack.moved].filter(([from]) => !isBlocked(from))) };
}
