import { segmentsOf } from "../../../declarations/trigger-keys";
import type { SynthesizedObject } from "../../../synthesized/objects";
import { isTemplate } from "../../../terraform/template-text";
import type { Live } from "../../../lifecycle/live";
import { differencesFromState } from "../../drift/find-drift";
import type { StateObject } from "../../drift/state-objects";
import type { Stack, StackPlatform } from "../stack";
import type { PlacedObject } from "./placed";

/** The Platform of an object. Undefined if it has left the code, or if the object is in a Terraform module. */
export function platformOf({ platforms }: Stack, { id: { platform } }: StateObject): StackPlatform | undefined {
  return platforms.find(({ prefix }) => platform.module === "" && platform.prefix === prefix);
}

/** With hooks, a tainted object may never have been created, or may belong to somebody else. */
export function isOwned({ id, tainted }: StateObject): boolean {
  return id.byProvider || !tainted;
}

/** Whether a `removed` block forgets the object. The Terraform provider does not delete it. With hooks, the deletion guard refuses that. */
export function isReleased({ forgotten }: Stack, { id, at }: PlacedObject): boolean {
  return id.byProvider && forgotten.has(at);
}

/** With hooks: whether the code has no destroy hook for the object, so that Terraform drops it from the state. */
export function isForgotten(stack: Stack, { id }: StateObject): boolean {
  return !id.byProvider && stack.destroyHook(id.block) === undefined;
}

/** Whether the code moves the object from an engine with hooks to the Terraform provider. */
export function isMigrating(stored: PlacedObject, { address }: SynthesizedObject): boolean {
  return stored.engine !== "provider" && address !== undefined && stored.at !== stored.address;
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
