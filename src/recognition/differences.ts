import { HOOK_ENV, inflate } from "../contract/hook-protocol";
import { isPlainObject, renderPath } from "../model/prop-path";
import { COMMENT } from "./configuration-blocks";

/** A value in a block that the package would not have written. */
export interface Difference {
  readonly path: string;
  /** Undefined if the block lacks the value. */
  readonly actual: unknown;
  /** Undefined if the package writes no value there. */
  readonly expected: unknown;
}

/** Owners may let a block wait for more, so `depends_on` may have more items. */
export function differencesBetween(expected: unknown, actual: unknown): Difference[] {
  const [one, other] = [expected, actual].map(comparable);
  if (!isPlainObject(one) || !isPlainObject(other)) return differing(one, other, []);
  const { depends_on: waits, ...rest } = one;
  const { depends_on: waitsNow, ...restNow } = other;
  const lacking = listOf(waits).filter((address) => !listOf(waitsNow).includes(address));
  return [
    ...differing(rest, restNow, []),
    ...lacking.map((address) => ({ path: "depends_on", expected: address, actual: undefined })),
  ];
}

function differing(expected: unknown, actual: unknown, path: readonly PropertyKey[]): Difference[] {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    return Array.from({ length: Math.max(expected.length, actual.length) }, (_, index) => index).flatMap((index) =>
      differing(expected[index], actual[index], [...path, index]),
    );
  }
  if (isPlainObject(expected) && isPlainObject(actual)) {
    return [...new Set([...Object.keys(expected), ...Object.keys(actual)])].flatMap((key) =>
      differing(own(expected, key), own(actual, key), [...path, key]),
    );
  }
  return Object.is(expected, actual) ? [] : [{ path: renderPath(path), expected, actual }];
}

const own = (value: Record<string, unknown>, key: string) => (Object.hasOwn(value, key) ? value[key] : undefined);

/** Without the parts that have no meaning for Terraform and the hooks, such as the order in sets of ids. */
function comparable(block: unknown): unknown {
  // The local of readiness.
  if (Array.isArray(block)) return block.map(sortedLists);
  if (!isPlainObject(block)) return block;
  const { [COMMENT]: _, ...rest } = block;
  const { declared, provisioner } = rest;
  return {
    ...rest,
    ...(Array.isArray(declared) && { declared: sorted(declared) }),
    ...(Array.isArray(provisioner) && { provisioner: provisioner.map(comparableHook) }),
  };
}

function comparableHook(provisioner: unknown): unknown {
  const hook = isPlainObject(provisioner) ? provisioner["local-exec"] : undefined;
  if (!isPlainObject(hook) || !isPlainObject(hook.environment)) return provisioner;
  return { ...(provisioner as object), "local-exec": { ...hook, environment: unpacked(hook.environment) } };
}

/** The same value may be compressed to other text on another machine. */
function unpacked(environment: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const result = { ...environment };
  for (const name of PACKED) {
    const pieces: string[] = [];
    for (let piece = result[`${name}_0`]; typeof piece === "string"; piece = result[`${name}_${pieces.length}`])
      pieces.push(piece);
    const value = unzipped(pieces.join(""));
    if (pieces.length === 0 || value === undefined) continue;
    pieces.forEach((_, index) => delete result[`${name}_${index}`]);
    result[`${name}_0`] = value;
  }
  return result;
}

const PACKED: readonly string[] = [HOOK_ENV.before, HOOK_ENV.after, HOOK_ENV.declared];

function unzipped(base64: string): unknown {
  if (!/^[\w+/]+={0,2}$/.test(base64)) return undefined;
  try {
    return inflate(base64);
  } catch {
    return undefined;
  }
}

function sorted(items: readonly unknown[]): unknown[] {
  return [...items].sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}

function sortedLists(value: unknown): unknown {
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, Array.isArray(item) ? sorted(item) : item]));
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}
