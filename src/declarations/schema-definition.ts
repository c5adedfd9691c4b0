import type * as z from "zod/mini";

export type Schema = z.ZodMiniType;

/** The definition of a zod schema. Which fields it has depends on `type`. */
export interface SchemaDefinition {
  readonly type: string;
  readonly shape: Readonly<Record<string, Schema>>;
  readonly element: Schema;
  readonly innerType: Schema;
  readonly options: readonly Schema[];
  readonly entries: Readonly<Record<string, string>>;
  readonly checks?: readonly { readonly _zod: { readonly def: { readonly pattern?: RegExp; readonly value?: number } } }[];
}

export const definitionOf = (schema: Schema) => schema.def as unknown as SchemaDefinition;
