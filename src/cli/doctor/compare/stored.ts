import { segmentsOf } from "../../../declarations/trigger-keys";
import type { SynthesizedObject } from "../../../synthesized/objects";
import { idOf } from "../../../model/object-ref";
import { isTemplate } from "../../../terraform/template-text";
import type { Live } from "../../../lifecycle/live";
import { differencesFromState } from "../../drift/find-drift";
import type { StateObject } from "../../drift/state-objects";
import { amongPlatforms } from "../../report/instance";
import type { Stack } from "../stack";
import type { State } from "../state";

/** The objects of the state, each with its Platform. */
export function objectsIn({ platforms }: Stack, objects: readonly StateObject[]): StateObject[] {
  const prefixes = new Set(platforms.map(({ prefix }) => prefix));
  return objects.map((object) => ({ ...object, id: amongPlatforms(object.id, prefixes) }));
}

/**
 * Finds the object of the state that a declared object continues: on the same Platform, at the target of a `moved` block, or in a
 * Terraform module, whose code is not checked.
 */
export function storedObjects(stack: Stack, all: readonly StateObject[]): (object: SynthesizedObject) => StateObject | undefined {
  const byId = new Map<string, StateObject[]>();
  for (const object of all) byId.set(object.id.id, [...(byId.get(object.id.id) ?? []), object]);
  return (object) => {
    const found = byId
      .get(idOf(object))
      ?.filter((each) => each.id.platform.module !== "" || each.id.platform.prefix === object.prefix || isMoved(stack, each));
    // A create that failed leaves a tainted instance, also in the block of another engine. A run with -target may leave two.
    return found?.find((each) => isOwned(each) && !isReleased(stack, each)) ?? found?.find(isOwned) ?? found?.[0];
  };
}

/** With hooks, a tainted object may never have been created, or may belong to somebody else. */
export function isOwned({ id, tainted }: StateObject): boolean {
  return id.byProvider || !tainted;
}

/** The stack with only those moves that Terraform carries out: it moves no instance to an address that the state has already. */
export function withoutBlockedMoves(stack: Stack, state: State): Stack {
  const taken = new Set("resources" in state ? state.resources.map(({ address }) => address) : []);
  const isBlocked = (from: string) => taken.has(from) && taken.has(destination(stack.moved, from));
  return { ...stack, moved: new Map([...stack.moved].filter(([from]) => !isBlocked(from))) };
}

/** The last address of a chain of moves. */
export function destination(moved: Stack["moved"], from: string): string {
  const passed = new Set<string>();
  let address = from;
  // Terraform refuses a circle of moves, but the doctor may run before Terraform.
  while (moved.has(address) && !passed.has(address)) {
    passed.add(address);
    address = moved.get(address)!;
  }
  return address;
}

export function isMoved({ moved }: Stack, { address, id }: StateObject): boolean {
  return moved.has(address) || moved.has(id.block);
}

/**
 * Whether the object moves to another address, or a `removed` block forgets it. The Terraform provider deletes neither. With hooks,
 * the deletion guard refuses both.
 */
export function isReleased(stack: Stack, object: StateObject): boolean {
  return object.id.byProvider && (isMoved(stack, object) || stack.forgotten.has(object.address));
}

/** Whether the code moves the object from an engine with hooks to the Terraform provider. */
export function isMigrating(stack: Stack, stored: StateObject, { address }: SynthesizedObject): boolean {
  return stored.engine !== "provider" && address !== undefined && isMoved(stack, stored);
}

/** Literal triggers that have changed. The values of tokens are not known. */
export function changedTriggers(
  { entry: { triggers } }: SynthesizedObject,
  { declared }: Pick<StateObject, "declared">,
): string[] {
  const text = (value: unknown) => (value === undefined || value === null ? undefined : String(value).normalize());
  const keys = new Set([...Object.keys(triggers), ...Object.keys(declared)]);
  return [...keys].filter((key) => !isToken(triggers[key]) && text(triggers[key]) !== declared[key]);
}

/**
 * Whether Terraform certainly plans to replace a live object. With the Terraform provider, changes of ignored fields, of live
 * values and of `bodyOverrides`, which may be write-only, are not certain. An imported object is compared and not replaced.
 */
export function isReplaced(stack: Stack, object: SynthesizedObject, stored: StateObject, live: Live): boolean {
  const changed = changedTriggers(object, stored);
  if (object.address === undefined) return changed.length > 0;
  if (stored.engine === "provider" && (stored.isImported || stack.ignoring.has(object.address) || isDrifted(stored, live)))
    return false;
  return changed.some((field) => segmentsOf(field)[0] !== "bodyOverrides");
}

function isDrifted(stored: StateObject, live: Live): boolean {
  return differencesFromState(stored, live).length > 0;
}

export function hasTokens({ entry: { triggers } }: SynthesizedObject): boolean {
  return Object.values(triggers).some(isToken);
}

export function isToken(value: unknown): boolean {
  return Array.isArray(value) ? value.some(isToken) : typeof value === "string" && isTemplate(value);
}
