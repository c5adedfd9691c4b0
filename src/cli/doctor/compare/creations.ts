import type { SynthesizedObject } from "../../../synthesized/objects";
import { liveUnder } from "../../../lifecycle/live";
import { idOf } from "../../../model/object-ref";
import { isProtected } from "../../../model/protection";
import type { LiveService } from "../service";
import type { Stack } from "../stack";
import type { State } from "../state";
import { changedFields, hasTokens, isOwned, objectsIn, storedObjects, withoutBlockedMoves } from "./stored";

/**
 * Whether an apply may create an object, as far as the state and the service show it. It replaces an object also on request
 * (`-replace`), which only the plan shows.
 * @param services services that can be read, by the JSON of a Platform's connection
 */
export function mayBeCreated(
  stack: Stack,
  state: State,
  services: ReadonlyMap<string, LiveService>,
): (object: SynthesizedObject) => boolean {
  if ("problem" in state) return () => true;
  const storedFor = storedObjects(withoutBlockedMoves(stack, state), objectsIn(stack, state.objects));
  const platforms = new Map(stack.platforms.map((platform) => [platform.prefix, platform]));
  return (object) => {
    const stored = storedFor(object);
    // An import creates nothing.
    if (!stored) return object.address === undefined || !stack.imported.has(object.address);
    const { settings } = platforms.get(object.prefix) ?? {};
    const service = settings && services.get(JSON.stringify(settings.connection));
    if (!isOwned(stored) || stored.tainted || (service && !liveUnder(object, service))) return true;
    if (!stored.isImported && changedFields(object, stored).length > 0) return true;
    return hasTokens(object) && !(settings && isProtected(settings, idOf(object)));
  };
}
