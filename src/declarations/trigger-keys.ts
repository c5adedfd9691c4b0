/**
 * Keys of triggers: where a field stands in a declaration, as in `workers.default.count`. State depends on them. An element
 * of a list stands under its name, or under its place (`workers[2].count`) where it has none of its own.
 */

/** The key of what is one level below, `parent` being empty at the top. */
export function childKey(parent: string, child: string | number): string {
  if (typeof child === "number") return `${parent}[${child}]`;
  if (parent === "") return child;
  return /^[A-Za-z0-9_-]+$/.test(child) ? `${parent}.${child}` : `${parent}[${JSON.stringify(child)}]`;
}

const SEGMENT = /\[(?:(\d+)|("(?:[^"\\]|\\.)*"))\]|\.?([^.[]+)/y;

/** The names and places that a key is made of, from the top down; those that can be read of any other text. */
export function segmentsOf(key: string): (string | number)[] {
  const segments: (string | number)[] = [];
  SEGMENT.lastIndex = 0;
  for (let match = SEGMENT.exec(key); match; match = SEGMENT.exec(key)) {
    const [, place, quoted, plain] = match;
    segments.push(place === undefined ? (plain ?? unquoted(quoted!)) : Number(place));
  }
  return segments;
}

function unquoted(text: string): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    // No key that this package has made.
    return text;
  }
}
