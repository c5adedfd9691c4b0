/** The candidate that is closest to a misspelled name. Undefined if none is close. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(2, name.length / 3);
  const closest = candidates
    .filter((candidate) => Math.abs(candidate.length - name.length) <= limit)
    .map((candidate) => ({ candidate, edits: edits(name, candidate) }))
    .sort((one, other) => one.edits - other.edits)[0];
  return closest && closest.edits <= limit ? closest.candidate : undefined;
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
