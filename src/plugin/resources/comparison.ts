import { compare, declaredValue, type Comparison, type Difference } from "../../lifecycle/compare";
import type { Live } from "../../lifecycle/live";
import type { Declared } from "../../declarations/declaration";
import { declaredWithDefaults } from "../../declarations/declared-with-defaults";
import { segmentsOf } from "../../declarations/trigger-keys";
import { knownOf, type Fields } from "../../declarations/terraform/declaration-schema";
import { bounded } from "../../util/printable";
import { renderAttributePath } from "../../terraform/attributes";
import { Unknown, type ObjectValue } from "../../terraform/value";
import { isOfConstruct, type ObjectKind } from "./object-kind";

export function compareWithLive({ type, kind }: ObjectKind, fields: Fields, live: Live): Comparison {
  const known = knownOf(fields);
  const { differences, unconfirmed } = compare(kind, type, declaredWithDefaults(type, kind, known), live);
  // A prop with an unknown part is left out, because `compare` would replace that part with its default.
  const open = new Set(
    Object.keys(fields)
      .filter((key) => fields[key] instanceof Unknown)
      .map(propOf),
  );
  return {
    differences: differences.filter(({ field }) => !open.has(propOf(field))),
    unconfirmed: unconfirmed.filter((field) => !open.has(propOf(field)) || field in known),
  };
}

/** What a changed declaration takes over from the live object. */
interface Accepted {
  /** The compared fields that now have their live value. */
  readonly fields: readonly string[];
  /** The keys of the declaration that change because of that. */
  readonly keys: ReadonlySet<string>;
  /** The new keys among them that the service's lists do not show. */
  readonly unconfirmed: readonly string[];
}

/**
 * A worker group or a template that only one of the declarations has is accepted with all its keys, because the service has added
 * or removed it as a whole.
 * @param live the live values that differ from the declaration in the state, by field
 */
export function acceptedLive(
  { type, kind }: ObjectKind,
  live: Readonly<Record<string, string>>,
  before: Fields,
  after: Fields,
): Accepted {
  const [old, now] = [before, after].map((fields) => declaredWithDefaults(type, kind, knownOf(fields))) as [Declared, Declared];
  const fields = Object.keys(live).filter((field) => declaredValue(kind, now, field).value === live[field]);
  const listed = new Set(fields.flatMap((field) => [old, now].flatMap((side) => declaredValue(kind, side, field).keys)));
  const elements = new Set([...listed].map(elementOf));
  const [oldElements, newElements] = [before, after].map((side) => new Set(Object.keys(side).map(elementOf)));
  const isWhole = (key: string) => {
    const element = elementOf(key);
    return element !== undefined && elements.has(element) && oldElements!.has(element) !== newElements!.has(element);
  };
  const keys = Object.keys({ ...before, ...after }).filter(
    (key) => !(after[key] instanceof Unknown) && (listed.has(key) || isWhole(key)),
  );
  return { fields, keys: new Set(keys), unconfirmed: keys.filter((key) => key in after && !listed.has(key)).sort() };
}

/** The worker group or the template that a key belongs to. Undefined for other keys. */
function elementOf(key: string): string | undefined {
  const [list, element] = segmentsOf(key);
  return list === "workers" || list === "templates" ? JSON.stringify([list, element]) : undefined;
}

const propOf = (key: string) => segmentsOf(key)[0];

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

/** The value of the attribute `drift`: the declared and the live value by field. */
export function driftOf(kind: ObjectKind, differences: readonly Difference[]): ObjectValue | null {
  if (differences.length === 0) return null;
  const entries = differences.map(({ field, declared, live }) => [
    attributeName(kind, field),
    `declared ${declared}, live ${live}`,
  ]);
  return Object.fromEntries(entries) as ObjectValue;
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
