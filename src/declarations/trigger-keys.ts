/**
 * The path of a field in a declaration, as in `workers.default.count`. State depends on these keys. An element of a list has its
 * name in the path, or its index (`workers[2].count`) if it has no name.
 */

/** `parent` is empty at the top. */
export function childKey(parent: string, child: string | number): string {
  if (typeof child === "number") return `${parent}[${child}]`;
  if (parent === "") return child;
  return /^[A-Za-z0-9_-]+$/.test(child) ? `${parent}.${child}` : `${parent}[${JSON.stringify(child)}]`;
}

const SEGMENT = /\[(?:(\d+)|("(?:[^"\\]|\\.)*"))\]|\.?([^.[]+)/y;

/** The names and indexes in a key. Other text is read as far as possible. */
export function segmentsOf(key: string): (string | number)[] {
  const segments: (string | number)[] = [];
  SEGMENT.lastIndex = 0;
  for (let match = SEGMENT.exec(key); match; match = SEGMENT.exec(key)) {
    const [, place, quoted, plain] = match;
    segments.push(place === undefined ? (plain ?? unquoted(quoted!)) : Number(place));
  }
  return segments;
}

/** The prop that a key belongs to. */
export function propOf(key: string): string {
  return String(segmentsOf(key)[0]);
}

function unquoted(text: string): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    // The key was not made by this package.
    return text;
  }
}
