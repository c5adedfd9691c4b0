import { isName, LONGEST_NAME } from "./object-name";
import { KINDS, TYPE_CODES } from "./provider-type";

/** Loaded on first use, because most hooks use no pattern. The POSIX entry, because patterns are no file paths. */
// eslint-disable-next-line @typescript-eslint/no-require-imports
const picomatch = () => require("picomatch/posix") as typeof import("picomatch/posix");

/** A match may take time in the order of the name's length to the power of the number of stars. */
const MOST_STARS = 3;
const LONGEST_PATTERN = 1_000;

export const PATTERN_RULE =
  "be a name or type/kind/name, as in capvs/clusters/prod. Each part may contain '*', '?', '{a,b}' and '!(a|b)', " +
  `with at most ${MOST_STARS} of '*' and '!('`;

export interface NamedObject {
  readonly name: string;
  /** `type/kind/name`. */
  readonly object: string;
}

/**
 * A pattern that nothing can match is a mistake.
 * @param anyType whether the type may be one that only the service knows
 */
export function isPattern(text: string, anyType = false): boolean {
  if (text.length > LONGEST_PATTERN) return false;
  const rough = withoutGroups(text);
  const parts = text.split("/");
  const [type, kind] = parts as [string, string?];
  if (!rough.split("/").every((part) => /^[A-Za-z0-9._*-]+$/.test(part))) return false;
  if (parts.some((part) => part.split(/\*|!\(/).length > MOST_STARS + 1)) return false;
  if (kind === undefined) return rough.includes("*") || isName(text);
  const canBe = (part: string, names: readonly string[]) => names.some((name) => picomatch().isMatch(name, part));
  return parts.length === 3 && (anyType || canBe(type, TYPE_CODES)) && canBe(kind, KINDS);
}

/** Matches names or, if the pattern has slashes, `type/kind/name`. */
export function objectMatcher(pattern: string): (of: NamedObject) => boolean {
  const matches = picomatch()(pattern, { dot: true });
  return ({ name, object }) => name.length <= LONGEST_NAME && matches(pattern.includes("/") ? object : name);
}

/** The text with `*` for every group and `?`, from the inside out. Groups that are not closed remain. */
function withoutGroups(text: string): string {
  const rough = text.replace(/\?(?!\()|\{[^{}()!|/]*,[^{}()!|/]*\}|!\([^{}()!,/]+\)/g, "*");
  return rough === text ? text : withoutGroups(rough);
}
