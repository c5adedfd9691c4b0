import type { Construct } from "constructs";
import { InvalidPropError } from "../../model/errors";
import { isPlainObject, renderPath } from "../../util/prop-path";
import { Secret } from "../secret";
import { Services } from "../services";
import { isBrokenToken, isToken } from "./tokens";

const RULE = "be a JSON value (text, a number, true, false, null, a list or a plain object), a Secret or a token";
const WHOLE_TOKENS =
  "hold tokens as they are, not a part of one, a changed one or a number in text; " +
  "use Terraform's functions, such as Fn.element, Fn.lookup, Fn.concat, Fn.merge, Fn.format or Fn.upper";
/** cdktf fails at 200 levels. */
const DEEPEST = 100;

/** Runs before other checks, which would not end with cyclic values. */
export function unsendable(value: unknown, path: readonly PropertyKey[] = [], above: readonly unknown[] = []): string[] {
  const refused = (got: string) => [`'${renderPath(path)}' must ${RULE}, got ${got}`];
  if (Secret.isSecret(value)) return unsendable(Object.values(value._reference.$secret)[0], path);
  if (Services.isServices(value)) {
    // A list of one element may look like the token of a list.
    return Object.entries(value._spec).flatMap(([list, names]) =>
      [names].flat().flatMap((name, index) => unsendable(name, [...path, list, index])),
    );
  }
  if (isBrokenToken(value)) return [`'${renderPath(path)}' must ${WHOLE_TOKENS}`];
  if (isToken(value)) return [];
  if (typeof value === "bigint" || typeof value === "symbol" || typeof value === "function") return refused(`a ${typeof value}`);
  // Props have their own rules for numbers, but `bodyOverrides` has none.
  if (typeof value === "number" && !Number.isFinite(value) && path[0] === "bodyOverrides") return refused(String(value));
  if (typeof value !== "object" || value === null) return [];
  if (above.includes(value)) return refused("an object that holds itself");
  if (above.length === DEEPEST) return [`'${renderPath(path.slice(0, 1))}' must have at most ${DEEPEST} levels`];
  if (Array.isArray(value)) {
    const items = value.map((item: unknown, index) => ({ item, path: [...path, index] }));
    const holes = items
      .filter(({ item }) => item === undefined)
      .map((hole) => `'${renderPath(hole.path)}' must ${RULE}, got undefined`);
    return [...holes, ...items.flatMap(({ item, path }) => unsendable(item, path, [...above, value]))];
  }
  if (!isPlainObject(value)) return refused(`a ${value.constructor.name}`);
  if ("$secret" in value) return refused("an object with the key $secret");
  return Object.entries(value).flatMap(([key, item]) => unsendable(item, [...path, key], [...above, value]));
}

/** Secrets that were made with a wrong argument. */
export function refusedSecrets(value: unknown, path: readonly PropertyKey[] = []): string[] {
  if (Secret.isSecret(value)) return value._problem === undefined ? [] : [`'${renderPath(path)}': ${value._problem}`];
  if (isToken(value) || typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    refusedSecrets(item, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

/**
 * As cdktf does for its own elements. Other messages would show the path.
 * @throws INVALID_PROP if a scope or the construct has a token in its id
 */
export function refuseTokenInPath({ node }: Construct): void {
  const scope = node.scopes.find(({ node: { id } }) => isToken(id) || isBrokenToken(id))?.node.scope;
  if (scope) throw new InvalidPropError(scope.node.path, "the id of a construct in it must be known at synth, got a token");
}
