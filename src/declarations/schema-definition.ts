import type { z } from "zod";

/** The definition of a zod schema. Which fields it has depends on `type`. */
export interface SchemaDefinition {
  readonly type: string;
  readonly shape: Readonly<Record<string, z.ZodType>>;
  readonly element: z.ZodType;
  readonly innerType: z.ZodType;
  readonly options: readonly z.ZodType[];
  readonly entries: Readonly<Record<string, string>>;
  readonly checks?: readonly { readonly _zod: { readonly def: { readonly pattern?: RegExp } } }[];
}

export const definitionOf = (schema: z.ZodType) => schema.def as unknown as SchemaDefinition;
