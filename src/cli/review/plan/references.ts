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
