import type { JsonObject } from "../../../model/provider-type";
import { triggersOf } from "../../report/instance";
import { looksSecret } from "../../../model/secret-field";
import type { ResourceChange } from "../plan/plan";

/**
 * Which fields of an object must keep their values to themselves: those that Terraform marks sensitive on either side,
 * and those that look like secrets.
 */
export function hiddenFields(
  from: ResourceChange,
  to: ResourceChange,
): (field: string, ...values: readonly (string | undefined)[]) => boolean {
  const sides = [triggersOf(from.type, from.change.before_sensitive), triggersOf(to.type, to.change.after_sensitive)];
  return (field, ...values) => sides.some((marks) => isMarked(marks, field)) || looksSecret(field, ...values);
}

/** Fields that Terraform marks sensitive on one side only; `*` where that is all of them. */
export function fieldsMarkedOtherwise({ type, change }: ResourceChange): string[] {
  const before = new Set(markedIn(triggersOf(type, change.before_sensitive)));
  const after = new Set(markedIn(triggersOf(type, change.after_sensitive)));
  return [...before, ...after].filter((field) => before.has(field) !== after.has(field)).sort();
}

function markedIn(marks: unknown): string[] {
  if (marks === true) return ["*"];
  return Object.keys((marks ?? {}) as JsonObject).filter((field) => isMarked(marks, field));
}

/** `true` marks everything below it. */
function isMarked(marks: unknown, field: string): boolean {
  if (marks === true) return true;
  return typeof marks === "object" && marks !== null && Object.hasOwn(marks, field) && (marks as JsonObject)[field] !== false;
}
