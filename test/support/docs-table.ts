import { readFileSync } from "node:fs";

/** The cells of the rows below a header. An empty first cell stands for the one above. */
export function table(page: string, header: string): string[][] {
  const lines = readFileSync(page, "utf8").split("\n");
  const first = lines.indexOf(header) + 2;
  if (first < 2) throw new Error(`${page} has no table with the header ${header}`);
  const rows = lines.slice(first, first + lines.slice(first).findIndex((line) => !line.startsWith("|")));
  let above = "";
  return rows.map((row) => {
    const [name, ...rest] = row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll("`", ""));
    above = name || above;
    return [above, ...rest];
  });
}
