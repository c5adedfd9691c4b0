import { written, type Phrase } from "./phrase";
import { visible } from "../../util/printable";
import type { Risk } from "./finding";
import type { Row } from "./rows";

/** Foreign text as code. It cannot end the cell of a table, and cannot become markup, a link or a mention of a user. */
export function code(text: string): string {
  const shown = visible(text);
  if (shown === "") return "(empty)";
  // A code span holds no plain backtick, and in a table no backslash before a pipe. HTML entities express both.
  const simple = /^[^`|\\]+$/.test(shown) && shown.trim() === shown;
  return simple ? `\`${shown}\`` : `<code>${shown.replace(/[^\p{L}\p{N} -]/gu, entity)}</code>`;
}

export function markdown(phrase: Phrase): string {
  return written(phrase, code);
}

/** For places where Markdown is not parsed, such as the `summary` of `details`. */
export function htmlCode(text: string): string {
  return `<code>${visible(text).replace(/[&<>"'`@]/g, entity)}</code>`;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

export const RISK_MARKS: Readonly<Record<Risk, string>> = { critical: "🔴", high: "🟠", medium: "🟡", low: "🟢", none: "⚪" };
export const DENIED = "⛔";

/**
 * @param several whether the report has several stacks
 * @param under lines under a row
 */
export function rowsTable<R extends Row>(rows: readonly R[], several: boolean, under: (row: R) => string[][] = () => []): string {
  const head = ["", ...(several ? ["Stack"] : []), "Object", "What", "Why"];
  const lines = rows.flatMap((row) => [
    [
      `${RISK_MARKS[row.risk]}${row.denied ? ` ${DENIED}` : ""}`,
      ...(several ? [row.stack === null ? "" : code(row.stack)] : []),
      markdown(row.object),
      [`**${row.verdict}**`, markdown(row.happens)].filter((part) => part !== "").join(": "),
      markdown(row.why),
    ],
    ...under(row),
  ]);
  return table(head, lines);
}

/** A block of code that no line of the text ends. */
export function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** @param summary HTML */
export function details(summary: string, content: string): string {
  return `<details><summary>${summary}</summary>\n\n${content}\n\n</details>`;
}

export function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join("\n");
}

function entity(character: string): string {
  return `&#${character.codePointAt(0)!};`;
}
