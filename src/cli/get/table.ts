import { visible } from "../../util/printable";

/** A growing table for a terminal. A column is as wide as its widest cell so far. An empty cell is a dash. */
export class Table {
  #widths: readonly number[];

  constructor(private readonly head: readonly string[]) {
    this.#widths = head.map(widthOf);
  }

  withHead(rows: readonly (readonly string[])[]): string[] {
    const lines = this.lines(rows);
    return [this.#line(this.head), ...lines];
  }

  lines(rows: readonly (readonly string[])[]): string[] {
    const cells = rows.map((row) => row.map((cell) => visible(cell) || "-"));
    for (const row of cells) this.#widths = this.#widths.map((width, column) => Math.max(width, widthOf(row[column]!)));
    return cells.map((row) => this.#line(row));
  }

  #line(cells: readonly string[]): string {
    const padded = cells.map((cell, column) => cell + " ".repeat(this.#widths[column]! - widthOf(cell)));
    return padded.join("  ").trimEnd();
  }
}

function widthOf(text: string): number {
  return [...text].length;
}
