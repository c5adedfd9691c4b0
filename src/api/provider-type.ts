import type { z } from "zod";

/** The codes of the seven provider types, as they stand in request paths and in `providerType`. */
export const TYPE_CODES = ["capvs", "capov", "capbd", "capos", "capsmv2", "capyc", "capcd"] as const;
/** Which platform a provider is for: its code in the service's request paths. */
export type TypeCode = (typeof TYPE_CODES)[number];

export function isTypeCode(value: unknown): value is TypeCode {
  return (TYPE_CODES as readonly unknown[]).includes(value);
}

/** The two kinds of object that the service manages. */
export const KINDS = ["providers", "clusters"] as const;
export type Kind = (typeof KINDS)[number];

export function isKind(value: unknown): value is Kind {
  return (KINDS as readonly unknown[]).includes(value);
}

export type JsonObject = { [key: string]: unknown };

/** @internal How one kind of object of one provider type is declared, completed and sent. */
export interface ObjectType {
  /** What may be declared, in this package's vocabulary. */
  readonly spec: z.ZodType;
  /** What is sent where the declaration says nothing; it may follow from what the declaration does say. */
  readonly defaults: (declared: JsonObject) => JsonObject;
  /** The request body of a completed declaration. */
  readonly body: (completed: JsonObject) => JsonObject;
  /** Where the body holds names by which Terraform knows things, and the props that these are from. */
  readonly identity: readonly { readonly field: string; readonly prop: "name" | "provider" }[];
  /** Whether the body selects platform services. */
  readonly services: boolean;
  /** The request body as the service's interface has it, field by field and no other. */
  readonly wire: z.ZodType;
}

/** @internal All that is particular about a provider type; the rest of the package treats the seven alike. */
export interface ProviderType {
  readonly code: TypeCode;
  /** `providerType` of its clusters in lists, where that is not the code. */
  readonly listedAs: string;
  readonly provider: ObjectType;
  readonly cluster: ObjectType;
}
