import { isPlainObject } from "../../util/prop-path";
import type { JsonObject } from "../../model/provider-type";

/** Terraform's JSON comes from documents that may be forged, so entries of another form are left out. */

/** The objects in a list. In Terraform's JSON syntax, a single block may stand for a list of one. */
export function objectsIn(value: unknown): JsonObject[] {
  return (Array.isArray(value) ? value : [value]).filter(isPlainObject);
}

export function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
