import { isIP } from "node:net";
import * as z from "zod/mini";
import { nearest } from "../util/nearest";
import { isName, NAME_RULE } from "../model/object-name";
import { bounded, visible } from "../util/printable";
import { isPlainObject, renderPath, valueAt } from "../util/prop-path";
import { PATTERN_RULE } from "../model/object-pattern";
import { EXACT_RULE } from "../model/protection";
import { definitionOf, type Schema } from "./schema-definition";
import { isSecretReference, type SecretReference } from "../model/secret-reference";

/**
 * Rules for props and for the values of tokens. Every message completes the sentence `'<prop>' must …`, so that synth and the
 * hooks report the same value in the same words.
 */

export const name = z.string(NAME_RULE).check(z.refine(isName, NAME_RULE));

const NO_CONTROL_CHARACTERS = "not hold control characters such as line breaks";
const NO_BROKEN_CHARACTERS = "not hold half of a character (a lone surrogate)";

const ofOneLine = z.refine<string>((value) => !hasControlCharacters(value), NO_CONTROL_CHARACTERS);
const wellFormed = z.refine<string>((value) => value.isWellFormed(), NO_BROKEN_CHARACTERS);

export const text = z.string("be a string").check(z.minLength(1, "not be empty"), ofOneLine, wellFormed);

export const optionalText = z.string("be a string").check(ofOneLine, wellFormed);

export const multilineText = z.string("be a string");

export const boolean = z.boolean("be true or false");

export const whole = (unit: string, min: number) => {
  const rule = `be a whole number of ${unit}, at least ${min}`;
  return z.int(rule).check(z.minimum(min, rule));
};

/** For units that the service's interface does not show. */
export const wholeNumber = (min: number) => {
  const rule = `be a whole number, at least ${min}`;
  return z.int(rule).check(z.minimum(min, rule));
};

export const texts = z.array(text, "be a list of strings");

export const labels = z
  .custom<Record<string, string>>(isPlainObject, 'be a map of labels, as in { rack: "a1" }')
  .check(({ value, issues }) => {
    for (const [key, label] of Object.entries(value)) {
      const message = labelProblem(key, label);
      if (message) issues.push({ code: "custom", input: label, path: [key], message });
    }
  });

function labelProblem(key: string, label: unknown): string | undefined {
  if (key === "" || key === "__proto__" || hasControlCharacters(key)) {
    return "have a key that is not empty, not __proto__ and free of control characters";
  }
  if (typeof label !== "string") return "be a string";
  return hasControlCharacters(label) ? NO_CONTROL_CHARACTERS : undefined;
}

const SECRET_RULE = `be a Secret, as from Secret.fromEnv("NAME"), Secret.fromFile("path") or Secret.fromToken(token)`;
export const secret = z.custom<SecretReference>(isSecretReference, SECRET_RULE);

/** For a user name or the like, which some users want to hide. */
const TEXT_OR_SECRET_RULE = "be a string that is not empty and of one line, or a Secret";
export const textOrSecret = z.custom<SecretReference | string>(
  (value) => isSecretReference(value) || text.safeParse(value).success,
  TEXT_OR_SECRET_RULE,
);

const urlOf = (protocol: RegExp, rule: string) =>
  z.string(rule).check(z.refine((value) => URL.canParse(value) && protocol.test(new URL(value).protocol), rule));

export const httpUrl = urlOf(/^https?:$/, "be an absolute http or https URL");
export const httpsUrl = urlOf(/^https:$/, "be an absolute https URL");

const HOST_PORT_RULE = "be host:port, without a scheme, as in vcenter.example.com:443";
export const hostPort = z.string(HOST_PORT_RULE).check(z.refine(isHostPort, HOST_PORT_RULE));

function isHostPort(value: string): boolean {
  const match = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?):(\d{1,5})$/.exec(value);
  return match !== null && Number(match[3]) >= 1 && Number(match[3]) <= 65535;
}

