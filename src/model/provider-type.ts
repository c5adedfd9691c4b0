/** The code of every provider type, as in request paths, with its `providerType` in the service's lists. */
const LISTED_AS = {
  capvs: "capvs",
  capov: "capov",
  capbd: "capbd",
  capos: "capos",
  capsmv2: "productv2",
  capyc: "capyc",
  capcd: "capcd",
} as const;

/** The type of a provider: its code in the service's request paths. */
export type TypeCode = keyof typeof LISTED_AS;
export const TYPE_CODES = Object.keys(LISTED_AS) as readonly TypeCode[];

export function listedAs(code: TypeCode): string {
  return LISTED_AS[code];
}

/** A type that this package does not know keeps the service's name. */
export function codeOfListed(providerType: string): TypeCode | (string & {}) {
  return TYPE_CODES.find((code) => LISTED_AS[code] === providerType) ?? providerType;
}

export function isTypeCode(value: unknown): value is TypeCode {
  return (TYPE_CODES as readonly unknown[]).includes(value);
}

/** The two kinds of objects that the service manages. */
export const KINDS = ["providers", "clusters"] as const;
export type Kind = (typeof KINDS)[number];

const SINGULAR = { providers: "provider", clusters: "cluster" } as const;
export type SingularKind = (typeof SINGULAR)[Kind];

export function singular<K extends Kind>(kind: K): (typeof SINGULAR)[K] {
  return SINGULAR[kind];
}

export function isKind(value: unknown): value is Kind {
  return (KINDS as readonly unknown[]).includes(value);
}

export type JsonObject = { [key: string]: unknown };
