import { sensitiveIn, type FieldMarks } from "../../report/declared-fields";
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
  const sides = [before(from), after(to)];
  return (field, ...values) => sides.some((marks) => isMarked(marks, field)) || looksSecret(field, ...values);
}

/** Fields that Terraform marks sensitive on one side only; `*` where that is all of them. */
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
