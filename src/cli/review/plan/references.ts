import { isTemplate } from "../../../terraform/template-text";

/** What an expression refers to, as in `null_resource.capvs_clusters["prod"].id`. */
export interface Reference {
  /** The first two parts, as in `null_resource.capvs_clusters`, `local.names` or `var.nodes`. */
  readonly block: string;
  readonly key?: string;
  readonly attribute?: string;
}

const REFERENCE = /(?<![\w.-])([A-Za-z_][\w-]*)\.([A-Za-z_][\w-]*)(?:\["([^"\\]*)"\])?(?:\.([A-Za-z_][\w-]*))?/g;

export function referencesIn(text: string): Reference[] {
  return [...text.matchAll(REFERENCE)].map(([, type, name, key, attribute]) => ({
    block: `${type}.${name}`,
    ...(key !== undefined && { key }),
    ...(attribute !== undefined && { attribute }),
  }));
}

/** The expressions in a value of a synthesized stack. */
export function templatesIn(value: unknown): string[] {
  if (typeof value === "string") return isTemplate(value) ? [value] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(templatesIn) : [];
}
