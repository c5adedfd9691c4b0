import type { Declared } from "../../../declarations/declaration";
import { declaredIn, unknownIn } from "../../report/declared-fields";
import type { FieldChange } from "./finding";
import { hiddenFields } from "./hidden-fields";
import type { ResourceChange } from "../plan/plan";

/** `from` and `to` are the same change, unless the object goes from one address to another. */
export function fieldChanges(from: ResourceChange, to: ResourceChange): FieldChange[] {
  const before = declaredIn(from, from.change.before) ?? {};
  const after = declaredIn(to, to.change.after, to.change.after_unknown) ?? {};
  const unknown = unknownIn(to, to.change.after, to.change.after_unknown);
  const isHidden = hiddenFields(from, to);
  // The whole map is known after the apply only, and so are the fields that will differ.
  if (unknown === true) return [{ field: "*", before: null, after: null, unknown: true }];

  return fieldsOf(before, after, unknown)
    .filter((field) => unknown.has(field) || before[field] !== after[field])
    .map((field) => {
      const later = unknown.has(field) && { unknown: true as const };
      const hidden = isHidden(field, before[field], after[field]);
      const visibleValue = (value: string | undefined) => (hidden || value === undefined ? null : value);
      return {
        field,
        before: visibleValue(before[field]),
        after: later ? null : visibleValue(after[field]),
        ...later,
        ...(hidden && { hidden, ...undeclared(before[field], later ? "later" : after[field]) }),
      };
    });
}

function undeclared(before: string | undefined, after: string | undefined): Pick<FieldChange, "notSet"> {
  if (before === undefined) return { notSet: "before" };
  return after === undefined ? { notSet: "after" } : {};
}

function fieldsOf(before: Declared, after: Declared, unknown: ReadonlySet<string>): string[] {
  return [...new Set([...Object.keys(after), ...unknown, ...Object.keys(before)])].sort();
}
