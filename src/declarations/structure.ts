import { z } from "zod";

/** Lists whose elements are identified by a field, so that their order does not matter. */
export const keyedLists = z.registry<{ readonly key: string }>();

/** A prop with fields of its own, which become keys of triggers. */
export interface StructuredProp {
  readonly prop: string;
  readonly isList: boolean;
  readonly isOptional: boolean;
  /** Identifies the elements of a list. */
  readonly key?: string;
}

export function structureOf(spec: z.ZodObject): StructuredProp[] {
  return Object.entries(spec.shape).flatMap(([prop, schema]) => {
    const isOptional = schema instanceof z.ZodOptional;
    const inner = isOptional ? schema.unwrap() : schema;
    const isList = inner instanceof z.ZodArray;
    if (!((isList ? inner.element : inner) instanceof z.ZodObject)) return [];
    return [{ prop, isList, isOptional, ...(isList && keyedLists.get(inner as z.ZodType)) }];
  });
}
