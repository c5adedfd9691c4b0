import * as rules from "../../declarations/rules";
import { isPlainObject, renderPath } from "../../util/prop-path";
import type { JsonObject } from "../../model/provider-type";
import { isCredential } from "../../model/secret-field";
import { isSecretReference } from "../../model/secret-reference";
import { definitionOf, type Schema } from "../../declarations/schema-definition";
import { tokensOf } from "./schema-tokens";
import { isToken } from "./tokens";

/** Tokens given as a secret without `Secret.fromToken`. Terraform would keep their values in plans and in its state. */
export function bareSecrets(schema: Schema, spec: JsonObject): string[] {
  return [
    ...tokensOf(schema, spec)
      .filter((token) => holdsSecret(token.schema))
      .map((token) => (token.schema === rules.secret ? bareToken(token.path) : tokenForObject(token.path))),
    ...credentialTokens(spec.bodyOverrides, ["bodyOverrides"]).map(bareToken),
  ];
}

function bareToken(path: readonly PropertyKey[]): string {
  return (
    `'${renderPath(path)}' must be a Secret, got a bare token, whose value Terraform would keep in plans and in its state; ` +
    "use Secret.fromToken(…)"
  );
}

function tokenForObject(path: readonly PropertyKey[]): string {
  return (
    `'${renderPath(path)}' must be written out because it holds a secret, got a token, whose value Terraform would keep in ` +
    "plans and in its state; use Secret.fromToken(…) for the secret in it"
  );
}

function holdsSecret(schema: Schema): boolean {
  const { type, innerType, shape, element } = definitionOf(schema);
  if (type === "optional") return holdsSecret(innerType);
  if (type === "array") return holdsSecret(element);
  return schema === rules.secret || (type === "object" && Object.values(shape).some(holdsSecret));
}

/** Numbers are no credentials. */
function credentialTokens(value: unknown, path: readonly PropertyKey[], isSecret = false): (readonly PropertyKey[])[] {
  if (isToken(value)) return isSecret && typeof value !== "number" ? [path] : [];
  if (Array.isArray(value)) return value.flatMap((item, index) => credentialTokens(item, [...path, index], isSecret));
  if (!isPlainObject(value) || isSecretReference(value)) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    credentialTokens(item, [...path, key], isSecret || (!isToken(key) && isCredential(key))),
  );
}
