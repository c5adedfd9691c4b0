/** The hook resolves the reference when it creates the object. */
export type SecretReference = {
  readonly $secret:
    | { readonly env: string }
    | { readonly file: string }
    /** The value of a token, or one that the user declared as plain text. It is never in triggers. */
    | { readonly value: string };
};

export function isSecretReference(value: unknown): value is SecretReference {
  return typeof value === "object" && value !== null && "$secret" in value;
}

export interface SecretUse {
  readonly path: readonly PropertyKey[];
  readonly reference: SecretReference;
}

export function secretsIn(value: unknown, path: readonly PropertyKey[] = []): SecretUse[] {
  if (isSecretReference(value)) return [{ path, reference: value }];
  if (Array.isArray(value)) return value.flatMap((item, index) => secretsIn(item, [...path, index]));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => secretsIn(item, [...path, key]));
}
