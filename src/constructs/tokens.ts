import { Fn, Token, Tokenization } from "cdktf";
import type { Construct } from "constructs";
import type { JsonObject } from "../model/provider-type";
import { keepText } from "../contract/kept-text";
import type { Problem } from "../declarations/rules";
import { isSecretReference } from "../model/secret-reference";
import { Secret } from "./secret";
import { Services } from "./services";
import { referenceIn } from "./project-files";

/** Whether a value stands for one that only Terraform knows: a string, number, list or map token, or a resolvable. */
export function isToken(value: unknown): boolean {
  // cdktf's number tokens are negative; to have it look at every size and count takes a twentieth of a synth.
  if (typeof value === "number" && value >= 0) return false;
  return Token.isUnresolved(value) || (typeof value === "object" && value !== null && Tokenization.isResolvable(value));
}

/** Whether there is a token anywhere in a value. */
export function holdsToken(value: unknown): boolean {
  if (isToken(value)) return true;
  return (
    typeof value === "object" && value !== null && Object.entries(value).some(([key, item]) => isToken(key) || holdsToken(item))
  );
}

/** Whether the value that a problem is about, or a part of its path, is a token: then the hook checks it instead. */
export function isAboutToken(problem: Problem, root: unknown): boolean {
  let value = root;
  for (const key of problem.path) {
    if (isToken(value)) return true;
    value = (value as Record<PropertyKey, unknown> | undefined | null)?.[key];
  }
  return isToken(value);
}

/**
 * Props as a declaration: secrets and services by reference, tokens as they are, nothing that is undefined.
 *
 * @param scope in the stack that the declaration is for
 */
export function toSpec(value: unknown, scope: Construct): unknown {
  if (Secret.isSecret(value)) return referenceIn(scope, value._reference);
  if (Services.isServices(value)) return value._spec;
  if (isToken(value) || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => toSpec(item, scope));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => [key, toSpec(item, scope)]),
  );
}

/** A declaration with undefined in the place of every token. */
export function withoutTokens(value: unknown): unknown {
  if (isToken(value)) return undefined;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutTokens);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutTokens(item)]));
}

/** A declaration for triggers, which are text: a token of a list or a map becomes an expression of text. */
export function toText(value: unknown): unknown {
  if (isSecretReference(value)) return value;
  if (isToken(value)) {
    if (Array.isArray(value)) return Fn.join(", ", Fn.sort(value));
    return isMapToken(value) ? Fn.jsonencode(value) : value;
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(toText);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toText(item)]));
}

function isMapToken(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Tokenization.isResolvable(value);
}

/**
 * A value as Terraform's JSON syntax takes it literally: `${` and `%{` of the user's text are escaped, in values and
 * in keys; tokens are left alone. So a hand-written `"${var.x}"` is text.
 */
export function escapeLiterals(value: unknown): unknown {
  return mapText(value, escapeText);
}

/**
 * JSON as one text that nobody on the way takes for more than that: no templates of Terraform, no tokens of cdktf, and
 * nothing but printable ASCII.
 */
export function inertJson(value: unknown): string {
  const escape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value).replace(/(?<=[$%#])\{|[^\x20-\x7e]/g, escape);
}

/** A declaration whose text comes out of Terraform as it went in, whatever Terraform does to Unicode; text with a token is left alone. */
export function keepLiterals<T>(value: T): T {
  return mapText(value, (text) => (isToken(text) ? text : keepText(text))) as T;
}

/** Every string and every key changed, whole tokens left alone. */
function mapText(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (isToken(value) || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => mapText(item, change));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [change(key), mapText(item, change)]));
}

const escapeText = (text: string) => text.replace(/\$\{(?!TfToken\[)/g, "$$${").replace(/%\{/g, "%%{");

/** Paths of strings that a number token was pasted into: cdktf renders the token's placeholder there without a word. */
export function pastedNumberTokens(value: unknown, path: readonly PropertyKey[] = []): (readonly PropertyKey[])[] {
  if (typeof value === "string") {
    const numbers = value.match(/-\d(?:\.\d+)?e\+\d{3}/g) ?? [];
    return numbers.some((number) => Token.isUnresolved(Number(number))) ? [path] : [];
  }
  if (isToken(value) || typeof value !== "object" || value === null) return [];
  return Object.entries(value as JsonObject).flatMap(([key, item]) =>
    pastedNumberTokens(item, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}
