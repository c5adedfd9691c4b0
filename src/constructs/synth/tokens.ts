import { Fn, Token, Tokenization } from "cdktf";
import type { Construct } from "constructs";
import type { JsonObject } from "../../model/provider-type";
import { encodeLiteral, keepText, survives } from "../../contract/kept-text";
import { OVERRIDES } from "../../declarations/declaration";
import type { Problem } from "../../declarations/rules";
import { isSecretReference } from "../../model/secret-reference";
import { Secret } from "../secret";
import { Services } from "../services";
import { referenceIn } from "./project-files";

/** A string, number, list or map token, or a resolvable. */
export function isToken(value: unknown): boolean {
  // Number tokens are negative. Without this line, a synth takes 5 % longer.
  if (typeof value === "number" && value >= 0) return false;
  return Token.isUnresolved(value) || (typeof value === "object" && value !== null && Tokenization.isResolvable(value));
}

/** @param above what the value is in, because a value of the wrong type may be in itself */
export function holdsToken(value: unknown, above: readonly unknown[] = []): boolean {
  if (isToken(value)) return true;
  if (typeof value !== "object" || value === null || above.includes(value)) return false;
  return Object.entries(value).some(([key, item]) => isToken(key) || holdsToken(item, [...above, value]));
}

/** Whether a problem is about a token or a value in one. The hook checks these instead. */
export function isAboutToken(problem: Problem, root: unknown): boolean {
  let value = root;
  for (const key of problem.path) {
    if (isToken(value)) return true;
    value = (value as Record<PropertyKey, unknown> | undefined | null)?.[key];
  }
  return problem.isUnknown !== true && isToken(value);
}

/**
 * Secrets and services become references, and undefined values are dropped. Tokens stay.
 * @param scope any construct in the stack
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

export function withoutTokens(value: unknown): unknown {
  if (isToken(value)) return undefined;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutTokens);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutTokens(item)]));
}

/** For triggers, which are text. Tokens in `bodyOverrides` stay, because Terraform encodes their values as JSON. */
export function textsOf(spec: JsonObject): JsonObject {
  const texts = Object.entries(spec).map(([prop, value]) => [prop, prop === OVERRIDES ? value : toText(value)]);
  return Object.fromEntries(texts) as JsonObject;
}

/** The token of a list or a map becomes an expression that gives text. */
function toText(value: unknown): unknown {
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
 * Escapes `${` and `%{` in values and keys, so that Terraform reads them as text, also a hand-written `"${var.x}"`. Tokens stay.
 */
export function escapeLiterals(value: unknown): unknown {
  return mapText(value, escapeText);
}

/** For arguments of resources: text that Terraform may misread becomes an expression. Terraform still normalizes it to form C. */
export function literalArguments(value: unknown): unknown {
  return mapText(value, (text) => (isToken(text) || survives(text) ? escapeText(text) : encodeLiteral(text)));
}

/** Printable ASCII that neither Terraform nor cdktf changes: it has no templates and no tokens. */
export function inertJson(value: unknown): string {
  const escape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value).replace(/(?<=[$%#])\{|[^\x20-\x7e]/g, escape);
}

/** Encodes text where Terraform would change it. Text with a token stays. */
export function keepLiterals<T>(value: T): T {
  return mapText(value, (text) => (isToken(text) ? text : keepText(text))) as T;
}

/** Changes all strings in a value. Tokens stay unchanged. */
function mapText(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (isToken(value) || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => mapText(item, change));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [change(key), mapText(item, change)]));
}

const escapeText = (text: string) => text.replace(/\$\{(?!TfToken\[)/g, "$$${").replace(/%\{/g, "%%{");

/** The placeholders of cdktf for text, lists and maps. */
const PLACEHOLDER = /[$#&]\{TfToken\[[\w:.-]+\]\}/g;
/** With a decimal point, which base64 does not have. */
const NUMBER = /-?\d\.\d+e\+\d{3}/g;
/** The numbers of tokens are larger, and so is what arithmetic makes of them. */
const HUGE = 1e250;
const isNumberToken = (number: string) => Math.abs(Number(number)) > HUGE;

/**
 * Whether a value is a part of a token, a changed token, or text or a key with such a part in it. cdktf does not resolve these. A
 * number token in text is one of them.
 */
export function isBrokenToken(value: unknown): boolean {
  if (typeof value === "string") {
    if (!SUSPECT.test(value)) return false;
    const others = value.replace(PLACEHOLDER, (placeholder) => (isKnownText(placeholder) ? "" : placeholder));
    return OF_MAPS.has(value) || /TfToken/i.test(others) || (value.match(NUMBER) ?? []).some(isNumberToken);
  }
  if (typeof value === "number") return OF_MAPS.has(value) || (!Token.isUnresolved(value) && Math.abs(value) > HUGE);
  if (typeof value !== "object" || value === null || Array.isArray(value) || Tokenization.isResolvable(value)) return false;
  const keys = Object.keys(value);
  return isToken(value) ? keys.length > 1 : keys.some(isBrokenToken);
}

/** Without this quick check of each text, a synth takes longer. */
const SUSPECT = /tftoken|e\+\d{3}| Map Token Value/i;

/** A changed key is none of cdktf's. */
function isKnownText(placeholder: string): boolean {
  if (!placeholder.startsWith("$")) return false;
  try {
    return Tokenization.reverseString(placeholder).tokens.length === 1;
  } catch {
    return false;
  }
}

/** What cdktf puts into a map that is a token. */
const OF_MAPS: ReadonlySet<unknown> = new Set([
  Token.STRING_MAP_TOKEN_VALUE,
  Token.NUMBER_MAP_TOKEN_VALUE,
  Token.ANY_MAP_TOKEN_VALUE,
]);

const PART_OF_PLACEHOLDER = /(?:[$#&]\{)?TfToken(?:\[[\w:.-]*\]?\}?)?/gi;

/** For messages. */
export function withoutPlaceholders(text: string): string {
  return text
    .replace(PLACEHOLDER, "(a token)")
    .replace(/[A-Z]\w+ Map Token Value/g, "(a token)")
    .replace(PART_OF_PLACEHOLDER, "(part of a token)")
    .replace(NUMBER, (number) => (isNumberToken(number) ? "(a token)" : number));
}
