import * as z from "zod/mini";
import { isPlainObject } from "../util/prop-path";
import type { Schema } from "./schema-definition";

/** Lists whose elements are identified by a field, so that their order does not matter. */
export const keyedLists = z.registry<{ readonly key: string }>();

/**
 * A list whose elements are identified by the field `key`: no two elements have the same value there, and their order does not
 * matter.
 *
 * @param prop the prop that has the list, for messages
 */
export function keyedList<Element extends Schema>(
  prop: string,
  key: string,
  list: z.ZodMiniArray<Element>,
): z.ZodMiniArray<Element> {
  // `when`: a broken element does not hide that another one is repeated.
  const unique = list.check(
    z.superRefine((elements, context) => reportRepeated(prop, key, elements, context), { when: () => true }),
  );
  keyedLists.add(unique, { key });
  return unique;
}

function reportRepeated(prop: string, key: string, elements: unknown, { addIssue }: z.core.$RefinementCtx): void {
  if (!Array.isArray(elements)) return;
  const first = new Map<unknown, number>();
  elements.forEach((element, index) => {
    const value = isPlainObject(element) ? element[key] : undefined;
    if (value === undefined) return;
    const other = first.get(value);
    if (other === undefined) {
      first.set(value, index);
      return;
    }
    const message = `be unique, but '${prop}[${other}]' has it too`;
    addIssue({ code: "custom", input: value, path: [index, key], message, params: { holdsForTokens: true } });
  });
}

/** A prop with fields of its own, which become keys of triggers. */
export interface StructuredProp {
  readonly prop: string;
  readonly isList: boolean;
  readonly isOptional: boolean;
  /** Identifies the elements of a list. */
  readonly key?: string;
}

export function structureOf(spec: z.ZodMiniObject): StructuredProp[] {
  return Object.entries(spec.shape).flatMap(([prop, schema]) => {
    const isOptional = schema instanceof z.ZodMiniOptional;
    const inner = isOptional ? schema.def.innerType : schema;
    const isList = inner instanceof z.ZodMiniArray;
    if (!((isList ? inner.def.element : inner) instanceof z.ZodMiniObject)) return [];
    return [{ prop, isList, isOptional, ...(isList && keyedLists.get(inner as Schema)) }];
  });
}
