import { inflate } from "../contract/hook-protocol";
import { isPlainObject, renderPath } from "../util/prop-path";
import { COMMENT } from "./configuration-blocks";

/** A value in a block that the package would not have written. */
export interface ForeignValue {
  readonly path: string;
  /** Undefined if the block lacks the value. */
  readonly actual: unknown;
  /** Undefined if the package writes no value there. */
  readonly expected?: unknown;
}

export function foreignValues(expected: unknown, actual: unknown): ForeignValue[] {
  const [own, body] = [expected, actual].map((block) => comparable(withoutComment(block)));
  return differing(own, withoutMoreWaits(body, own), []);
}

function differing(expected: unknown, actual: unknown, path: readonly PropertyKey[]): ForeignValue[] {
  const areLists = Array.isArray(expected) && Array.isArray(actual);
  const wanted = isOnlyThere(expected, actual, path) ? {} : expected;
  if (!areLists && !(isPlainObject(wanted) && isPlainObject(actual)))
    return Object.is(wanted, actual) ? [] : [{ path: renderPath(path), expected: wanted, actual }];
  return [...new Set([...Object.keys(wanted as object), ...Object.keys(actual)])].flatMap((key) =>
    differing(own(wanted as object, key), own(actual, key), [...path, areLists ? Number(key) : key]),
  );
}

/** Its fields have the same paths then as beside own fields. So what one Aspect adds to all blocks is one problem. */
function isOnlyThere(expected: unknown, actual: unknown, path: readonly PropertyKey[]): boolean {
  return expected === undefined && path.length > 0 && isPlainObject(actual) && Object.keys(actual).length > 0;
}

const own = (value: object, key: string) => (Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined);

/** Owners may let a block wait for more. */
function withoutMoreWaits(actual: unknown, expected: unknown): unknown {
  if (!isPlainObject(actual) || !Array.isArray(actual.depends_on)) return actual;
  const waits = new Set<unknown>(actual.depends_on);
  const needed = isPlainObject(expected) && Array.isArray(expected.depends_on) ? (expected.depends_on as unknown[]) : undefined;
  const { depends_on: _, ...rest } = actual;
  return { ...rest, ...(needed && { depends_on: needed.filter((address) => waits.has(address)) }) };
}

function withoutComment(block: unknown): unknown {
  return isPlainObject(block) ? Object.fromEntries(Object.entries(block).filter(([key]) => key !== COMMENT)) : block;
}

/** With the values in the variables of hooks: one may be compressed to other text on another machine. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    key === "environment" && isPlainObject(item) ? unpacked(item) : comparable(item),
  ]);
  return Object.fromEntries(entries) as unknown;
}

/** A value may be in several variables, `NAME_0`, `NAME_1` and so on. */
function unpacked(environment: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const result = { ...environment };
  for (const [first, name] of Object.keys(environment).flatMap((key) => [...key.matchAll(/^(\w+)_0$/g)])) {
    const names = [first];
    while (Object.hasOwn(environment, `${name}_${names.length}`)) names.push(`${name}_${names.length}`);
    const value = inflated(names.map((each) => environment[each]).join(""));
    if (value === undefined) continue;
    for (const each of names) delete result[each];
    result[first] = value;
  }
  return result;
}

function inflated(base64: string): unknown {
  try {
    return /^[\w+/]+={0,2}$/.test(base64) ? inflate(base64) : undefined;
  } catch {
    return undefined;
  }
}