const IP_RULE = "be an IP address";
export const ipAddress = z.string(IP_RULE).check(z.refine((value) => isIP(value) !== 0, IP_RULE));

const OPTIONAL_IP_RULE = "be an IP address, or empty";
export const optionalIpAddress = z
  .string(OPTIONAL_IP_RULE)
  .check(z.refine((value) => value === "" || isIP(value) !== 0, OPTIONAL_IP_RULE));

const CIDR_RULE = "be a network in CIDR notation, as in 10.96.0.0/12";
export const cidr = z.string(CIDR_RULE).check(z.refine(isCidr, CIDR_RULE));

function isCidr(value: string): boolean {
  const match = /^([^/]+)\/(\d{1,3})$/.exec(value);
  const family = isIP(match?.[1] ?? "");
  return family !== 0 && Number(match?.[2]) <= (family === 4 ? 32 : 128);
}

const NUMBERS = /\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?/.source;

const VERSION_RULE = "be a version of the form <major>.<minor>.<patch>, as in 1.28.3";
export const version = z.string(VERSION_RULE).check(z.regex(new RegExp(`^${NUMBERS}$`), VERSION_RULE));

const OPTIONAL_VERSION_RULE = `${VERSION_RULE}, or empty`;
export const optionalVersion = z
  .string(OPTIONAL_VERSION_RULE)
  .check(z.refine((value) => value === "" || version.safeParse(value).success, OPTIONAL_VERSION_RULE));

const KUBE_VERSION_RULE = "be a Kubernetes version of the form v<major>.<minor>.<patch>, as in v1.28.3";
export const kubeVersion = z.string(KUBE_VERSION_RULE).check(z.regex(new RegExp(`^v${NUMBERS}$`), KUBE_VERSION_RULE));

const WANTED_VERSION_RULE = "be a Kubernetes version, as in v1.28.3 or 1.28.3";
/** The interface does not show whether the version of a cluster has a leading `v`. */
export const wantedKubeVersion = z.string(WANTED_VERSION_RULE).check(z.regex(new RegExp(`^v?${NUMBERS}$`), WANTED_VERSION_RULE));

const QUANTITY_RULE = "be a number with a unit suffix, as in 16Gi";
/** The interface does not show which suffixes exist, so any is accepted. */
export const quantity = z.string(QUANTITY_RULE).check(z.regex(/^\d+(\.\d+)?\s?[A-Za-z]+$/, QUANTITY_RULE));

const SERVICE_RULE = "be the name of a platform service, which begins with product-";
export const serviceName = z.string(SERVICE_RULE).check(z.regex(/^product-[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/, SERVICE_RULE));

export const jsonObject = z.custom<Record<string, unknown>>(isPlainObject, "be an object that is merged over the request body");

/** Users change it after they have rotated credentials. */
export const credentialsVersion = z.optional(z.union([text, z.number()], "be a string or a number"));

function hasControlCharacters(value: string): boolean {
  return /[\p{Cc}\p{Zl}\p{Zp}]/u.test(value);
}

export interface Problem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  /** Whether it is a problem even if the value at the path is a token. */
  readonly holdsForTokens?: boolean;
  readonly isMissing?: boolean;
  /** Whether there is no such prop. */
  readonly isUnknown?: boolean;
  /** The path of the prop that a misspelled one stands for. */
  readonly meant?: readonly PropertyKey[];
}

/** @param others props besides those of the schema, for the correction of a misspelled one */
export function problemsOf(schema: Schema, value: unknown, others: readonly string[] = []): Problem[] {
  const result = schema.safeParse(value);
  if (result.success) return [];
  const problems = result.error.issues.flatMap((issue) => explain(issue, value, schema, others));
  const misspelled = new Set(problems.flatMap(({ meant }) => (meant ? [renderPath(meant)] : [])));
  return problems.filter(({ path, isMissing }) => !isMissing || !misspelled.has(renderPath(path)));
}

