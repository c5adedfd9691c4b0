import type { z } from "zod";
import type { JsonObject, TypeCode } from "../model/provider-type";
import type { StructuredProp } from "./structure";

/** @internal How one kind of object of one provider type is declared, completed and sent. */
export interface ObjectType {
  /** What may be declared, in this package's vocabulary. */
  readonly spec: z.ZodType;
  /** Props with fields of their own. Tokens may stand for the fields, but not for the prop. */
  readonly structure: readonly StructuredProp[];
  /** What is sent where the declaration says nothing; it may follow from what the declaration does say. */
  readonly defaults: (declared: JsonObject) => JsonObject;
  /** The request body of a completed declaration. */
  readonly body: (completed: JsonObject) => JsonObject;
  /** Where the body holds names by which Terraform knows things, and the props that these are from. */
  readonly identity: readonly { readonly field: string; readonly prop: "name" | "provider" }[];
  /** Whether the body selects platform services. */
  readonly services: boolean;
  /** What is allowed but hardly meant in a valid declaration, a sentence each. Values that are not known yet are undefined. */
  readonly warnings: (declared: JsonObject) => string[];
}

/** @internal All that is particular about a provider type; the rest of the package treats the seven alike. */
export interface ProviderType {
  readonly code: TypeCode;
  readonly provider: ObjectType;
  readonly cluster: ObjectType;
}
