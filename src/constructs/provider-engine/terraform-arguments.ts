import { Fn, Token } from "cdktf";
import { schemaOf } from "../../declarations/terraform/declaration-schema";
import { objectTypeOf } from "../../declarations/types";
import type { JsonObject } from "../../model/provider-type";
import { isSecretReference } from "../../model/secret-reference";
import { Dynamic, Unknown, type ObjectValue, type Value } from "../../terraform/value";
import type { DeclaredObject } from "../synth/declared-object";
import { isToken, literalArguments } from "../synth/tokens";

/** Tokens are unchanged, and literals are escaped. */
export function argumentsOf({ type, kind, spec }: DeclaredObject): JsonObject {
  const value = schemaOf(objectTypeOf(type, kind)).valueOf(withPlaceholders(spec) as JsonObject);
  return literalArguments(present(value)) as JsonObject;
}

/** Keys that the plugin's decoder refuses. */
export function undecodableKeys(value: unknown, path: readonly string[] = []): string[] {
  if (typeof value !== "object" || value === null || isToken(value)) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    key === "__proto__" ? [path.join(".")] : undecodableKeys(item, [...path, key]),
  );
}

/** Stands for a token, as an unknown value. Tokens in text need no placeholder. */
class Placeholder extends Unknown {
  constructor(readonly token: unknown) {
    super();
  }

  /** As the key of a map. */
  override toString(): string {
    return Token.asString(Fn.tostring(this.token));
  }
}

function withPlaceholders(value: unknown): unknown {
  if (typeof value === "string") return value;
  if (isToken(value)) return new Placeholder(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withPlaceholders);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withPlaceholders(item)]));
}

function present(attributes: ObjectValue): JsonObject {
  return Object.fromEntries(
    Object.entries(attributes)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, jsonOf(value)]),
  );
}

function jsonOf(value: Value): unknown {
  if (value instanceof Placeholder) return value.token;
  if (value instanceof Dynamic) return withTokens(value.value);
  if (Array.isArray(value)) return value.map(jsonOf);
  return typeof value === "object" && value !== null ? present(value as ObjectValue) : value;
}

/** The user's own JSON, in which null has a meaning and stays. */
function withTokens(value: unknown): unknown {
  if (value instanceof Placeholder) return value.token;
  if (Array.isArray(value)) return value.map(withTokens);
  if (typeof value !== "object" || value === null || isSecretReference(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withTokens(item)]));
}
