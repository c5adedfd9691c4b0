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
