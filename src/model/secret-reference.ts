/** A reference to a secret in the synthesized JSON. The hook resolves it when it creates the object. */
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

/** A reference to a secret, and its path in a declaration or body. */
export interface SecretUse {
  readonly path: readonly PropertyKey[];
  readonly reference: SecretReference;
}

/** All references to secrets in a value. */
export function secretsIn(value: unknown, path: readonly PropertyKey[] = []): SecretUse[] {
  if (isSecretReference(value)) return [{ path, reference: value }];
  if (Array.isArray(value)) return value.flatMap((item, index) => secretsIn(item, [...path, index]));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => secretsIn(item, [...path, key]));
}