/** The props at a path of a schema. None for a value without fixed props. */
function propsAt(schema: Schema, path: readonly PropertyKey[]): readonly string[] {
  const inner = definitionOf(schema);
  if (inner.type === "optional") return propsAt(inner.innerType, path);
  const [key, ...deeper] = path;
  if (inner.type === "array" && key !== undefined) return propsAt(inner.element, deeper);
  if (inner.type !== "object") return [];
  const next = key === undefined ? undefined : inner.shape[String(key)];
  if (next) return propsAt(next, deeper);
  return key === undefined ? Object.keys(inner.shape) : [];
}

/** Rules of names, which are ASCII. Messages escape all other characters, because some look like ASCII. */
const OF_NAMES: ReadonlySet<string> = new Set([NAME_RULE, EXACT_RULE, PATTERN_RULE]);

function explain(issue: z.core.$ZodIssue, root: unknown, schema: Schema, others: readonly string[]): Problem[] {
  if (issue.code === "unrecognized_keys") {
    const props = [...propsAt(schema, issue.path), ...(issue.path.length === 0 ? others : [])];
    return issue.keys.map((key) => {
      const near = nearest(key, props);
      const problem = {
        path: [...issue.path, key],
        message: `'${renderPath([...issue.path, key])}' is not a prop here`,
        isUnknown: true as const,
      };
      if (near === undefined) return problem;
      return { ...problem, message: `${problem.message}: did you mean ${near}?`, meant: [...issue.path, near] };
    });
  }
  const prop = renderPath(issue.path);
  const value = valueAt(root, issue.path);
  const isMissing = value === undefined && issue.path.length > 0;
  const hidden = issue.message === SECRET_RULE || issue.message === TEXT_OR_SECRET_RULE;
  const shown = renderValue(value, OF_NAMES.has(issue.message) ? /[^\x20-\x7e]/gu : undefined);
  const got = isMissing ? "but is missing" : `got ${hidden ? `a bare ${typeof value}` : shown}`;
  const holdsForTokens = issue.code === "custom" && issue.params?.holdsForTokens === true;
  const message = `'${prop}' must ${issue.message}, ${got}`;
  return [{ path: issue.path, message, isMissing, ...(holdsForTokens && { holdsForTokens }) }];
}

/** Converts between text, numbers and booleans as the schema wants it, in the same way as Terraform. */
export function asDeclared(schema: Schema, value: unknown): unknown {
  const result = schema.safeParse(value);
  if (result.success) return value;
  return result.error.issues.reduce((root, issue) => {
    if (issue.code !== "invalid_type" || issue.path.length === 0) return root;
    return replaceAt(root, issue.path, converted(valueAt(root, issue.path), issue.expected));
  }, value);
}

function converted(value: unknown, expected: string): unknown {
  if (typeof value === "string" && (expected === "number" || expected === "int") && /^-?\d+(\.\d+)?$/.test(value))
    return Number(value);
  if (expected === "boolean" && (value === "true" || value === "false")) return value === "true";
  if (expected === "string" && (typeof value === "number" || typeof value === "boolean")) return String(value);
  return value;
}

function replaceAt(root: unknown, [key, ...rest]: readonly PropertyKey[], value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(root)) return root.map((item, index) => (index === key ? replaceAt(item, rest, value) : item));
  return { ...(root as object), [key]: replaceAt((root as Record<PropertyKey, unknown>)[key], rest, value) };
}

function asJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? (typeof value === "function" ? "a function" : String(value));
  } catch {
    return typeof value === "object" ? "an object that holds itself" : `a ${typeof value}`;
  }
}

const VALUE_CHARACTERS = 120;

/**
 * A value for an error message: bounded, and never a secret.
 * @param hidden characters to escape besides those that JSON escapes
 */
export function renderValue(value: unknown, hidden?: RegExp): string {
  if (isSecretReference(value)) return "a Secret";
  return bounded(typeof value === "number" ? String(value) : visible(asJson(value), hidden), VALUE_CHARACTERS);
}
