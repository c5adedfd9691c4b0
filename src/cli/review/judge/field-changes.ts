import type { FlatDeclaration } from "../../../declarations/declaration";
import { looksSecret } from "../../../model/secret-field";
import { declaredIn, type FieldMarks, sensitiveIn, unknownIn } from "../../report/declared-fields";
import type { FieldChange } from "../../report/finding";
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

function fieldsOf(before: FlatDeclaration, after: FlatDeclaration, unknown: ReadonlySet<string>): string[] {
  return [...new Set([...Object.keys(after), ...unknown, ...Object.keys(before)])].sort();
}

/** A field is hidden if Terraform marks it sensitive on either side, or if it looks like a secret. */
export function hiddenFields(
  from: ResourceChange,
  to: ResourceChange,
): (field: string, ...values: readonly (string | undefined)[]) => boolean {
  const sides = [before(from), after(to)];
  return (field, ...values) => sides.some((marks) => isMarked(marks, field)) || looksSecret(field, ...values);
}

/** Fields that Terraform marks sensitive on one side only; `*` stands for all fields. */
export function fieldsMarkedOtherwise(change: ResourceChange): string[] {
  const [one, other] = [before(change), after(change)].map((marks) => (marks === true ? new Set(["*"]) : marks)) as [
    ReadonlySet<string>,
    ReadonlySet<string>,
  ];
  return [...one, ...other].filter((field) => one.has(field) !== other.has(field)).sort();
}

const before = ({ type, change }: ResourceChange) => sensitiveIn({ type }, change.before, change.before_sensitive);
const after = ({ type, change }: ResourceChange) =>
  sensitiveIn({ type }, change.after, change.after_sensitive, change.after_unknown);
const isMarked = (marks: FieldMarks, field: string) => marks === true || marks.has(field);
