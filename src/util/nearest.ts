/** The candidate that is closest to a misspelled name. Undefined if none is close. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(2, name.length / 3);
  const closest = candidates
    .filter((candidate) => Math.abs(candidate.length - name.length) <= limit)
    .map((candidate) => ({ candidate, edits: edits(name, candidate) }))
    .sort((one, other) => one.edits - other.edits)[0];
  return closest && closest.edits <= limit ? closest.candidate : undefined;
}

/**
 * The candidate that differs by one slip of the keyboard: one letter more, less or other, or two neighbors swapped. Names with other
 * digits or another short part are names of their own, as `web-2` beside `web-1` and `prod-eu` beside `prod-us`.
 */
export function misspelled(name: string, candidates: readonly string[]): string | undefined {
  return candidates.find((candidate) => {
    const [parts, others] = [name, candidate].map((text) => text.split(/[^a-z]+/)) as [string[], string[]];
    const isNumbered = digits(name) !== digits(candidate);
    const isOtherPart = parts.length === others.length && parts.some((part, at) => part !== others[at] && part.length < 3);
    return name !== candidate && !isNumbered && !isOtherPart && isSlip(name, candidate);
  });
}

const digits = (text: string) => text.replace(/\D/g, "");
const sorted = (text: string) => [...text].sort().join("");

function isSlip(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false;
  const distance = edits(one, other);
  return distance === 1 || (distance === 2 && sorted(one) === sorted(other));
}

/** The Levenshtein distance. */
function edits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let index = 0; index < from.length; index++) {
    const next = [index + 1];
    for (let column = 0; column < to.length; column++) {
      const change = row[column]! + (from[index] === to[column] ? 0 : 1);
      next.push(Math.min(change, row[column + 1]! + 1, next[column]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}
