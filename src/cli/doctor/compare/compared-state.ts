import { idOf } from "../../../model/object-ref";
import type { SynthesizedObject } from "../../../synthesized/objects";
import { groupedBy } from "../../report/grouped-by";
import { amongPlatforms } from "../../report/instance";
import type { StateResource } from "../../report/state-values";
import type { Stack, StackPlatform } from "../stack";
import type { State } from "../state";
import { idleInstances, type IdleInstance } from "./idle-instances";
import { placedObject, type PlacedObject, placedResource, placesAfter } from "./placed";
import { isForgotten, isOwned, isReleased, platformOf } from "./stored";

/** The state as an apply begins with it, after the moves in the code. */
export interface ComparedState {
  readonly idle: readonly IdleInstance[];
  /** The objects of the state, each with its Platform. Undefined if the state is not known. */
  readonly all: readonly PlacedObject[] | undefined;
  readonly resources: readonly StateResource[];
  /** The objects of a Platform, without those that an apply forgets. Undefined if the state is not known. */
  hadBy(this: void, platform: StackPlatform): readonly PlacedObject[] | undefined;
  /** The object of the state that a declared object continues: on its Platform, or in a Terraform module, whose code is not checked. */
  storedFor(this: void, object: SynthesizedObject): PlacedObject | undefined;
}

export function comparedState(stack: Stack, state: State): ComparedState {
  if ("problem" in state) return { idle: [], all: undefined, resources: [], hadBy: () => undefined, storedFor: () => undefined };
  const placeOf = placesAfter(stack, state.resources);
  const idle = idleInstances(stack, state.resources, placeOf);
  const ignored = new Set(idle.map(({ address }) => address));
  const prefixes = new Set(stack.platforms.map(({ prefix }) => prefix));
  const all = state.objects
    .filter(({ address }) => !ignored.has(address))
    .map((object) => placedObject(object, placeOf(object.address).at))
    .map((object) => ({ ...object, id: amongPlatforms(object.id, prefixes) }));
  const handled = all.filter((object) => object.id.platform.module !== "" || !isForgotten(stack, object));
  const byId = groupedBy(handled, ({ id }) => id.id);
  return {
    idle,
    all,
    resources: state.resources.map((resource) => placedResource(resource, placeOf(resource.address).at)),
    hadBy: (platform) => handled.filter((object) => platformOf(stack, object) === platform),
    storedFor: (object) => {
      const stored = (byId.get(idOf(object)) ?? []).filter(
        ({ id: { platform } }) => platform.module !== "" || platform.prefix === object.prefix,
      );
      // Terraform does not look at the address of another object for it.
      const atHome = stored.filter(({ ownAddress }) => ownAddress === undefined);
      const found = atHome.length > 0 ? atHome : stored;
      // A create that failed leaves a tainted instance, also in the block of another engine. A run with -target may leave two.
      return found.find((each) => isOwned(each) && !isReleased(stack, each)) ?? found.find(isOwned) ?? found[0];
    },
  };
}
