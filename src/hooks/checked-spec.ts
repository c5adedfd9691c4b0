import { flatten, requestBody } from "../declarations/declaration";
import { InvalidPropError } from "../model/errors";
import { overrideProblems } from "../declarations/override-rules";
import type { JsonObject, Kind, TypeCode } from "../model/provider-type";
import { asDeclared, problemsOf } from "../declarations/rules";
import { objectTypeOf } from "../declarations/types";

/**
 * Checks a declaration whose tokens have values now. Terraform may give a number or a boolean as text, so such a text is
 * converted.
 * @throws INVALID_PROP with all broken rules
 */
export function checked(
  type: TypeCode,
  kind: Kind,
  path: string,
  spec: JsonObject,
): { body: JsonObject; declared: Record<string, unknown> } {
  const objectType = objectTypeOf(type, kind);
  const declared = asDeclared(objectType.spec, withoutNulls(spec)) as JsonObject;
  const problems = [...problemsOf(objectType.spec, declared), ...overrideProblems(objectType, declared)].map(
    ({ message }) => message,
  );
  if (problems.length > 0) {
    throw new InvalidPropError(
      path,
      `${problems.join("; ")}; nothing was sent to create the object. A token gave this value: correct its source and apply again`,
    );
  }
  return { body: requestBody(objectType, declared), declared: flatten(objectType, declared) };
}

/** Drops nulls, because null means "not set" in Terraform. In `bodyOverrides`, null is a value. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== null)
      .map(([key, item]) => [key, key === "bodyOverrides" ? item : withoutNulls(item)]),
  );
}
