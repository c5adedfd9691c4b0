import { readFileSync } from "node:fs";

/** What happens, by failure and transition. */
export type Matrix = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The tables of the pages: the expected outcome of each transition under each failure. */
export const matrices = {
  hooks: matrixOf("docs/lifecycle.md"),
  provider: matrixOf("docs/provider-lifecycle.md"),
} satisfies Record<string, Matrix>;

export type Carrier = keyof typeof matrices;

/** The title of a failure in a page. With the provider there are no hooks. */
export function titleOn(carrier: Carrier, title: string): string {
  return carrier === "hooks" ? title : title.replace("the hook", "the plugin");
}

/** What the page says of a transition; a failure that it has nothing to do with changes nothing. */
export function cellOf(carrier: Carrier, failure: string, transition: string): string {
  const said = matrices[carrier][titleOn(carrier, failure)]![transition]!;
  return said === "–" ? "same" : said;
}

/** Every cell of a page belongs to one of these failures and one of these transitions. */
export function expectEveryCell(carrier: Carrier, failures: readonly string[], transitions: readonly string[]): void {
  expect(Object.keys(matrices[carrier])).toEqual(failures.map((title) => titleOn(carrier, title)));
  for (const row of Object.values(matrices[carrier])) expect(Object.keys(row)).toEqual(transitions);
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
