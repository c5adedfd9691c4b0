import { readFileSync } from "node:fs";

/** What happens, by failure and transition. */
type Matrix = Readonly<Record<string, Readonly<Record<string, string>>>>;

const matrix = matrixOf("test/world/tables.md");

/** What the page says of a transition; a failure that it has nothing to do with changes nothing. */
export function cellOf(failure: string, transition: string): string {
  const said = matrix[failure]![transition]!;
  return said === "–" ? "same" : said;
}

/** Every cell of the page belongs to one of these failures and one of these transitions. */
export function expectEveryCell(failures: readonly string[], transitions: readonly string[]): void {
  expect(Object.keys(matrix)).toEqual(failures);
  for (const row of Object.values(matrix)) expect(Object.keys(row)).toEqual(transitions);
}

/** The table of a page, by the first cell of its rows and the head of its columns. */
function matrixOf(page: string): Matrix {
  const [, table] = /<!-- matrix -->\n([\s\S]*?)\n<!-- end of matrix -->/.exec(readFileSync(page, "utf8"))!;
  const cellsOf = (line: string) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
  const [head, , ...rows] = table!.trim().split("\n").map(cellsOf);
  return Object.fromEntries(
    rows.map(([title, ...cells]) => [title, Object.fromEntries(cells.map((cell, index) => [head![index + 1]!, cell]))]),
  );
}
