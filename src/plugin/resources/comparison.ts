import { compare, type Comparison, type Difference } from "../../lifecycle/compare";
import type { Live } from "../../lifecycle/live";
import { declaredWithDefaults } from "../../declarations/declared-with-defaults";
import { segmentsOf } from "../../declarations/trigger-keys";
import { knownOf, type Fields } from "../../declarations/terraform/declaration-schema";
import { renderAttributePath } from "../../terraform/attributes";
import { Unknown, type ObjectValue } from "../../terraform/value";
import type { ObjectKind } from "./object-kind";

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
    unconfirmed: unconfirmed.filter((key) => key in known),
  };
}

const propOf = (key: string) => segmentsOf(key)[0];

/** The field's path in Terraform's language. */
export function fieldName(kind: ObjectKind, field: string): string {
  return renderAttributePath(kind.pathOf(field));
}

/** The value of the attribute `drift`: the declared and the live value by field. */
export function driftOf(kind: ObjectKind, differences: readonly Difference[]): ObjectValue | null {
  if (differences.length === 0) return null;
  const entries = differences.map(({ field, declared, live }) => [fieldName(kind, field), `declared ${declared}, live ${live}`]);
  return Object.fromEntries(entries) as ObjectValue;
}

/** For example `control_plane.count is 5, declared is 3; secure is false, declared is true`. */
export function inWords(kind: ObjectKind, differences: readonly Difference[]): string {
  return differences
    .map(({ field, declared, live }) => `${fieldName(kind, field)} is ${live}, declared is ${declared}`)
    .join("; ");
}
