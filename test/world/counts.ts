/** How often things happened, by what happened and by the event at which it happened. */
export class Counts {
  readonly #rows = new Map<string, Map<string, number>>();

  add(what: string, at: string, times = 1): void {
    let row = this.#rows.get(what);
    if (!row) this.#rows.set(what, (row = new Map()));
    row.set(at, (row.get(at) ?? 0) + times);
  }

  of(what: string, at: string): number {
    return this.#rows.get(what)?.get(at) ?? 0;
  }

  addAll(others: CountsAsJson): void {
    for (const [what, row] of Object.entries(others)) for (const [at, times] of Object.entries(row)) this.add(what, at, times);
  }

  toJSON(): CountsAsJson {
    return Object.fromEntries([...this.#rows].map(([what, row]) => [what, Object.fromEntries(row)]));
  }

  /**
   * A table, and a line with the pairs that never happened.
   * @param possible what can happen, and the events at which it can
   */
  lines(title: string, possible: Readonly<Record<string, readonly string[]>>): string[] {
    const columns = [...new Set(Object.values(possible).flat())];
    const cell = (what: string, at: string) => (possible[what]!.includes(at) ? String(this.of(what, at)) : "");
    const rows = Object.keys(possible).map((what) => [what, ...columns.map((at) => cell(what, at))]);
    const never = rows.flatMap(([what, ...cells]) =>
      columns.filter((_, index) => cells[index] === "0").map((at) => `${what} / ${at}`),
    );
    const table = [[title, ...columns], ...rows];
    const widths = table[0]!.map((_, index) => Math.max(...table.map((row) => row[index]!.length)));
    return [
      ...table.map((row) =>
        row.map((text, index) => (index === 0 ? text.padEnd(widths[0]!) : text.padStart(widths[index]!))).join("  "),
      ),
      ...(never.length > 0 ? [`never: ${never.join(", ")}`] : []),
    ];
  }
}

export type CountsAsJson = Readonly<Record<string, Readonly<Record<string, number>>>>;
