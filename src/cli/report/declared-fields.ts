import { parsePluginResourceType, triggersAttribute } from "../../contract/addresses";
import type { FlatDeclaration } from "../../declarations/declaration";
import type { DeclarationSchema, Fields } from "../../declarations/terraform/declaration-schema";
import { ClusterPlatformError } from "../../model/errors";
import { isPlainObject } from "../../util/prop-path";
import type { JsonObject } from "../../model/provider-type";
import type { AttributePath } from "../../terraform/attributes";
import { Unknown, UNKNOWN, type ObjectValue } from "../../terraform/value";
import { nameOf } from "./document";

/**
 * Reads flat declarations from Terraform's JSON: from triggers of hooks, or from the attributes of the package's own provider.
 */

interface Typed {
  /** Such as `null_resource` or `clusterplatform_capvs_cluster`. */
  readonly type: string;
}

/** `true` stands for all fields. */
export type FieldMarks = true | ReadonlySet<string>;

/** The known part of the declaration. Undefined if nothing is known, or if the values have another form. */
export function declaredIn(resource: Typed, values: unknown, unknown?: unknown): FlatDeclaration | undefined {
  const schema = schemaOf(resource);
  if (!schema) return flat(triggersOf(resource, values));
  const fields = fieldsOf(schema, values, unknown);
  return fields && flat(Object.fromEntries(Object.entries(fields).filter(([, value]) => !(value instanceof Unknown))));
}

export function unknownIn(resource: Typed, values: unknown, unknown: unknown): FieldMarks {
  const schema = schemaOf(resource);
  if (!schema) return marked(triggersOf(resource, unknown), (mark) => mark === true);
  if (unknown === true) return true;
  const fields = fieldsOf(schema, values, unknown) ?? {};
  return new Set(Object.keys(fields).filter((field) => fields[field] instanceof Unknown));
}

/** @param marks in the form of `before_sensitive` */
export function sensitiveIn(resource: Typed, values: unknown, marks: unknown, unknown?: unknown): FieldMarks {
  const schema = schemaOf(resource);
  if (!schema) return marked(triggersOf(resource, marks), (mark) => mark !== false);
  if (marks === true) return true;
  const fields = fieldsOf(schema, values, unknown) ?? {};
  return new Set(Object.keys(fields).filter((field) => isMarkedAt(marks, schema.pathOf(field))));
}

/** Undefined if the text is not set, not known or not a text. */
export function textIn(resource: Typed, values: unknown, field: "name" | "provider"): string | undefined {
  const schema = schemaOf(resource);
  const holder = schema ? values : triggersOf(resource, values);
  const key = schema ? String(schema.pathOf(field)[0]) : field;
  const value = isPlainObject(holder) && Object.hasOwn(holder, key) ? holder[key] : undefined;
  return typeof value === "string" ? value : undefined;
}

/**
 * Refuses a sensitive name, because every report shows the names of objects.
 * @throws INVALID_DOCUMENT if Terraform marks the name as sensitive
 */
export function refuseSensitiveName(
  file: string,
  { address, ...resource }: Typed & { readonly address: string },
  values: unknown,
  marks: unknown,
  unknown?: unknown,
): void {
  if (!schemaOf(resource)) return;
  const marked = sensitiveIn(resource, values, marks, unknown);
  if (marked !== true && !marked.has("name")) return;
  throw new ClusterPlatformError(
    "INVALID_DOCUMENT",
    `${nameOf(file)}: the name of ${address} is marked as sensitive, and a report needs the name; write nonsensitive(…) around it`,
  );
}

export function differingAttributes(before: unknown, after: unknown): string[] {
  const [one, other] = [before, after].map((values) => (isPlainObject(values) ? values : {})) as [JsonObject, JsonObject];
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return names.filter((name) => JSON.stringify(one[name] ?? null) !== JSON.stringify(other[name] ?? null)).sort();
}

// Loaded on demand: the rules take longer to load than most plans take to read, and plans with hooks need none.
/* eslint-disable @typescript-eslint/no-require-imports */
const schemaModule = () =>
  require("../../declarations/terraform/declaration-schema") as typeof import("../../declarations/terraform/declaration-schema");
const types = () => require("../../declarations/types") as typeof import("../../declarations/types");
/* eslint-enable @typescript-eslint/no-require-imports */

function schemaOf({ type: resourceType }: Typed): DeclarationSchema | undefined {
  const declared = parsePluginResourceType(resourceType);
  return declared && schemaModule().schemaOf(types().objectTypeOf(declared.type, declared.kind));
}

function fieldsOf(schema: DeclarationSchema, values: unknown, unknown: unknown): Fields | undefined {
  if (!isPlainObject(values)) return undefined;
  try {
    return schema.fieldsOf(withUnknown(values, unknown) as ObjectValue);
  } catch {
    // The document may be forged, or may come from another version of this package.
    return undefined;
  }
}

/** Terraform's JSON leaves out unknown values. A second document beside it marks them. */
function withUnknown(value: unknown, unknown: unknown): unknown {
  if (unknown === true) return UNKNOWN;
  if (Array.isArray(unknown)) {
    const items = Array.isArray(value) ? (value as unknown[]) : [];
    return Array.from({ length: Math.max(items.length, unknown.length) }, (_, index) =>
      withUnknown(items[index] ?? null, unknown[index]),
    );
  }
  if (!isPlainObject(unknown) || Object.keys(unknown).length === 0) return value;
  const known = isPlainObject(value) ? value : {};
  const marks = Object.entries(unknown).map(([key, mark]) => [key, withUnknown(known[key] ?? null, mark)] as const);
  return { ...known, ...Object.fromEntries(marks.filter(([, item]) => item !== null)) };
}

/** Whether the value at the path is marked. A mark on a value that contains it, or on a value in it, counts too. */
function isMarkedAt(marks: unknown, [step, ...rest]: AttributePath): boolean {
  if (typeof marks !== "object" || marks === null) return marks === true;
  if (step === undefined) return Object.values(marks).some((mark) => isMarkedAt(mark, []));
  const key = typeof step === "object" ? step.key : String(step);
  return Object.hasOwn(marks, key) && isMarkedAt((marks as JsonObject)[key], rest);
}

function triggersOf({ type: engine }: Typed, values: unknown): unknown {
  return values === true ? true : ((values ?? {}) as JsonObject)[triggersAttribute(engine)];
}

function marked(marks: unknown, isMarked: (mark: unknown) => boolean): FieldMarks {
  if (marks === true) return true;
  const entries = typeof marks === "object" && marks !== null ? Object.entries(marks) : [];
  return new Set(entries.filter(([, mark]) => isMarked(mark)).map(([field]) => field));
}

/** The entries as text, other values as JSON. Undefined if it is not a map. */
function flat(map: unknown): FlatDeclaration | undefined {
  if (typeof map !== "object" || map === null || Array.isArray(map)) return undefined;
  // The object has no prototype. Otherwise a key such as `constructor` would exist without being declared.
  const declared = Object.create(null) as FlatDeclaration;
  for (const [key, value] of Object.entries(map)) {
    if (value !== null) declared[key] = typeof value === "string" ? value : JSON.stringify(value);
  }
  return declared;
}
