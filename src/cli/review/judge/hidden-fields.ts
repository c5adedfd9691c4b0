import { sensitiveIn, type FieldMarks } from "../../report/declared-fields";
import { looksSecret } from "../../../model/secret-field";
import type { ResourceChange } from "../plan/plan";

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
