/** A reference to a secret, as it travels in synthesized JSON; the hook resolves it when it creates the object. */
export type SecretReference = {
  readonly $secret:
    | { readonly env: string }
    | { readonly file: string }
    /** Only ever a token's value or one that the user called plain text; never in triggers. */
    | { readonly value: string };
};

export function isSecretReference(value: unknown): value is SecretReference {
  return typeof value === "object" && value !== null && "$secret" in value;
}

/** A secret that a declaration or a body refers to, and where in it. */
export interface SecretUse {
  readonly path: readonly PropertyKey[];
  readonly reference: SecretReference;
}

/** Every secret that a value refers to, however deep. */
export function secretsIn(value: unknown, path: readonly PropertyKey[] = []): SecretUse[] {
  if (isSecretReference(value)) return [{ path, reference: value }];
  if (Array.isArray(value)) return value.flatMap((item, index) => secretsIn(item, [...path, index]));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => secretsIn(item, [...path, key]));
}
