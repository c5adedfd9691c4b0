import { visible } from "../model/printable";

/** Columns as wide as their widest cell, two spaces apart; an empty cell is a dash. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows.map((row) => row.map((cell) => visible(cell) || "-"))];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => [...row[column]!].length)));
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell + " ".repeat(widths[column]! - [...cell].length))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
