import { complete } from "../declarations/declaration";
import { renderValue } from "../declarations/rules";
import { childKey } from "../declarations/trigger-keys";
import { objectTypeOf } from "../declarations/types";
import { nearest } from "../util/nearest";
import { isPlainObject } from "../util/prop-path";
import type { JsonObject, Kind } from "../model/provider-type";
import { isSecretReference } from "../model/secret-reference";
import { withoutSecrets, type Declared } from "./declared";

const NOT_PROPS: readonly string[] = ["type", "platform", "protected", "retained", "adopted", "waitsFor", "request"];

/**
 * How an object differs from the expected fields, a line each with the path of the prop. Fields that are not expected do not
 * matter. An expected prop that the object leaves out has its default.
 */
export function differences(kind: Kind, object: Declared, expected: JsonObject): string[] {
  const type = objectTypeOf(object.type, kind);
  const spec = Object.fromEntries(Object.entries(object).filter(([key]) => !NOT_PROPS.includes(key)));
  const keys = new Map(type.structure.map(({ prop, key }) => [prop, key]));
  // A choice of services is a whole, so it has no defaults in it.
  const completed = { ...complete(type, spec), ...(spec.services !== undefined && { services: spec.services }) };
  return compare("", expected, object, completed, (path) => keys.get(path));
}

/** @param keyOf the field that identifies the elements of the list at a path, if there is one */
function compare(
  path: string,
  wanted: unknown,
  declared: unknown,
  completed: unknown,
  keyOf: (path: string) => string | undefined,
): string[] {
  const expected = converted(wanted);
  const actual = declared ?? completed;
  const differs = () => [
    `${path}: expected ${textOf(expected)}, declared ${actual === undefined ? "nothing" : renderValue(actual)}`,
  ];
  if (expected === undefined)
    return declared === undefined ? [] : [`${path}: expected nothing, declared ${renderValue(declared)}`];
  if (isAsymmetric(expected)) return expected.asymmetricMatch(actual) ? [] : differs();
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return differs();
    const key = keyOf(path);
    if (key !== undefined) return compareNamed(path, key, expected, actual, completed, keyOf);
    if ([...expected, ...(actual as unknown[])].every((item) => typeof item !== "object")) {
      return JSON.stringify([...expected].sort()) === JSON.stringify([...(actual as unknown[])].sort()) ? [] : differs();
    }
    if (expected.length !== actual.length) return differs();
    return expected.flatMap((item, index) =>
      compare(childKey(path, index), item, actual[index], (completed as unknown[] | undefined)?.[index], keyOf),
    );
  }
  if (isPlainObject(expected)) {
    if (!isPlainObject(actual)) return differs();
    const defaults = isPlainObject(completed) ? completed : {};
    return Object.entries(expected).flatMap(([key, item]) => {
      const at = childKey(path, key);
      if (item !== undefined && actual[key] === undefined && defaults[key] === undefined)
        return missing(at, key, item, actual, defaults);
      return compare(at, item, actual[key], defaults[key], keyOf);
    });
  }
  // Terraform has some numbers as text, such as `credentialsVersion`.
  return expected === actual || (typeof expected === "number" && String(expected) === actual) ? [] : differs();
}

/** The order of named elements does not matter. */
function compareNamed(
  path: string,
  key: string,
  expected: readonly unknown[],
  actual: readonly unknown[],
  completed: unknown,
  keyOf: (path: string) => string | undefined,
): string[] {
  const nameOf = (item: unknown) => String((item as JsonObject | null)?.[key]);
  const names = actual.map(nameOf);
  const wanted = expected.map(nameOf);
  const extra = names
    .filter((name) => !wanted.includes(name))
    .map((name) => `${childKey(path, name)}: expected nothing, but it is declared`);
  const found = expected.flatMap((item) => {
    const name = nameOf(item);
    const index = names.indexOf(name);
    if (index >= 0)
      return compare(childKey(path, name), item, actual[index], (completed as unknown[] | undefined)?.[index], keyOf);
    const near = nearest(name, names);
    return [`${childKey(path, name)}: is not declared${near === undefined ? "" : `: did you mean '${near}'?`}`];
  });
  return [...found, ...extra];
}

function missing(at: string, key: string, expected: unknown, actual: JsonObject, defaults: JsonObject): string[] {
  const near = nearest(key, [...Object.keys(actual), ...Object.keys(defaults)]);
  return [
    `${at}: expected ${textOf(converted(expected))}, but it is not declared${near === undefined ? "" : `: did you mean '${near}'?`}`,
  ];
}

/** Props may hold a Secret, Services or a provider, also of another copy of this package. */
function converted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { _reference: reference, _spec: services, providerName } = value as Record<string, unknown>;
  if (isSecretReference(reference)) return withoutSecrets(reference);
  if (isPlainObject(services)) return services;
  return typeof providerName === "string" ? providerName : value;
}

interface Asymmetric {
  asymmetricMatch(value: unknown): boolean;
  toAsymmetricMatcher?(): string;
}

function textOf(expected: unknown): string {
  return isAsymmetric(expected) ? (expected.toAsymmetricMatcher?.() ?? "a match") : renderValue(expected);
}

/** Such as `expect.any(Number)`. */
function isAsymmetric(value: unknown): value is Asymmetric {
  return typeof (value as Asymmetric | undefined | null)?.asymmetricMatch === "function";
}
