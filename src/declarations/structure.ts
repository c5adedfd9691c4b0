import { z } from "zod";

/** Schemas of lists whose elements are identified by a field, so that their order does not matter. */
export const keyedLists = z.registry<{ readonly key: string }>();

/** A prop with fields of its own, which become keys of triggers. */
export interface StructuredProp {
  readonly prop: string;
  readonly isList: boolean;
  readonly isOptional: boolean;
  /** The field that identifies the elements of a list, if there is one. */
  readonly key?: string;
}

/** The props of a declaration that are objects or lists of objects. */
export function structureOf(spec: z.ZodObject): StructuredProp[] {
  return Object.entries(spec.shape).flatMap(([prop, schema]) => {
    const isOptional = schema instanceof z.ZodOptional;
    const inner = isOptional ? schema.unwrap() : schema;
    const isList = inner instanceof z.ZodArray;
    if (!((isList ? inner.element : inner) instanceof z.ZodObject)) return [];
    return [{ prop, isList, isOptional, ...(isList && keyedLists.get(inner as z.ZodType)) }];
  });
}
