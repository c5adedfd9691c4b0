import picomatch from "picomatch";
import { isName } from "../../model/object-name";
import { isPattern } from "../../model/protection";
import { KINDS, TYPE_CODES } from "../../model/provider-type";

export const OBJECT_PATTERN_RULE =
  "be a name or type/kind/name, as in capvs/clusters/prod, of which each part may have '*', '?', '{a,b}' and '!(a|b)'";

/** What a pattern may be about. */
export interface NamedObject {
  readonly name: string;
  /** `type/kind/name`. */
  readonly object: string;
}

/**
 * Whether a text is a name, `type/kind/name`, or a pattern of one that can exist: one that cannot would never say
 * anything, and a rule with it would hold for nothing.
 *
 * @param anyType whether the type may be one that only the service knows
 */
export function isObjectPattern(text: string, anyType = false): boolean {
  const rough = withoutGroups(text);
  if (!isPattern(anyType ? rough.replace(/^[\w.*-]+\//, "*/") : rough)) return false;
  const [type, kind] = text.split("/") as [string, string?];
  if (kind === undefined) return rough.includes("*") || isName(text);
  const canBe = (part: string, names: readonly string[]) => names.some((name) => picomatch.isMatch(name, part));
  return (anyType || canBe(type, TYPE_CODES)) && canBe(kind, KINDS);
}

/** Whether a pattern names an object: by its name or, where the pattern has slashes, by `type/kind/name`. */
export function objectMatcher(pattern: string): (of: NamedObject) => boolean {
  const matches = picomatch(pattern, { dot: true });
  return ({ name, object }) => matches(pattern.includes("/") ? object : name);
}

/** With `*` for whatever leaves a choice, from the inside out; what is left over has no partner. */
function withoutGroups(text: string): string {
  const rough = text.replace(/\?(?!\()|\{[^{}()!|/]*,[^{}()!|/]*\}|!\([^{}()!,/]+\)/g, "*");
  return rough === text ? text : withoutGroups(rough);
}
