import { compareKnown, type Comparison } from "../../lifecycle/compare";
import type { Live } from "../../lifecycle/live";
import { propOf } from "../../declarations/trigger-keys";
import { knownOf, type Fields } from "../../declarations/terraform/declaration-schema";
import { bounded } from "../../util/printable";
import { renderAttributePath } from "../../terraform/attributes";
import { Unknown, type ObjectValue } from "../../terraform/value";
import { isOfConstruct, type ObjectKind } from "./object-kind";

export function compareWithLive({ type, kind }: ObjectKind, fields: Fields, live: Live): Comparison {
  const open = Object.keys(fields).filter((key) => fields[key] instanceof Unknown);
  return compareKnown(kind, type, knownOf(fields), live, new Set(open.map(propOf)));
}

/**
 * A field as its owner writes it: the prop of a construct, or the attribute of a block that is written by hand.
 * @param value the configuration or the state of the object
 */
export function fieldName(kind: ObjectKind, field: string, value: ObjectValue): string {
  return isOfConstruct(value) ? field : attributeName(kind, field);
}

/** The type of the provider is no attribute, and has the name `type`. */
export function attributeName(kind: ObjectKind, field: string): string {
  return renderAttributePath(kind.pathOf(field)) || field;
}

/**
 * Whether the live object is another one than the state has. No apply deletes such an object.
 * @param fields in which they differ
 */
export function isAnotherObject(fields: readonly string[]): boolean {
  return fields.includes("type") || fields.includes("provider");
}

/** How the live object differs from the declaration in the state: for messages, as the attribute `drift`, and the live value by field. */
export function driftAttributes(kind: ObjectKind, state: ObjectValue, live: Live) {
  const { differences } = compareWithLive(kind, kind.fieldsOf(state), live);
  if (differences.length === 0) return { differences, drift: null };
  const drift = differences.map(({ field, declared, live: found }) => [
    attributeName(kind, field),
    `declared ${declared}, live ${found}`,
  ]);
  const byField = differences.map(({ field, live: found }) => [field, found]);
  return {
    differences,
    drift: Object.fromEntries(drift) as ObjectValue,
    live: Object.fromEntries(byField) as Readonly<Record<string, string>>,
  };
}

export function changedFields(before: Fields, after: Fields): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((field) => after[field] instanceof Unknown || before[field] !== after[field])
    .sort();
}

const VALUE_CHARACTERS = 60;

export function valueText(value: string | Unknown | undefined): string {
  if (value === undefined) return "not set";
  return value instanceof Unknown ? "a value known only after apply" : bounded(value, VALUE_CHARACTERS);
}
